// Policies of the top k whose tiles and samples are small, so that few keys go through several of each.
#pragma once

#include <cstdint>

#include "contracts/top_k_contract.hpp"

namespace upsweep::test {

struct short_top_k {
  static constexpr int sample_threads = 64;
  static constexpr std::int64_t small_up_to = 512;
  static constexpr std::int64_t small_blocks = 2;
  static constexpr std::int64_t large_blocks = 4;
  static constexpr std::int64_t keys_a_sample = 4;
  template <class Code>
  static constexpr int large_items = 2;
  static constexpr int keep_threads = 64;
  template <class Key>
  static constexpr int keep_items = 4;
  static constexpr int keep_blocks = 2;
  static constexpr std::int64_t sorted_up_to = 256;
  template <class Key, class Value>
  using block_sort = detail::single_block_sort_kernel<Key, Value, 64, 8, 2>;

  static UPSWEEP_HOST_DEVICE constexpr std::int64_t rank(std::int64_t expected_16ths) {
    return detail::top_k_tuned::rank(expected_16ths);
  }
};

/// The threshold is the first sample, or the last one: fewer than k are kept, or more than there is room for.
struct too_few_kept : short_top_k {
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t rank(std::int64_t) { return 1; }
};
struct too_many_kept : short_top_k {
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t rank(std::int64_t) { return 1 << 20; }
};

template <class Stream>
void add_short_top_k_contracts() {
  add_top_k_contract<detail::sampled_top_k<short_top_k>, Stream>("top_k/short", 256, 256);
  add_top_k_contract<detail::sampled_top_k<too_few_kept>, Stream, true>("top_k/too_few_kept", 256, 256);
  add_top_k_contract<detail::sampled_top_k<too_many_kept>, Stream, true>("top_k/too_many_kept", 256, 256);
}

}  // namespace upsweep::test
