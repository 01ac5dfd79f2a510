#include "contracts/segmented_sort_contract.hpp"

namespace upsweep::test {
namespace {

// Warps of up to 64 items, blocks of two warps, and tiles of 512 keys, so that few keys are large segments. Where
// passes are launches of their own, these are of three tiles, so that segments go over from one to the next.
struct short_classes : detail::segments_fixed<4, 64, 2, 64, 4, detail::onesweep_tile<256, 2>> {
  static constexpr std::int64_t portion_items = 3 * 512;
};

/// One block sorts the segments of a list one after the other, in the same shared memory, by `bits` bits of keys.
template <class Key, class Sort>
void expect_list_sorted(test_device<sim_stream>& d, const std::vector<std::int64_t>& lengths, int bits,
                        std::uint32_t some = ~0u, sort_order order = sort_order::ascending) {
  std::vector<detail::listed_segment> list;
  std::vector<Key> keys;
  random_source random(7);
  for (const std::int64_t items : lengths) {
    list.push_back({static_cast<std::int64_t>(keys.size()), items, 0});
    for (std::int64_t i = 0; i < items; ++i) {
      keys.push_back(static_cast<Key>(random.below(std::uint64_t{1} << bits) & some));
    }
  }
  std::vector<Key> expected = keys;
  for (const auto& of : list) {
    const auto first = expected.begin() + of.begin, last = first + of.items;
    std::sort(first, last);
    if (order == sort_order::descending) std::reverse(first, last);
  }
  guarded_array<Key, sim_stream> in(d, keys), out(d, keys.size());
  const guarded_array<detail::listed_segment, sim_stream> segments(d, list);
  const guarded_array<std::uint64_t, sim_stream> count(d, std::vector<std::uint64_t>{list.size()});
  const auto* const keys_in = static_cast<const Key*>(in.data());
  ASSERT_EQ(d.executor().launch(1, detail::listed_segments_kernel<Sort>{}, detail::key_digits<Key>{order},
                                bit_range{0, bits}, static_cast<const detail::listed_segment*>(segments.data()),
                                static_cast<const std::uint64_t*>(count.data()), static_cast<std::int64_t>(list.size()),
                                keys_in, out.data(), detail::carried_values<detail::no_value>{}),
            status::success)
      << d.message();
  EXPECT_EQ(out.items(), expected);
}

/// Whether a network sorts zeros and ones; what does sorts all words that compare as some of these do.
template <class Network>
bool sorts_bits(std::uint32_t bits) {
  std::uint32_t word[13];
  for (int i = 0; i < 13; ++i) word[i] = bits >> i & 1;
  detail::order_by<Network>(word, detail::ordering{detail::unit_factors{}});
  return std::is_sorted(word, word + 13);
}

TEST(sorting_network, of_13_words) {
  for (std::uint32_t bits = 0; bits < 1u << 13; ++bits) {
    ASSERT_TRUE(sorts_bits<detail::sort_of_13>(bits)) << bits;
  }
}

// Of words that rise and fall, and those behind any of them in a circle, each bound leaves ones that are neighbours
// there.
TEST(sorting_network, of_13_bitonic_words) {
  for (int ones = 0; ones <= 13; ++ones) {
    for (int first = 0; first < 13; ++first) {
      std::uint32_t bits = 0;
      for (int i = 0; i < ones; ++i) bits |= 1u << (first + i) % 13;
      ASSERT_TRUE(sorts_bits<detail::bitonic_merge_of_13>(bits)) << bits;
    }
  }
}

const bool added = [] {
  using device = test_device<sim_stream>;
  add_test<sim_stream>("segmented_sort/list", "is_sorted_by_one_block", [](device& d) {
    expect_list_sorted<std::uint32_t, detail::single_block_sort_kernel<std::uint32_t, detail::no_value, 64, 2, 1>>(
        d, {100, 128, 65}, 16);
  });
  // Digits that all keys share, of which the first and the last are cases of their own.
  add_test<sim_stream>("segmented_sort/list", "is_sorted_in_registers", [](device& d) {
    for (const std::uint32_t some : {~0u, 0xffff'ff00u, 0x00ff'ffffu, 0x00ff'0000u, 0x0000'0003u, 0u}) {
      SCOPED_TRACE(some);
      using sort = detail::block_code_sort_kernel<std::uint32_t, 256, 4, 2, 1>;
      expect_list_sorted<std::uint32_t, sort>(d, {1024, 1, 513, 2, 511, 1023, 32, 33, 700}, 32, some);
      expect_list_sorted<std::uint32_t, sort>(d, {1000, 31, 256}, 32, some, sort_order::descending);
    }
    expect_list_sorted<std::uint8_t, detail::block_code_sort_kernel<std::uint8_t, 256, 2, 2, 1>>(d, {512, 300, 7}, 8);
    expect_list_sorted<std::int16_t, detail::block_code_sort_kernel<std::int16_t, 256, 2, 1, 1>>(
        d, {511, 257, 40}, 16, ~0u, sort_order::descending);
  });
  add_segmented_sort_contract<detail::segmented_radix_sort<short_classes>, sim_stream>("segmented_sort/short",
                                                                                       {64, 128, 256, 512, 1024});
  if (!race_check) {
    add_segmented_sort_contract<segments_of_few_items, sim_stream>("segmented_sort", {512, 1024, 4096, 12288});
  }
  return true;
}();

}  // namespace
}  // namespace upsweep::test
