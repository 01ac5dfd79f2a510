#include "contracts/segments_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

template <class Items, class Key, class Equal, class Offset, class Policy>
bool add(const char* name) {
  segments_contract<sim_stream, Items, Key, Equal, Offset, Policy>::add(name);
  return true;
}

// A tile of one item a thread; heads that straddle words; the sum and status apart, and the most items a thread.
const bool added =
    add<segment_spans<std::uint32_t>, std::uint8_t, equal_to, std::uint32_t, segmented_lookback<warp_scans<32>, 1>>(
        "span8_u8_32x1") &&
    add<segment_spans<std::uint64_t>, odd_key, same_odd_key, std::int64_t, segmented_lookback<warp_scans<96>, 3>>(
        "span16_odd_key_96x3");
#ifndef UPSWEEP_RACE_CHECK
const bool added_too =
    add<segment_sums<std::uint32_t>, std::uint64_t, equal_to, std::int32_t, segmented_lookback<kogge_stone<64>, 32>>(
        "u32_u64_kogge_stone_64x32");
#endif

}  // namespace
