#include "contracts/segmented_top_k_contract.hpp"

namespace upsweep::test {
namespace {

// Three blocks with room for 256 candidates each.
struct few_candidates {
  template <class Key, class Value>
  using block_sort = detail::single_block_sort_kernel<Key, Value, 64, 4, 2>;
  static constexpr std::int64_t most_blocks = 3;
};

const bool added = [] {
  add_segmented_top_k_contract<detail::segmented_top_k_by_blocks<few_candidates>, sim_stream>("segmented_top_k", 256);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
