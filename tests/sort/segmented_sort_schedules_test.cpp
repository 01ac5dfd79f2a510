// Segmented sorts under all schedules of few preemptions: blocks that list segments and hand on what is no row, count
// the digits of one segment, wait for the pass before, and look back within their segment, from launch to launch too.
// Blocks are of one warp, tiles of 32 keys, and digits of one bit.
#include "contracts/segmented_sort_contract.hpp"
#include "support/explored.hpp"
#include "support/race_check.hpp"

namespace upsweep::test {
namespace {

/// Warps sort up to 16 items, blocks up to 32, and passes all others, each launched by itself for two tiles at a time.
struct talking_classes : detail::segments_fixed<1, 32, 1, 32, 1, detail::onesweep_tile<32, 1, 1>> {
  static constexpr int threads = 32;
  static constexpr std::int64_t portion_items = 2 * 32;
  static constexpr std::int64_t items_of_more_launches = INT64_MAX;
  static constexpr bool are_one_launch(std::int64_t, std::int64_t, int) { return false; }
  template <class Key>
  using code_blocks = std::tuple<small_block<Key, no_value>, middle_block<Key, no_value>>;
  static constexpr bool has_block(int l, std::int64_t, std::int64_t, bool) { return l < 2; }
};
/// The same, all passes by one launch.
struct one_launch : talking_classes {
  static constexpr std::int64_t portion_items = 1 << 20;
  static constexpr bool are_one_launch(std::int64_t, std::int64_t, int) { return true; }
};
/// Pairs as rows, and what is none by the list that the rows' kernel makes.
struct in_rows : one_launch {
  static constexpr std::int64_t items_of_more_launches = 0;
};

/// By `bits` bits of the keys; with their places as values or alone.
template <class Classes, class Key>
void sorts_right(const std::vector<std::int64_t>& lengths, int bits, bool with_places, int most) {
  using policy = detail::segmented_radix_sort<Classes>;
  const segments_of_lengths s(lengths);
  const auto keys = random_items<Key>(s.n(), 3);
  const auto n = static_cast<std::int64_t>(s.n()), segments = static_cast<std::int64_t>(lengths.size());
  const bit_range range{0, bits};
  const auto low = [bits](Key k) { return k & ((std::uint64_t{1} << bits) - 1); };
  const auto from = segmented_places(keys, n, s.begins, s.ends, [&](Key a, Key b) { return low(a) < low(b); });
  std::vector<std::int32_t> places, none(s.n(), -1);
  for (std::size_t i = 0, at = 0; i < lengths.size(); ++i) {
    for (std::int64_t j = 0; j < lengths[i]; ++j, ++at) {
      places.push_back(static_cast<std::int32_t>(from[at] - s.begins[i]));
    }
  }
  const std::vector<Key> nothing(s.n(), 0);
  const auto expected = moved_items(nothing, keys, from);
  const test_device<sim_stream> memory(explored());
  guarded_array<Key, sim_stream> in(memory, keys), out(memory, s.n());
  guarded_array<std::int32_t, sim_stream> places_out(memory, s.n());
  const guarded_array<std::int64_t, sim_stream> begin(memory, s.begins), end(memory, s.ends);
  const Key* const keys_in = in.data();
  const std::size_t bytes =
      with_places ? segmented_argsort_workspace_bytes<policy>(keys_in, places_out.data(), begin.data(), end.data(), n,
                                                              segments, sort_order::ascending, range)
                  : segmented_sort_keys_workspace_bytes<policy>(keys_in, out.data(), begin.data(), end.data(), n,
                                                                segments, sort_order::ascending, range);
  guarded_array<unsigned char, sim_stream> work(memory, bytes);
  // What a schedule leaves would stand in for what the next one does not write.
  const std::vector<unsigned char> noise(bytes, 0xa5);
  under_all_schedules(most, [&](test_device<sim_stream>& device) {
    work.set_bytes(noise);
    work.forget();
    const workspace w{work.data(), bytes};
    if (with_places) {
      places_out.set(none);
      ASSERT_EQ(segmented_argsort<policy>(w, keys_in, places_out.data(), begin.data(), end.data(), n, segments,
                                          sort_order::ascending, range, device.stream()),
                status::success)
          << device.message();
      ASSERT_TRUE(same_items(places_out.items(), places));
    } else {
      out.set(nothing);
      ASSERT_EQ(segmented_sort_keys<policy>(w, keys_in, out.data(), begin.data(), end.data(), n, segments,
                                            sort_order::ascending, range, device.stream()),
                status::success)
          << device.message();
      ASSERT_TRUE(same_items(out.items(), expected));
    }
  });
  work.expect_guards();
  in.expect_unchanged();
}

TEST(segmented_sort_schedules, passes_of_one_launch) {
  sorts_right<one_launch, std::uint8_t>({40, 70}, 2, false, 1);
}
TEST(segmented_sort_schedules, passes_of_one_launch_with_values) {
  sorts_right<one_launch, std::uint8_t>({70, 33}, 2, true, 1);
}
TEST(segmented_sort_schedules, passes_launched_for_two_tiles_at_a_time) {
  sorts_right<talking_classes, std::uint8_t>({33, 170}, 2, false, 1);
}
TEST(segmented_sort_schedules, lists_of_four_warps) {
  sorts_right<one_launch, std::uint8_t>({20, 34, 33, 3, 17, 35, 1, 20}, 1, false, 1);
}
TEST(segmented_sort_schedules, rows_of_pairs_and_what_is_none) {
  sorts_right<in_rows, std::uint8_t>({3, 60, 2, 50, 1, 3, 49, 2, 4}, 2, true, 1);
}

}  // namespace
}  // namespace upsweep::test
