// Kernels of the sim from lambdas, and what the sim says when it stops one.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/test_device.hpp"
#include "upsweep/simt/sim_executor.hpp"

/// Makes a call and notes its line.
#define UPSWEEP_TEST_AT(line, call) ((line) = __LINE__, (call))

namespace upsweep::test {

template <int Threads, class Body>
struct kernel_of {
  static constexpr int block_threads = Threads;
  struct temp_storage {
    alignas(128) int x[1024];
    phase_barrier phase;
  };
  Body body;
  template <class Ctx>
  void operator()(Ctx& block, temp_storage& s) const {
    body(block, s);
  }
};

/// A kernel that calls `body(block, storage)`.
template <int Threads, class Body>
kernel_of<Threads, Body> kernel(Body body) {
  return {body};
}

/// Options that run on this thread of the CPU alone, print nothing and take the order given.
inline sim_options quiet(sim_order order = sim_order::in_order) {
  sim_options options;
  options.order = order;
  options.seed = seed();
  options.os_threads = 1;
  options.print = false;
  return options;
}

inline constexpr sim_order all_orders[] = {sim_order::in_order, sim_order::reversed, sim_order::random};

template <class Kernel>
status launch(const sim_options& options, grid g, const Kernel& k) {
  return sim_executor(sim_stream{&options}).launch(g, k);
}

/// What the sim says when it stops the kernel, which it must.
template <class Kernel>
std::string diagnostic_of(const sim_options& options, grid g, const Kernel& k) {
  EXPECT_EQ(launch(options, g, k), status::launch_failure);
  return sim_diagnostic();
}

/// "block 1, warp 2, lane 3"
inline std::string thread_named(int block, int warp, int lane) {
  return "block " + std::to_string(block) + ", warp " + std::to_string(warp) + ", lane " + std::to_string(lane);
}

inline testing::AssertionResult says(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the message\n  " << message << "\ndoes not say\n  " << part;
}

/// The message begins with the kernel's name, the thread, its line of `file` and `what`.
inline testing::AssertionResult stops_at(const std::string& message, const std::string& thread, const char* file,
                                         int line, const std::string& what) {
  const std::string expected =
      "sim: kernel upsweep::test::kernel_of: " + thread + ", at " + file + ":" + std::to_string(line) + ": " + what;
  if (message.starts_with(expected)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the message\n  " << message << "\ndoes not begin with\n  " << expected;
}

/// The message lists the thread as one that waits there.
inline testing::AssertionResult waits_at(const std::string& message, const std::string& thread, const char* kind,
                                         const char* file, int line) {
  return says(message, thread + " waits in " + kind + " at " + file + ":" + std::to_string(line));
}

}  // namespace upsweep::test
