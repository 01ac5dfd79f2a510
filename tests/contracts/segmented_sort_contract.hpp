// What a sort of segments promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/segmented_sort_with_values.cuh"

namespace upsweep::test {

using segment_ends = std::vector<std::int64_t>;

/// The default policy, in which what pays for many items alone sorts few, too.
struct classes_of_few_items : detail::segments_tuned {
  static constexpr std::int64_t average_in_rows = 24;
  static constexpr std::int64_t items_of_more_launches = 0;
  static constexpr std::int64_t items_of_wide_tiles = 0;
  static constexpr bool has_block(int, std::int64_t, std::int64_t, bool) { return true; }
};
using segments_of_few_items = detail::segmented_radix_sort<classes_of_few_items>;

/// Begins and ends of neighbouring segments of these lengths.
struct segments_of_lengths {
  segment_ends begins, ends;
  explicit segments_of_lengths(const std::vector<std::int64_t>& lengths, std::int64_t gap = 0) {
    std::int64_t at = gap;
    for (const std::int64_t length : lengths) {
      begins.push_back(at);
      ends.push_back(at + length);
      at += length + gap;
    }
  }
  std::size_t n() const { return ends.empty() ? 0 : static_cast<std::size_t>(ends.back()); }
};

/// Where the item of each place comes from, by loops; -1 outside of all segments.
template <class Key, class Less>
std::vector<std::int64_t> segmented_places(const std::vector<Key>& keys, std::int64_t n, const segment_ends& begins,
                                           const segment_ends& ends, Less less) {
  std::vector<std::int64_t> from(keys.size(), -1);
  for (std::size_t s = 0; s < begins.size(); ++s) {
    if (begins[s] < 0 || begins[s] > ends[s] || ends[s] > n) continue;
    const auto first = from.begin() + begins[s], last = from.begin() + ends[s];
    std::iota(first, last, begins[s]);
    std::stable_sort(first, last, [&](std::int64_t a, std::int64_t b) {
      return less(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
    });
  }
  return from;
}

template <class T>
std::vector<T> moved_items(std::vector<T> before, const std::vector<T>& items, const std::vector<std::int64_t>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) before[i] = items[static_cast<std::size_t>(from[i])];
  }
  return before;
}

/// Sorts keys alone and with values, and compares. `n` and `segments` may be device_counts of as many as given.
template <class Policy, class Key, class Value, class Stream, class Count, class Segments, class Less>
void expect_segments_sorted(test_device<Stream>& d, const std::vector<Key>& keys, const std::vector<Value>& values,
                            const segment_ends& begins, const segment_ends& ends, Count n, Segments segments,
                            const std::vector<std::int64_t>& from, sort_order order, bit_range bits, Less) {
  guarded_array<Key, Stream> keys_in(d, keys, sizeof(Key)), keys_out(d, keys.size(), 3 * sizeof(Key));
  guarded_array<Value, Stream> values_in(d, values, sizeof(Value)), values_out(d, keys.size(), 3 * sizeof(Value));
  guarded_array<std::int64_t, Stream> begin(d, begins), end(d, ends);
  const Key* const in = keys_in.data();
  const Value* const values_from = values_in.data();
  const std::vector<Key> keys_before = keys_out.items();
  const std::vector<Value> values_before = values_out.items();
  {
    const std::size_t bytes = segmented_sort_keys_workspace_bytes<Policy>(in, keys_out.data(), begin.data(), end.data(),
                                                                          n, segments, order, bits);
    guarded_array<unsigned char, Stream> work(d, bytes, 5);
    ASSERT_EQ(static_cast<status>(segmented_sort_keys<Policy>(workspace{work.data(), bytes}, in, keys_out.data(),
                                                              begin.data(), end.data(), n, segments, order, bits,
                                                              d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(keys_out.items(), moved_items(keys_before, keys, from))) << "keys alone";
    work.expect_guards();
  }
  keys_out.set(keys_before);
  const std::size_t bytes = segmented_sort_pairs_workspace_bytes<Policy>(
      in, keys_out.data(), values_from, values_out.data(), begin.data(), end.data(), n, segments, order, bits);
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  ASSERT_EQ(static_cast<status>(segmented_sort_pairs<Policy>(workspace{work.data(), bytes}, in, keys_out.data(),
                                                             values_from, values_out.data(), begin.data(), end.data(),
                                                             n, segments, order, bits, d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(keys_out.items(), moved_items(keys_before, keys, from))) << "keys of pairs";
  EXPECT_TRUE(same_items(values_out.items(), moved_items(values_before, values, from))) << "values";
  work.expect_guards();
  {
    // The place of each item in its segment.
    std::vector<std::int32_t> expected(keys.size());
    guarded_array<std::int32_t, Stream> places(d, keys.size(), 4);
    const std::vector<std::int32_t> places_before = places.items();
    expected = places_before;
    for (std::size_t s = 0; s < begins.size(); ++s) {
      for (std::int64_t i = begins[s]; i >= 0 && i < ends[s] && i < static_cast<std::int64_t>(from.size()); ++i) {
        const std::int64_t stood = from[static_cast<std::size_t>(i)];
        if (stood >= 0) expected[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(stood - begins[s]);
      }
    }
    const std::size_t of_places = segmented_argsort_workspace_bytes<Policy>(in, places.data(), begin.data(), end.data(),
                                                                            n, segments, order, bits);
    guarded_array<unsigned char, Stream> places_work(d, of_places, 3);
    ASSERT_EQ(
        static_cast<status>(segmented_argsort<Policy>(workspace{places_work.data(), of_places}, in, places.data(),
                                                      begin.data(), end.data(), n, segments, order, bits, d.stream())),
        status::success)
        << d.message();
    EXPECT_TRUE(same_items(places.items(), expected)) << "places";
    places_work.expect_guards();
  }
  keys_in.expect_unchanged();
  values_in.expect_unchanged();
  begin.expect_unchanged();
  end.expect_unchanged();
}

/// The same on the host's counts, of u32 keys of few values with wide values of their places.
template <class Policy, class Stream>
void expect_segments_sorted(test_device<Stream>& d, const segment_ends& begins, const segment_ends& ends, std::size_t n,
                            sort_order order = sort_order::ascending, bit_range bits = {}) {
  auto keys = random_items<std::uint32_t>(n, 3);
  for (std::uint32_t& k : keys) k = k % 50 * 0x01030507u;
  std::vector<std::uint64_t> values(n);
  std::iota(values.begin(), values.end(), std::uint64_t{7} << 33);
  const auto part = [&](std::uint32_t k) {
    const int end = bits.end == bit_range::full_width ? 32 : bits.end;
    return (k & ((std::uint64_t{1} << end) - 1)) >> bits.begin;
  };
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return order == sort_order::ascending ? part(a) < part(b) : part(b) < part(a);
  };
  const auto count = static_cast<std::int64_t>(n);
  const auto from = segmented_places(keys, count, begins, ends, less);
  expect_segments_sorted<Policy>(d, keys, values, begins, ends, count, static_cast<std::int64_t>(begins.size()), from,
                                 order, bits, less);
}

/// Keys and arrays of rows of 1, 8 and 12 bytes, of which some items lie in no segment.
template <class Policy, class Stream>
void expect_rows_go_along(test_device<Stream>& d, const segments_of_lengths& s) {
  struct wide {
    std::uint32_t word[3];
    bool operator==(const wide& o) const { return std::equal(word, word + 3, o.word); }
  };
  const std::size_t n = s.n() + 7;
  auto keys = random_items<std::uint32_t>(n, 3);
  for (std::uint32_t& k : keys) k = k % 50 * 0x01030507u;
  const auto bytes = random_items<std::uint8_t>(n, 4);
  const auto longs = random_items<std::uint64_t>(n, 5);
  std::vector<wide> wides(n);
  for (std::uint32_t i = 0; i < n; ++i) wides[i] = {{i, ~i, i * 7}};
  const auto items = static_cast<std::int64_t>(n), segments = static_cast<std::int64_t>(s.begins.size());
  guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, n);
  guarded_array<std::uint8_t, Stream> bytes_in(d, bytes, 1), bytes_out(d, n, 3);
  guarded_array<std::uint64_t, Stream> longs_in(d, longs), longs_out(d, n);
  guarded_array<wide, Stream> wides_in(d, wides, 4), wides_out(d, n, 8);
  guarded_array<std::int64_t, Stream> begin(d, s.begins), end(d, s.ends);
  const auto bytes_before = bytes_out.items();
  const auto longs_before = longs_out.items();
  const auto wides_before = wides_out.items();
  const auto keys_before = keys_out.items();
  const std::uint32_t* const in = keys_in.data();
  const std::tuple arrays{value_array{bytes_in.data(), bytes_out.data()},
                          value_array{longs_in.data(), longs_out.data()},
                          value_array{wides_in.data(), wides_out.data()}};
  for (const std::int64_t seen : {items, items / 2}) {
    SCOPED_TRACE(seen);
    const guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{seen});
    const device_count of_items{count.data(), items};
    const std::size_t needed = segmented_sort_with_values_workspace_bytes<Policy>(
        in, keys_out.data(), arrays, begin.data(), end.data(), of_items, segments);
    guarded_array<unsigned char, Stream> work(d, needed, 5);
    const auto call = [&](std::size_t has) {
      return static_cast<status>(segmented_sort_with_values<Policy>(
          workspace{work.data(), has}, in, keys_out.data(), arrays, begin.data(), end.data(), of_items, segments,
          sort_order::descending, bit_range{}, d.stream()));
    };
    keys_out.set(keys_before), bytes_out.set(bytes_before), longs_out.set(longs_before), wides_out.set(wides_before);
    EXPECT_EQ(call(needed - 1), status::invalid_value);
    keys_out.expect_unchanged();
    work.expect_unchanged();
    // A place, if it were one.
    if (seen == items) work.set_bytes(std::vector<unsigned char>(needed, 0));
    ASSERT_EQ(call(needed), status::success) << d.message();
    const auto from = segmented_places(keys, seen, s.begins, s.ends, std::greater<>{});
    EXPECT_TRUE(same_items(keys_out.items(), moved_items(keys_before, keys, from)));
    EXPECT_TRUE(same_items(bytes_out.items(), moved_items(bytes_before, bytes, from)));
    EXPECT_TRUE(same_items(longs_out.items(), moved_items(longs_before, longs, from)));
    EXPECT_TRUE(wides_out.items() == moved_items(wides_before, wides, from));
    work.expect_guards();
  }
  bytes_in.expect_unchanged();
  longs_in.expect_unchanged();
  wides_in.expect_unchanged();
  // An array that is missing, or that another one is written over.
  const auto refused = [&](const std::uint8_t* from, std::uint8_t* to) {
    bytes_out.set(bytes_before), keys_out.set(keys_before);
    guarded_array<unsigned char, Stream> work(
        d, segmented_sort_with_values_workspace_bytes<Policy>(in, keys_out.data(), arrays, begin.data(), end.data(),
                                                              items, segments));
    EXPECT_EQ(static_cast<status>(segmented_sort_with_values<Policy>(
                  workspace{work.data(), work.items().size()}, in, keys_out.data(), std::tuple{value_array{from, to}},
                  begin.data(), end.data(), items, segments, sort_order::ascending, bit_range{}, d.stream())),
              status::invalid_value);
    keys_out.expect_unchanged();
    bytes_out.expect_unchanged();
  };
  refused(nullptr, bytes_out.data());
  refused(bytes_in.data(), nullptr);
  refused(bytes_in.data(), bytes_in.data() + 1);
  refused(bytes_in.data(), reinterpret_cast<std::uint8_t*>(keys_out.data()));
}

/// Of a method with limits so small that `lengths` pass them all.
template <class Policy, class Stream>
void add_segmented_sort_contract(const std::string& suite, const std::vector<std::int64_t>& limits) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  std::vector<std::int64_t> around{0, 1, 2, 31, 32, 33};
  for (const std::int64_t limit : limits) {
    for (const std::int64_t off : {-1, 0, 1}) around.push_back(limit + off);
  }
  const auto mixed = [around](std::size_t count) {
    random_source random(count);
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < count; ++i) {
      lengths.push_back(random() % 4 == 0 ? around[random() % around.size()]
                                          : static_cast<std::int64_t>(random() % 40));
    }
    return lengths;
  };

  add("sorts_keys_of_more_bits_than_a_word", [around](device& d) {
    const segments_of_lengths segments(around);
    auto keys = random_items<std::uint64_t>(segments.n(), 11);
    for (std::uint64_t& k : keys) k &= 0x0300'0000'0700'0003;  // equal in many bits
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 5u);
    const auto n = static_cast<std::int64_t>(keys.size());
    const auto less = [](std::uint64_t a, std::uint64_t b) { return a < b; };
    const auto from = segmented_places(keys, n, segments.begins, segments.ends, less);
    expect_segments_sorted<Policy>(d, keys, values, segments.begins, segments.ends, n,
                                   static_cast<std::int64_t>(segments.begins.size()), from, sort_order::ascending, {},
                                   less);
  });
  add("sorts_keys_that_differ_in_their_lowest_bits_alone", [around](device& d) {
    const segments_of_lengths segments(around);
    const auto n = static_cast<std::int64_t>(segments.n());
    const auto any = random_items<std::uint32_t>(segments.n(), 7);
    std::vector<std::uint16_t> values(segments.n());
    std::iota(values.begin(), values.end(), std::uint16_t{9});
    for (const std::uint32_t some : {0xc000'0007u, 0x8000'0001u, 0xffff'fff0u}) {
      auto keys = any;
      for (std::uint32_t& k : keys) k &= some;
      const auto less = [](std::uint32_t a, std::uint32_t b) { return a < b; };
      const auto from = segmented_places(keys, n, segments.begins, segments.ends, less);
      expect_segments_sorted<Policy>(d, keys, values, segments.begins, segments.ends, n,
                                     static_cast<std::int64_t>(segments.begins.size()), from, sort_order::ascending, {},
                                     less);
    }
  });
  // Their codes are not their bits; both zeros have one.
  add("sorts_signed_keys_and_floats_both_ways", [around](device& d) {
    const segments_of_lengths segments(around);
    const auto n = static_cast<std::int64_t>(segments.n());
    std::vector<std::uint8_t> values(segments.n());
    std::iota(values.begin(), values.end(), std::uint8_t{0});
    const auto sorts = [&](const auto& keys) {
      for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        const auto less = [&](const auto& a, const auto& b) { return order == sort_order::ascending ? a < b : b < a; };
        const auto from = segmented_places(keys, n, segments.begins, segments.ends, less);
        expect_segments_sorted<Policy>(d, keys, values, segments.begins, segments.ends, n,
                                       static_cast<std::int64_t>(segments.begins.size()), from, order, {}, less);
      }
    };
    const auto numbers = random_items<std::int32_t>(segments.n(), 13);
    std::vector<float> floats;
    for (const std::int32_t k : numbers) {
      floats.push_back(k % 3 == 0 ? (k < 0 ? -0.0f : 0.0f) : static_cast<float>(k));
    }
    sorts(numbers);
    sorts(floats);
  });
  add("several_arrays_of_values_go_along", [=](device& d) {
    expect_rows_go_along<Policy>(d, segments_of_lengths(mixed(60), 2));
    expect_rows_go_along<Policy>(d, segments_of_lengths({5 * limits.back() + 3, 0, 700}, 1));
  });
  add("one_segment_around_every_limit", [=](device& d) {
    for (const std::int64_t length : around) {
      SCOPED_TRACE(length);
      const segments_of_lengths s({length});
      expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n());
    }
  });
  add("every_length_up_to_twice_a_warps_and_more", [=](device& d) {
    std::vector<std::int64_t> lengths(130);
    std::iota(lengths.begin(), lengths.end(), std::int64_t{0});
    const segments_of_lengths s(lengths);
    expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n());
  });
  // Of few items each, so many that a warp has more than one for each lane, whose items fill its rows in part, wholly,
  // and more than once; and with a gap between two of them, which are no neighbours.
  add("many_short_neighbours_of_many_lengths", [=](device& d) {
    for (const std::uint64_t longest : {1, 2, 3, 5, 9, 19, 31, 48, 49}) {
      SCOPED_TRACE(longest);
      random_source random(longest);
      std::vector<std::int64_t> lengths(longest < 10 ? 2500 / longest : 150);
      for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(random() % (longest + 1));
      const segments_of_lengths s(lengths), apart(lengths, 1);
      expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n());
      expect_segments_sorted<Policy>(d, apart.begins, apart.ends, apart.n());
      segments_of_lengths backwards = s;
      std::reverse(backwards.begins.begin(), backwards.begins.end());
      std::reverse(backwards.ends.begin(), backwards.ends.end());
      expect_segments_sorted<Policy>(d, backwards.begins, backwards.ends, s.n());
      expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n(), sort_order::descending, {3, 25});
      const auto values = random_items<std::uint32_t>(s.n(), 4);
      const auto n = static_cast<std::int64_t>(s.n());
      const auto sorts = [&](auto keys, auto some) {
        for (auto& k : keys) k &= some;
        expect_segments_sorted<Policy>(d, keys, values, s.begins, s.ends, n, static_cast<std::int64_t>(s.begins.size()),
                                       segmented_places(keys, n, s.begins, s.ends, std::less<>{}),
                                       sort_order::ascending, bit_range{}, std::less<>{});
      };
      sorts(random_items<std::uint64_t>(s.n(), longest), std::uint64_t{0x0300'0000'0700'0003});
      // Of a word with a key's slot, some have no room for the bits in which keys differ.
      sorts(random_items<std::uint32_t>(s.n(), longest), 0x8000'000fu);
      sorts(random_items<std::uint32_t>(s.n(), longest), 0x8000'8040u);
    }
  });
  // Where all segments of so many lanes have at most 13 items a lane, and where one has more.
  add("segments_that_leave_their_lanes_room", [=](device& d) {
    for (const std::int64_t lanes : {2, 4, 8, 16, 32}) {
      SCOPED_TRACE(lanes);
      for (const std::int64_t longest : {13 * lanes, 13 * lanes + 1}) {
        random_source random(static_cast<std::uint64_t>(longest));
        std::vector<std::int64_t> lengths{longest};
        for (std::int64_t i = 0; i < 256 / lanes; ++i) {
          lengths.push_back(8 * lanes + 1 +
                            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(5 * lanes)));
        }
        for (const std::int64_t gap : {0, 3}) {
          const segments_of_lengths s(lengths, gap);
          const auto n = static_cast<std::int64_t>(s.n());
          const auto values = random_items<std::uint32_t>(s.n(), 4);
          // Of a word with a key's place, the latter have no room for the bits in which keys differ.
          for (const std::uint32_t some : {~0u, 0x8000'000fu}) {
            auto keys = random_items<std::uint32_t>(s.n(), 6);
            for (std::uint32_t& k : keys) k &= some;
            expect_segments_sorted<Policy>(d, keys, values, s.begins, s.ends, n,
                                           static_cast<std::int64_t>(s.begins.size()),
                                           segmented_places(keys, n, s.begins, s.ends, std::less<>{}),
                                           sort_order::ascending, bit_range{}, std::less<>{});
          }
          expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n(), sort_order::descending);
        }
      }
    }
  });
  // The worst for neighbours that change places: the last key of a segment goes to its front, and back.
  add("short_neighbours_in_the_reverse_order", [=](device& d) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 150; ++i) lengths.push_back(i * 7 % 49);
    const segments_of_lengths s(lengths);
    std::vector<std::uint32_t> keys, values;
    for (std::uint32_t i = 0; i < s.n(); ++i) {
      keys.push_back(~i);
      values.push_back(i);
    }
    const auto n = static_cast<std::int64_t>(s.n());
    expect_segments_sorted<Policy>(d, keys, values, s.begins, s.ends, n, static_cast<std::int64_t>(s.begins.size()),
                                   segmented_places(keys, n, s.begins, s.ends, std::less<>{}), sort_order::ascending,
                                   bit_range{}, std::less<>{});
  });
  add("lengths_of_every_class_beside_each_other", [=](device& d) {
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
      const segments_of_lengths neighbours(mixed(150)), apart(mixed(70), 3);
      expect_segments_sorted<Policy>(d, neighbours.begins, neighbours.ends, neighbours.n(), order);
      expect_segments_sorted<Policy>(d, apart.begins, apart.ends, apart.n() + 5, order);
    }
  });
  add("empty_segments_first_last_and_all", [=](device& d) {
    const std::int64_t large = limits.back() + 5;
    for (const auto& lengths : {std::vector<std::int64_t>{0, 0, 5, large, 0}, {0, 0, 0}, {7, 0, 0, 0, 40}}) {
      const segments_of_lengths s(lengths);
      expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n());
    }
    const segments_of_lengths none({});
    expect_segments_sorted<Policy>(d, none.begins, none.ends, 9);
  });
  add("one_huge_among_many_tiny", [=](device& d) {
    std::vector<std::int64_t> lengths(500);
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::int64_t>(i % 5);
    lengths[333] = 6 * limits.back() + 3;
    const segments_of_lengths s(lengths);
    expect_segments_sorted<Policy>(d, s.begins, s.ends, s.n());
  });
  add("segments_in_any_order_by_any_bits", [=](device& d) {
    segments_of_lengths s(mixed(60), 1);
    std::reverse(s.begins.begin(), s.begins.end());
    const std::size_t n = s.n();
    std::reverse(s.ends.begin(), s.ends.end());
    for (const bit_range bits : {bit_range{3, 4}, {5, 25}, {24, 32}, {0, 0}, {32, 32}}) {
      expect_segments_sorted<Policy>(d, s.begins, s.ends, n, sort_order::ascending, bits);
    }
  });
  add("segments_that_decrease_or_lie_outside_are_empty", [=](device& d) {
    const std::int64_t large = limits.back() + 9, n = large + 200;
    const segment_ends begins{-5, 0, 100, n - 3, large + 100, n + 8, INT64_MIN, large + 150, 99};
    const segment_ends ends{40, 50, large + 100, n + 1, n - 60, n + 9, INT64_MAX, large + 20, INT64_MIN};
    expect_segments_sorted<Policy>(d, begins, ends, static_cast<std::size_t>(n));
  });
  // Only memory is looked at: what overlapping segments hold is not told.
  add("segments_that_overlap_stay_inside_the_arrays", [=](device& d) {
    if (race_check) return;  // they write the same items
    const std::int64_t n = 3 * limits.back();
    segment_ends begins, ends;
    for (std::int64_t i = 0; i < 200; ++i) {
      begins.push_back(i);
      ends.push_back(i % 3 == 0 ? i + 40 : i % 3 == 1 ? i + limits[0] : n - i);
    }
    const auto keys = random_items<std::uint32_t>(static_cast<std::size_t>(n), 5);
    guarded_array<std::uint32_t, Stream> in(d, keys), out(d, keys.size());
    guarded_array<std::int64_t, Stream> begin(d, begins), end(d, ends);
    const std::uint32_t* const from = in.data();
    const std::size_t bytes =
        segmented_sort_keys_workspace_bytes<Policy>(from, out.data(), begin.data(), end.data(), n, 200);
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(segmented_sort_keys<Policy>(workspace{work.data(), bytes}, from, out.data(),
                                                              begin.data(), end.data(), n, 200, sort_order::ascending,
                                                              bit_range{}, d.stream())),
              status::success)
        << d.message();
    in.expect_unchanged();
    out.expect_guards();
    work.expect_guards();
  });
  add("as_many_items_and_segments_as_the_device_counts", [=](device& d) {
    const segments_of_lengths s(mixed(80));
    const auto n = static_cast<std::int64_t>(s.n()), segments = static_cast<std::int64_t>(s.begins.size());
    const auto keys = random_items<std::uint32_t>(s.n(), 8);
    const auto values = random_items<std::uint8_t>(s.n(), 9);
    for (const auto& [items, some] :
         {std::pair{n, segments / 2}, {n / 2, segments}, {n + 9, segments + 9}, {-4, 3}, {n, -1}}) {
      const guarded_array<std::int64_t, Stream> counts(d, std::vector<std::int64_t>{items, some});
      const auto seen = static_cast<std::ptrdiff_t>(std::clamp(some, std::int64_t{0}, segments));
      const auto from =
          segmented_places(keys, std::clamp(items, std::int64_t{0}, n), {s.begins.begin(), s.begins.begin() + seen},
                           {s.ends.begin(), s.ends.begin() + seen}, std::less<>{});
      expect_segments_sorted<Policy>(d, keys, values, s.begins, s.ends, device_count<std::int64_t>{counts.data(), n},
                                     device_count<std::int64_t>{counts.data() + 1, segments}, from,
                                     sort_order::ascending, {}, std::less<>{});
    }
  });
  add("refuses_wrong_arguments_and_touches_nothing", [=](device& d) {
    guarded_array<std::uint32_t, Stream> in(d, random_items<std::uint32_t>(40, 1)), out(d, 40);
    guarded_array<std::int64_t, Stream> offsets(d, std::vector<std::int64_t>{0, 20, 40});
    const std::size_t bytes = segmented_sort_keys_workspace_bytes<Policy>(
        static_cast<const std::uint32_t*>(in.data()), out.data(), offsets.data(), offsets.data() + 1, 40, 2);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto call = [&](std::size_t has, const std::uint32_t* from, std::uint32_t* to, const std::int64_t* begins,
                          std::int64_t n, std::int64_t segments, bit_range bits = {}) {
      return static_cast<status>(segmented_sort_keys<Policy>(workspace{work.data(), has}, from, to, begins,
                                                             offsets.data() + 1, n, segments, sort_order::ascending,
                                                             bits, d.stream()));
    };
    EXPECT_EQ(call(bytes - 1, in.data(), out.data(), offsets.data(), 40, 2), status::invalid_value);
    EXPECT_EQ(call(bytes, nullptr, out.data(), offsets.data(), 40, 2), status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), nullptr, offsets.data(), 40, 2), status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), out.data(), nullptr, 40, 2), status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), -1, 2), status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), 40, -1), status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), in.data(), offsets.data(), 40, 2), status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), out.data(), reinterpret_cast<std::int64_t*>(out.data()), 40, 2),
              status::invalid_value);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), 40, 2, {0, 33}), status::invalid_value);
    EXPECT_EQ(call(bytes, nullptr, nullptr, nullptr, 0, 2), status::success);
    EXPECT_EQ(call(bytes, nullptr, nullptr, nullptr, 40, 0), status::success);
    out.expect_unchanged();
    work.expect_unchanged();
  });
}

}  // namespace upsweep::test
