#include "contracts/axis_contract.hpp"

namespace upsweep::test {
namespace {

// Three rows a thread of the narrowest items here, and strips of 8 of them; two states at a time, so that look-back
// goes on; of one warp where the race checker has no time for more.
template <int Threads, int GroupBytes, int StripBytes>
using small = axis_lookback<Threads, GroupBytes, StripBytes, 1>;

const bool added = add_axis_contract<sim_stream, axis_spans<std::uint32_t>, small<32, 24, 64>>("span8_32x3") &&
                   add_axis_contract<sim_stream, axis_spans<std::uint64_t>, small<64, 16, 64>>("span16_64x1") &&
                   add_axis_contract<sim_stream, axis_sums<std::uint8_t>, small<32, 2, 8>>("u8_32x3");
#ifndef UPSWEEP_RACE_CHECK
const bool added_too = add_axis_contract<sim_stream, axis_sums<float>, small<96, 20, 96>>("f32_96x5") &&
                       add_axis_contract<sim_stream, axis_maps, small<32, 64, 128>>("maps64_32x1");
#endif

}  // namespace
}  // namespace upsweep::test
