// The seed of a test run: UPSWEEP_SEED, or 1. It is printed behind every test that fails.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace upsweep::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("UPSWEEP_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 1;
  }();
  return value;
}

class seed_printer final : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::printf("%s.%s failed with UPSWEEP_SEED=%llu\n", test.test_suite_name(), test.name(),
                static_cast<unsigned long long>(seed()));
  }
};

inline const bool prints_seed = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new seed_printer);
  return true;
}();

}  // namespace upsweep::test
