#include "contracts/axis_contract.hpp"
#include "support/iterators.hpp"

namespace upsweep::test {
namespace {

// Three rows a thread of the narrowest items here, and strips of 8 of them, or 16; two states at a time, so that
// look-back goes on; of one warp where the race checker has no time for more.
template <int Threads, int GroupBytes, int StripBytes>
using small = axis_lookback<Threads, GroupBytes, StripBytes, 1, 2, 2 * StripBytes, 3 * StripBytes>;
/// The same with tiles combined in groups of 5, of which a thread reads 4 at a time.
template <int Threads, int GroupBytes, int StripBytes>
using in_groups = axis_lookback<Threads, GroupBytes, StripBytes, 1, 2, 2 * StripBytes, 3 * StripBytes, 5>;
/// Strips of which two warps have three rows of the narrowest items each.
using small_strips = axis_strips<64, 24, 1, 1, 16>;
/// The same for columns; rows in tiles of 96 items, one row by look-back over tiles of 64.
template <class Columns>
using by_shape = axis_by_shape<Columns, small_strips, segmented_lookback<warp_scans<32>, 3>,
                               segmented_lookback<warp_scans<32>, 3>, decoupled_lookback<warp_scans<32>, 2>>;

const bool added =
    add_axis_contract<sim_stream, axis_spans<std::uint32_t>, by_shape<small<32, 24, 64>>>("span8_32x3") &&
    add_axis_contract<sim_stream, axis_spans<std::uint64_t>, small<64, 16, 64>>("span16_64x1") &&
    add_axis_contract<sim_stream, axis_spans<std::uint32_t>, in_groups<32, 24, 64>>("span8_32x3_groups") &&
    add_axis_contract<sim_stream, axis_spans<std::uint32_t>, small_strips>("span8_strips") &&
    add_axis_contract<sim_stream, axis_sums<float>, axis_strips<32, 20, 1, 2, 8>>("f32_strips") &&
    add_axis_contract<sim_stream, axis_sums<std::uint8_t>, by_shape<small<32, 2, 8>>>("u8_32x3");
#ifndef UPSWEEP_RACE_CHECK
const bool added_too =
    add_axis_contract<sim_stream, axis_sums<float>, small<96, 20, 96>>("f32_96x5") &&
    add_axis_contract<sim_stream, axis_spans<std::uint64_t>, small_strips>("span16_strips") &&
    add_axis_contract<sim_stream, axis_small_maps, by_shape<small<32, 24, 64>>>("maps4_32x3") &&
    add_axis_contract<sim_stream, axis_sums<float>, default_axis_policy>("f32") &&
    add_axis_contract<sim_stream, axis_sums<std::uint8_t>, axis_strips<128, 5, 1, 1, 2>>("u8_strips") &&
    add_axis_contract<sim_stream, axis_maps, small_strips>("maps64_strips") &&
    add_axis_contract<sim_stream, axis_maps, small<32, 64, 128>>("maps64_32x1");

TEST(scans_along_an_axis, take_any_iterator_and_sum_in_the_type_of_the_output) {
  const array_axis axis = along({2, 50, 3}, 1).backward();
  const auto n = static_cast<std::size_t>(axis.items());
  const test_device<sim_stream> device(test_device<sim_stream>::ways()[0]);
  guarded_array<std::uint8_t, sim_stream> low(device, n);
  guarded_array<std::uint64_t, sim_stream> wide(device, n);
  std::vector<std::uint8_t> expected_low(n);
  std::vector<std::uint64_t> expected_wide(n);
  for (std::size_t i = n; i-- > 0;) {
    const bool is_last_row = i % 150 >= 147;
    expected_wide[i] = squares{}[static_cast<std::int64_t>(i)] + (is_last_row ? 0 : expected_wide[i + 3]);
    expected_low[i] = static_cast<std::uint8_t>(expected_wide[i]);
  }
  ASSERT_EQ(inclusive_sum_axis(workspace{}, squares{}, low_bytes{low.data()}, axis, device.stream()), status::success);
  EXPECT_TRUE(same_items(low.items(), expected_low));
  ASSERT_EQ(inclusive_sum_axis(workspace{}, squares{}, wide.data(), axis, device.stream()), status::success);
  EXPECT_TRUE(same_items(wide.items(), expected_wide));
}
#endif

#ifndef UPSWEEP_RACE_CHECK
// Of some 40 chunks of each strip, whatever schedule and however many blocks at a time.
TEST(scans_along_an_axis, have_the_same_bits_under_every_schedule_in_groups_of_tiles) {
  using policy = in_groups<32, 12, 64>;
  for (const array_axis axis : {array_axis{2, 40 * policy::tiling<float>({1, 1 << 20, 7}).chunk_rows + 1, 7},
                                array_axis{1, 33 * policy::tiling<float>({1, 1 << 20, 1}).chunk_rows, 1}.backward()}) {
    const auto n = static_cast<std::size_t>(axis.items());
    std::vector<float> items(n), first;
    std::uint32_t seed = 1;
    for (float& item : items) item = static_cast<float>((seed = seed * 1664525 + 1013904223) >> 8) * 0x1p-20F - 7.3F;
    for (auto way : test_device<sim_stream>::ways()) {
      for (const int blocks : {2, 7, 100}) {
        way.options.resident_blocks = blocks;
        const test_device<sim_stream> device(way);
        guarded_array<float, sim_stream> in(device, items), out(device, n);
        guarded_array<unsigned char, sim_stream> work(
            device, inclusive_sum_axis_workspace_bytes<policy>(in.data(), out.data(), axis));
        work.forget();
        ASSERT_EQ(inclusive_sum_axis<policy>({work.data(), work.size()}, in.data(), out.data(), axis, device.stream()),
                  status::success)
            << device.message();
        if (first.empty()) first = out.items();
        ASSERT_TRUE(same_items(out.items(), first)) << way.name << ", " << blocks << " blocks";
      }
    }
  }
}
#endif

// So many blocks in flight that a window of look-back has no inclusive sum: of 100 chunks of two columns.
TEST(scans_along_an_axis, look_back_over_several_windows) {
  using policy = small<32, 24, 64>;
  using item = span_of<std::uint32_t>;
  const array_axis axis{1, 100 * policy::tiling<item>({1, 1 << 20, 2}).chunk_rows, 2};
  const auto n = static_cast<std::size_t>(axis.items());
  for (auto way : test_device<sim_stream>::ways()) {
    way.options.resident_blocks = 100;
    way.options.os_threads = 1;
    const test_device<sim_stream> device(way);
    guarded_array<std::uint32_t, sim_stream> misused(device, std::vector<std::uint32_t>{0});
    const join<std::uint32_t> op{misused.data()};
    std::vector<item> items(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto first = static_cast<std::uint32_t>(i % 2 * 100'000 + 1);
      items[i] = {first + static_cast<std::uint32_t>(i / 2), first + static_cast<std::uint32_t>(i / 2)};
      expected[i] = {first, items[i].last};
    }
    guarded_array<item, sim_stream> in(device, items), out(device, n);
    guarded_array<unsigned char, sim_stream> work(
        device, inclusive_scan_axis_workspace_bytes<policy>(in.data(), out.data(), axis, op));
    work.forget();
    ASSERT_EQ(inclusive_scan_axis<policy>({work.data(), work.size()}, in.data(), out.data(), axis, op, device.stream()),
              status::success)
        << device.message();
    EXPECT_TRUE(same_items(out.items(), expected)) << way.name;
    EXPECT_EQ(misused.items()[0], 0u) << way.name;
  }
}

}  // namespace
}  // namespace upsweep::test
