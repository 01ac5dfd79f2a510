// Checks inside kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/test_device.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::test {

/// Notes the line of each thread's first failed check; 0 stands for none.
class kernel_checks {
 public:
  template <class Ctx>
  UPSWEEP_DEVICE kernel_checks(Ctx& block, int* lines)
      : line_(lines + block.block_index() * Ctx::threads + block.thread_rank()) {}
  UPSWEEP_DEVICE void that(bool holds, int line = __builtin_LINE()) const {
    if (!holds && *line_ == 0) *line_ = line;
  }

 private:
  int* line_;
};

/// Launches `kernel(block, storage, int* lines, args...)` and expects that all its checks hold.
template <class Stream, class Kernel, class... Args>
void expect_checks_hold(test_device<Stream>& device, grid g, const Kernel& kernel, Args... args) {
  const auto threads = static_cast<std::size_t>(g.blocks) * Kernel::block_threads;
  guarded_array<int, Stream> lines(device, std::vector<int>(threads, 0));
  ASSERT_EQ(device.executor().launch(g, kernel, lines.data(), args...), status::success) << device.message();
  const std::vector<int> failed = lines.items();
  for (std::size_t t = 0; t < threads; ++t) {
    ASSERT_EQ(failed[t], 0) << "the check at that line failed in block " << t / Kernel::block_threads << ", thread "
                            << t % Kernel::block_threads;
  }
}

}  // namespace upsweep::test
