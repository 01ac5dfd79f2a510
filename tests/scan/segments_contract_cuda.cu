#include "contracts/bounded_segments_contract.hpp"
#include "contracts/segments_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

// Without a least number of bytes: by key the ring where the arrays are aligned, else of 8 bytes the tile of many; by
// offsets that of many where sums have up to 4 bytes.
using policy =
    segmented_pipelined<segmented_lookback<warp_scans<256>, 16, 0, 1000>, 384, 16, 6, 8, 0,
                        segmented_lookback<warp_scans<256>, 32, 3>, segmented_lookback<warp_scans<256>, 16, 4>>;
const bool added =
    add_wide_segments_contract<cudaStream_t>() &&
    add_segments_contract<cudaStream_t, segment_spans<std::uint32_t>, std::uint64_t, equal_to, std::uint32_t, policy>(
        "span8_u64_pipelined_384x16_or_256x16") &&
    add_narrow_segments_contracts<cudaStream_t, policy, std::int32_t>("pipelined_384x16_or_256x32") &&
    add_floating_segments_contracts<cudaStream_t, policy, std::uint32_t>("pipelined_384x16") &&
    add_large_item_segments_contracts<cudaStream_t>() &&
    add_bounded_segments_contract<cudaStream_t, segment_spans<std::uint32_t>, std::uint32_t,
                                  detail::segments_by_spans<warp_scans<64>, 4, 1>>("span8_64x4") &&
    add_bounded_segments_contract<cudaStream_t, segment_sums<std::uint8_t>, std::int64_t,
                                  default_bounded_segments_policy>("u8") &&
    add_bounded_segments_contract<cudaStream_t, segment_maps, std::int32_t, default_bounded_segments_policy>("maps64");

}  // namespace
}  // namespace upsweep::test
