// What block algorithms say they cost, against what the sim counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "support/counted.hpp"
#include "upsweep/scan/block/block_algorithms.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/executor.hpp"

namespace upsweep::test {
namespace {

/// Block b scans b * step + 1 values and counts in count[b].
template <class Algorithm>
struct counting_kernel {
  static constexpr int block_threads = Algorithm::threads;
  using temp_storage = typename Algorithm::template temp_storage<std::uint32_t>;

  template <class Ctx>
  void operator()(Ctx& block, temp_storage& s, int step, std::atomic<std::int64_t>* count) const {
    const int valid = static_cast<int>(block.block_index()) * step + 1;
    Algorithm::scan(block, s, std::uint32_t{1}, counted<std::uint32_t, plus>{count + block.block_index()}, valid);
  }
};

template <class Algorithm>
void expect_exact_operations(int step) {
  SCOPED_TRACE(std::string(name_of(Algorithm::name)) + " of " + std::to_string(Algorithm::threads) + " threads");
  const int blocks = (Algorithm::threads - 1) / step + 1;
  std::vector<std::atomic<std::int64_t>> count(static_cast<std::size_t>(blocks));
  sim_executor executor;
  ASSERT_EQ(executor.launch(blocks, counting_kernel<Algorithm>{}, step, count.data()), status::success)
      << sim_diagnostic();
  for (int b = 0; b < blocks; ++b) {
    const int valid = b * step + 1;
    ASSERT_EQ(Algorithm::operations(valid), count[static_cast<std::size_t>(b)]) << "valid = " << valid;
  }
}

template <class... Algorithms>
void expect_exact_operations_of(std::tuple<Algorithms...>, int step = 1) {
  (expect_exact_operations<Algorithms>(step), ...);
}

TEST(block_cost, counts_every_application_of_the_operator) {
  expect_exact_operations_of(block_algorithms<32>{});
  expect_exact_operations_of(block_algorithms<96>{});
  expect_exact_operations_of(block_algorithms<256>{});
  expect_exact_operations_of(block_algorithms<1024>{}, 11);  // 1 and 1024 are among them
}

}  // namespace
}  // namespace upsweep::test
