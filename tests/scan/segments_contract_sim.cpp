#include "contracts/segments_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_wide_segments_contract<sim_stream>() &&
                   add_segments_contract<sim_stream, segment_spans<std::uint32_t>, std::uint8_t, equal_to,
                                         std::uint32_t, segmented_lookback<warp_scans<32>, 1>>("span8_u8_32x1");
#ifndef UPSWEEP_RACE_CHECK
// The most items a thread, and another block algorithm.
const bool added_too = add_segments_contract<sim_stream, segment_sums<std::uint32_t>, std::uint64_t, equal_to,
                                             std::int32_t, segmented_lookback<kogge_stone<64>, 32>>("u32_u64_64x32");
#endif

}  // namespace
}  // namespace upsweep::test
