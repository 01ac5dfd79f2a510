#include <cstdint>
#include <limits>

#include "contracts/bounded_segments_contract.hpp"
#include "contracts/segments_contract.hpp"
#include "support/iterators.hpp"

namespace upsweep::test {
namespace {

using plain_32x1 = segmented_lookback<warp_scans<32>, 1>;
/// By key the ring where the arrays are aligned, else the tiles of wide sums, which are smaller than by offsets.
using plain_64x2 = segmented_lookback<warp_scans<64>, 2>;
using wide_sums = segmented_pipelined<plain_64x2, 96, 8, 2, 8, 0, plain_64x2, plain_32x1>;
using span8 = segment_spans<std::uint32_t>;
// The most items a thread, for which the race checker has no time: by key by another block algorithm, by offsets in the
// tile of many items.
constexpr int items = race_check ? 4 : 32;
using many_items = segmented_pipelined<segmented_lookback<kogge_stone<64>, items>, 64, 1, 2, 0, 0,
                                       segmented_lookback<warp_scans<64>, items, 3>>;
// Of items of a byte lanes read what others have written, which the race checker sees; the order of operands values
// show.
using bounded_items = std::conditional_t<race_check, segment_sums<std::uint8_t>, span8>;
// By offsets in two launches, of any number of items and segments.
template <class Block, int Items>
using in_two_launches =
    segmented_pipelined<segmented_lookback<Block, Items>, 96, 8, 2, 0, 0, segmented_lookback<Block, Items>,
                        segmented_lookback<Block, Items>,
                        segmented_reduce_then_scan<Block, Items, (std::numeric_limits<std::int64_t>::max)(),
                                                   (std::numeric_limits<std::int64_t>::max)()>>;
const bool added =
    add_segments_contract<sim_stream, span8, std::uint64_t, equal_to, std::int64_t, in_two_launches<warp_scans<64>, 2>>(
        "span8_u64_64x2_in_two_launches") &&
    add_segments_contract<sim_stream, segment_sums<std::uint32_t>, std::uint8_t, equal_to, std::uint32_t,
                          in_two_launches<warp_scans<race_check ? 96 : 32>, 3>>("u32_u8_in_two_launches") &&
    add_segments_contract<sim_stream, span8, std::uint64_t, equal_to, void, wide_sums>(
        "span8_u64_pipelined_96x8_or_32x1") &&
    add_segments_contract<sim_stream, span8, std::uint16_t, equal_to, void, wide_sums>(
        "span8_u16_pipelined_96x8_or_32x1") &&
    add_segments_contract<sim_stream, segment_sums<std::uint32_t>, std::uint8_t, equal_to, std::int32_t, many_items>(
        "u32_u8_large_tile") &&
    add_narrow_segments_contracts<sim_stream, segmented_pipelined<plain_32x1, 64, race_check ? 1 : 4, 2>, void>(
        "pipelined_64") &&
    add_large_item_segments_contracts<
        sim_stream, std::conditional_t<race_check, segmented_lookback<warp_scans<64>, 1>, default_segments_policy>>() &&
    add_bounded_segments_contract<sim_stream, bounded_items, std::uint32_t,
                                  detail::segments_by_spans<warp_scans<64>, 4, 1>>("64x4");

#ifdef UPSWEEP_RACE_CHECK
// The same sizes with the race checker as without it.
const bool added_too = add_wide_segments_contract<sim_stream>() &&
                       add_segments_contract<sim_stream, span8, std::uint64_t, equal_to, std::uint32_t,
                                             segmented_lookback<warp_scans<32>, 1, 0, 100>>("span8_u64_32x1_searched");
#else
const bool added_too =
    add_floating_segments_contracts<sim_stream, segmented_lookback<warp_scans<64>, 2, 0, 1000>, std::uint32_t>(
        "64x2") &&
    add_segments_contract<sim_stream, span8, std::uint64_t, equal_to, std::int64_t,
                          segmented_lookback<warp_scans<96>, 3, 0, 4096>>("span8_u64_96x3_searched") &&
    add_bounded_segments_contract<sim_stream, segment_sums<std::uint8_t>, std::int64_t,
                                  detail::segments_by_spans<warp_scans<32>, 4, 1>>("u8_32x4");

TEST(scans_of_segments, take_any_iterator) {
  using policy = segmented_lookback<warp_scans<32>, 3>;
  constexpr std::int64_t n = 1000, length = 7;
  constexpr auto count = static_cast<std::size_t>(n);
  const steps offsets{1, length, n};
  const test_device<sim_stream> device(test_device<sim_stream>::ways()[0]);
  guarded_array<std::uint8_t, sim_stream> out(device, count);
  guarded_array<unsigned char, sim_stream> work(device, 4096);
  const workspace w{work.data(), work.size()};
  std::vector<std::uint8_t> keys(count), expected(count);
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    sum = (i % length == 0 ? 0 : sum) + squares{}[i];
    keys[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i / length);
    expected[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(sum);
  }
  out.set(keys);
  const array_iterator<std::uint8_t> same{out.data()};  // the scan is written over the keys
  ASSERT_EQ(inclusive_sum_by_key<policy>(w, same, squares{}, low_bytes{out.data()}, n, equal_to{}, device.stream()),
            status::success);
  EXPECT_TRUE(same_items(out.items(), expected));
  out.set(std::vector<std::uint8_t>(count));
  ASSERT_EQ(inclusive_sum_segmented<policy>(w, squares{}, offsets, low_bytes{out.data()}, n, ceil_div(n, length),
                                            device.stream()),
            status::success);
  EXPECT_TRUE(same_items(out.items(), expected));
}
#endif

}  // namespace
}  // namespace upsweep::test
