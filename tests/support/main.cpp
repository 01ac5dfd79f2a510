// The main() of every test program: GoogleTest's, with --sim-seed, and how to run a failed test again.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "support/seed.hpp"

namespace upsweep::test {
namespace {

std::optional<std::uint64_t> seed_of_run;

std::uint64_t number(const std::string& name, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  throw std::invalid_argument(name + " is a number below 2^64, not '" + text + "'");
}

class replay_printer final : public testing::EmptyTestEventListener {
 public:
  explicit replay_printer(std::string program) : program_(std::move(program)) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::printf("seed %llu; again: %s '--gtest_filter=%s.%s' --sim-seed=%llu\n",
                static_cast<unsigned long long>(seed()), program_.c_str(), test.test_suite_name(), test.name(),
                static_cast<unsigned long long>(seed()));
    std::fflush(stdout);
  }

  std::string program_;
};

}  // namespace

std::uint64_t seed() {
  if (!seed_of_run) throw std::logic_error("the seed of the run is not known before main()");
  return *seed_of_run;
}

std::uint64_t seed_by(const std::vector<std::string>& arguments, const char* environment) {
  static const std::string flag = "--sim-seed";
  std::optional<std::uint64_t> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    if (a == flag) {
      if (++i == arguments.size()) throw std::invalid_argument(flag + " needs a number");
      given = number(flag, arguments[i]);
    } else if (a.starts_with(flag + "=")) {
      given = number(flag, a.substr(flag.size() + 1));
    } else {
      throw std::invalid_argument("there is no option '" + a + "' but --sim-seed N and GoogleTest's");
    }
  }
  if (given) return *given;
  return environment == nullptr ? 1 : number("UPSWEEP_SEED", environment);
}

}  // namespace upsweep::test

int main(int argc, char** argv) {
  using namespace upsweep::test;
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--help"}) {
    std::puts("\nRandom schedules and items:\n  --sim-seed N\n      Their seed; without it UPSWEEP_SEED, or 1.");
    arguments.clear();
  }
  try {
    seed_of_run = seed_by(arguments, std::getenv("UPSWEEP_SEED"));
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
  const std::string program = std::filesystem::absolute(argv[0]).lexically_normal().string();
  testing::UnitTest::GetInstance()->listeners().Append(new replay_printer(program));
  return RUN_ALL_TESTS();
}
