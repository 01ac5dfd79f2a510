#include "contracts/segmented_top_k_contract.hpp"

namespace upsweep::test {
namespace {

// Three blocks with room for 256 candidates each take any segments.
struct few_candidates {
  template <class Key, class Value>
  using block_sort = detail::single_block_sort_kernel<Key, Value, 64, 4, 2>;
  static constexpr std::int64_t most_blocks = 3, least_segments = 1, least_items = 0, most_k = 128;
};

using by_blocks = detail::segmented_top_k_by_blocks<
    few_candidates,
    detail::segmented_radix_sort<detail::segments_fixed<4, 64, 2, 64, 4, detail::onesweep_tile<256, 2>>>>;

const bool added = [] {
  add_segmented_top_k_contract<by_blocks, sim_stream>("segmented_top_k", 256);
  return true;
}();

TEST(segmented_top_k, its_workspace_grows_with_n_and_k) {
  const float* const in = nullptr;
  float* const out = nullptr;
  const std::int32_t* const at = nullptr;
  for (const std::int64_t segments : {1, 23, 24, 1000}) {
    for (std::int64_t n = 1; n < std::int64_t{1} << 36; n += n / 3 + 1) {
      for (const std::int64_t k : {1, 1024, 1025}) {
        const std::size_t bytes = segmented_top_k_pairs_workspace_bytes(in, out, in, out, at, at, n, segments, k);
        EXPECT_LE(bytes, segmented_top_k_pairs_workspace_bytes(in, out, in, out, at, at, n + n / 3 + 1, segments, k));
        EXPECT_LE(bytes, segmented_top_k_pairs_workspace_bytes(in, out, in, out, at, at, n, segments, k + 1));
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::test
