// Where a test runs kernels: the sim under one of three schedules, or (cuda_test_device.cuh) a stream of the GPU. Tests
// that are written against this run on both.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/internals.hpp"
#include "support/race_check.hpp"
#include "support/seed.hpp"
#include "upsweep/simt/executor.hpp"

namespace upsweep::test {

template <class Stream>
class test_device;

template <>
class test_device<sim_stream> {
 public:
  /// One way of running kernels. Its options' seed is added to a thousand times that of the run.
  struct way {
    std::string name;
    sim_options options;
  };
  static std::vector<way> ways() {
    sim_options in_order, backwards, random;
    backwards.order = sim_order::reversed;
    backwards.blocks_backwards = true;
    random.order = sim_order::random;
    in_order.print = backwards.print = random.print = false;
    return {{"sim_in_order", in_order}, {"sim_reversed", backwards}, {"sim_random", random}};
  }

  explicit test_device(const way& w) : options_(w.options) { options_.seed += 1000 * seed(); }
  test_device(const test_device&) = delete;
  test_device& operator=(const test_device&) = delete;

  /// Why nothing can run here; empty when it can.
  std::string missing() const { return {}; }
  sim_stream stream() const { return {&options_}; }
  sim_executor executor() const { return sim_executor(stream()); }
  /// True for the GPU's sm_90 and later, and for the sim, which has all that the context offers.
  bool has_phase_barriers() const { return true; }
  bool has_16_byte_atomics() const { return true; }
  bool has_clusters() const { return true; }
  /// True where the schedule is another for every seed.
  bool follows_the_seed() const { return options_.order == sim_order::random; }
  std::string message() const { return sim_diagnostic(); }

 private:
  sim_options options_;
};

template <class Stream>
using device_test_body = std::function<void(test_device<Stream>&)>;

/// A GoogleTest test that runs `body` on one device.
template <class Stream>
class device_test final : public testing::Test {
 public:
  using way = typename test_device<Stream>::way;
  device_test(const way& w, const device_test_body<Stream>& body) : device_(w), body_(body) {}

 private:
  void SetUp() override {
    if (!device_.missing().empty()) GTEST_SKIP() << device_.missing();
  }
  void TestBody() override { body_(device_); }

  test_device<Stream> device_;
  device_test_body<Stream> body_;
};

/// Adds the test "<way>/<suite>.<claim>".
template <class Stream>
void add_test_on(const typename test_device<Stream>::way& way, const std::string& suite, const std::string& claim,
                 const device_test_body<Stream>& body) {
  testing::RegisterTest((way.name + "/" + suite).c_str(), claim.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [way, body]() -> testing::Test* { return new device_test<Stream>(way, body); });
}

/// The same for every way of running kernels on this kind of stream. The race checker judges what orders two accesses,
/// in whatever order they come: there a claim is tested at random and by one of the other ways, which its name chooses.
template <class Stream>
void add_test(const std::string& suite, const std::string& claim, const device_test_body<Stream>& body) {
  auto ways = test_device<Stream>::ways();
  if constexpr (race_check) {
    const std::string name = suite + claim;
    ways.erase(ways.begin() + std::accumulate(name.begin(), name.end(), 0) % 2);
  }
  for (const auto& way : ways) add_test_on<Stream>(way, suite, claim, body);
}

}  // namespace upsweep::test
