#include "contracts/segmented_sort_contract.hpp"

namespace upsweep::test {
namespace {

// Warps of up to 64 items, blocks of two warps, and tiles of 512 keys, so that few keys are large segments.
using short_classes = detail::segments_fixed<4, 64, 2, 64, 4, detail::onesweep_tile<256, 2>>;

const bool added = [] {
  add_segmented_sort_contract<detail::segmented_radix_sort<short_classes>, sim_stream>("segmented_sort/short",
                                                                                       {64, 128, 256, 512, 1024});
  if (!race_check) {
    add_segmented_sort_contract<default_segmented_sort_policy, sim_stream>("segmented_sort", {512, 1024, 4096});
  }
  return true;
}();

}  // namespace
}  // namespace upsweep::test
