// The contracts of calls over ranks that share one GPU.
#include "across/one_gpu_ranks.cuh"
#include "contracts/across_contract.hpp"
#include "contracts/split_across_contract.hpp"
#include "contracts/values_across_contract.hpp"
#include "scan/gpu_fixture.cuh"

namespace upsweep::test {
namespace {

/// Two ranks that reach each other merge, three sort by cuts.
using by_either = default_sort_across_policy;

class across_one_gpu : public gpu_test {
 protected:
  template <class Body>
  static void for_ranks(std::int64_t n, Body body) {
    for (const int k : {1, 2, 3}) {
      for (const rank_sizes& sizes : sizes_of_ranks(k, n)) {
        SCOPED_TRACE(testing::PrintToString(sizes));
        one_gpu_ranks ranks(k);
        body(ranks, sizes);
      }
    }
  }
  static void sorts(bool reaches_peers) {
    for (const int k : {1, 2, 3}) {
      for (const char* distribution : {"uniform", "constant", "few_values", "low_16_bits", "runs"}) {
        SCOPED_TRACE(distribution);
        for (const rank_sizes& sizes : sizes_of_ranks(k, 100003)) {
          const auto keys = random_keys<std::uint32_t>(static_cast<std::size_t>(sum_of(sizes)), distribution);
          one_gpu_ranks ranks(k, reaches_peers);
          expect_sorted_across<by_either>(ranks, keys, sizes, balanced(sum_of(sizes), k), sort_order::ascending);
        }
      }
    }
  }
};

TEST_F(across_one_gpu, scans_in_the_order_of_ranks) {
  for_ranks(300001, [](one_gpu_ranks& ranks, const rank_sizes& sizes) { expect_scanned_across(ranks, sizes); });
}
TEST_F(across_one_gpu, selects_and_says_where_a_rank_begins) {
  for_ranks(1000003, [](one_gpu_ranks& ranks, const rank_sizes& sizes) { expect_selected_across(ranks, sizes); });
}
TEST_F(across_one_gpu, splits_into_buckets_of_ranks) {
  for_ranks(100003, [](one_gpu_ranks& ranks, const rank_sizes& sizes) {
    expect_split_across(ranks, sizes, 5, "uniform");
    expect_split_across(ranks, sizes, 256, "last bucket", 100);
  });
}
TEST_F(across_one_gpu, sorts_into_the_memory_of_peers) {
  sorts(true);
}
TEST_F(across_one_gpu, sorts_with_values) {
  for_ranks(100003, [](one_gpu_ranks& ranks, const rank_sizes& sizes) {
    const auto keys = keys_across<std::uint32_t>(sum_of(sizes), "zipf");
    expect_sorted_with_eight_across<by_either>(ranks, keys, sizes, balanced(sum_of(sizes), ranks.ranks()),
                                               sort_order::descending);
  });
}
TEST_F(across_one_gpu, sorts_by_sending) {
  sorts(false);
}

}  // namespace
}  // namespace upsweep::test
