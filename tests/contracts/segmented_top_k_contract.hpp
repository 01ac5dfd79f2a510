// What the top k of segments promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "contracts/segmented_sort_contract.hpp"
#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/segmented_top_k.cuh"

namespace upsweep::test {

/// For each result, where the item comes from in all of the input, by a stable sort of each segment; -1: nothing does.
template <class Key, class Less>
std::vector<std::int64_t> places_of_top_k(const std::vector<Key>& keys, std::int64_t n, const segment_ends& begins,
                                          const segment_ends& ends, std::size_t segments, std::int64_t k,
                                          std::int64_t stride, Less less) {
  std::vector<std::int64_t> from(begins.size() * static_cast<std::size_t>(stride) + 3, -1);
  for (std::size_t s = 0; s < segments; ++s) {
    if (begins[s] < 0 || begins[s] > ends[s] || ends[s] > n) continue;
    std::vector<std::int64_t> places(static_cast<std::size_t>(ends[s] - begins[s]));
    std::iota(places.begin(), places.end(), begins[s]);
    std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
      return less(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
    });
    places.resize(std::min(places.size(), static_cast<std::size_t>(std::clamp(k, std::int64_t{0}, stride))));
    std::copy(places.begin(), places.end(), from.begin() + static_cast<std::int64_t>(s) * stride);
  }
  return from;
}

/// Takes keys alone, pairs and places, with exactly the workspace that is asked for, and compares.
template <class Policy, class Key, class Stream, class Count, class Segments, class K>
void expect_segmented_top_k(test_device<Stream>& d, const std::vector<Key>& keys, const segment_ends& begins,
                            const segment_ends& ends, Count n, Segments segments, K k,
                            const std::vector<std::int64_t>& from, sort_order order, bit_range bits = {}) {
  std::vector<std::uint16_t> values(keys.size());
  std::iota(values.begin(), values.end(), std::uint16_t{9});
  guarded_array<Key, Stream> keys_in(d, keys, sizeof(Key));
  guarded_array<std::uint16_t, Stream> values_in(d, values, 2), values_out(d, from.size(), 2);
  guarded_array<std::int64_t, Stream> begin(d, begins), end(d, ends);
  guarded_array<std::int64_t, Stream> places(d, from.size());
  const Key* const in = keys_in.data();
  const std::uint16_t* const values_from = values_in.data();
  const auto in_workspace = [&](std::size_t bytes, auto call) {
    guarded_array<unsigned char, Stream> work(d, bytes, 5);
    ASSERT_EQ(static_cast<status>(call(workspace{work.data(), bytes})), status::success) << d.message();
    work.expect_guards();
  };
  {
    guarded_array<Key, Stream> out(d, from.size(), sizeof(Key));
    const auto before = out.items();
    in_workspace(segmented_top_k_keys_workspace_bytes<Policy>(in, out.data(), begin.data(), end.data(), n, segments, k,
                                                              order, bits),
                 [&](workspace w) {
                   return segmented_top_k_keys<Policy>(w, in, out.data(), begin.data(), end.data(), n, segments, k,
                                                       order, bits, d.stream());
                 });
    EXPECT_TRUE(same_items(out.items(), moved_items(before, keys, from))) << "keys alone";
  }
  {
    guarded_array<Key, Stream> out(d, from.size(), sizeof(Key));
    const auto before = out.items();
    const auto values_before = values_out.items();
    in_workspace(segmented_top_k_pairs_workspace_bytes<Policy>(in, out.data(), values_from, values_out.data(),
                                                               begin.data(), end.data(), n, segments, k, order, bits),
                 [&](workspace w) {
                   return segmented_top_k_pairs<Policy>(w, in, out.data(), values_from, values_out.data(), begin.data(),
                                                        end.data(), n, segments, k, order, bits, d.stream());
                 });
    EXPECT_TRUE(same_items(out.items(), moved_items(before, keys, from))) << "keys of pairs";
    EXPECT_TRUE(same_items(values_out.items(), moved_items(values_before, values, from))) << "values";
  }
  auto expected = places.items();
  const auto stride = begins.empty() ? 1 : (from.size() - 3) / begins.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0) expected[i] = from[i] - begins[i / stride];
  }
  in_workspace(segmented_top_k_indices_workspace_bytes<Policy>(in, places.data(), begin.data(), end.data(), n, segments,
                                                               k, order, bits),
               [&](workspace w) {
                 return segmented_top_k_indices<Policy>(w, in, places.data(), begin.data(), end.data(), n, segments, k,
                                                        order, bits, d.stream());
               });
  EXPECT_TRUE(same_items(places.items(), expected)) << "places";
  keys_in.expect_unchanged();
  values_in.expect_unchanged();
  begin.expect_unchanged();
  end.expect_unchanged();
}

/// Of host counts, by all bits.
template <class Policy, class Key, class Stream>
void expect_segmented_top_k_of(test_device<Stream>& d, const std::vector<Key>& keys, const segment_ends& begins,
                               const segment_ends& ends, std::int64_t k, sort_order order) {
  const auto n = static_cast<std::int64_t>(keys.size()), segments = static_cast<std::int64_t>(begins.size());
  const auto less = [&](const Key& a, const Key& b) { return order == sort_order::ascending ? a < b : b < a; };
  const auto from = places_of_top_k(keys, n, begins, ends, begins.size(), k, k, less);
  expect_segmented_top_k<Policy>(d, keys, begins, ends, n, segments, k, from, order);
}

/// Of a policy whose blocks have room for `candidates`; for a k of more than half as many, segments are sorted.
template <class Policy, class Stream>
void add_segmented_top_k_contract(const std::string& suite, std::int64_t candidates) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr auto up = sort_order::ascending, down = sort_order::descending;
  const std::int64_t most = candidates / 2, huge = 5 * candidates + 3;
  const segments_of_lengths segments(
      {0, 1, 2, 40, most - 1, 0, most, most + 1, candidates - 1, candidates, candidates + 1, huge, 33, 0});

  add("any_lengths_and_k", [=](device& d) {
    auto keys = random_items<std::uint32_t>(segments.n(), 3);
    for (std::uint32_t& key : keys) key = key % 5000 * 0x00010501u;
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{7}, most, most + 1, candidates + 7}) {
      SCOPED_TRACE(k);
      expect_segmented_top_k_of<Policy>(d, keys, segments.begins, segments.ends, k, k % 2 == 0 ? up : down);
    }
  });
  // Keys that are each better than all before, worse, all equal, or of few values.
  add("any_distribution", [=](device& d) {
    for (const char* distribution : {"sorted", "reversed", "constant", "few_values"}) {
      const auto keys = random_keys<std::uint32_t>(segments.n(), distribution);
      for (const std::int64_t k : {std::int64_t{3}, most}) {
        SCOPED_TRACE(std::string(distribution) + " " + std::to_string(k));
        expect_segmented_top_k_of<Policy>(d, keys, segments.begins, segments.ends, k, down);
      }
    }
  });
  add("rows_that_get_better_and_then_are_of_the_worst_key", [=](device& d) {
    const std::int64_t length = 8 * candidates;
    const segments_of_lengths rows({length, length}, 1);
    std::vector<std::uint32_t> keys(rows.n(), 0);
    for (const std::int64_t begin : rows.begins) {
      for (std::int64_t i = 0; i < 2 * candidates; ++i) {
        keys[static_cast<std::size_t>(begin + i)] = static_cast<std::uint32_t>(i + 1);
      }
    }
    for (const std::int64_t k : {std::int64_t{5}, most}) {
      expect_segmented_top_k_of<Policy>(d, keys, rows.begins, rows.ends, k, down);
    }
    // Once better, then all as good.
    keys.assign(rows.n(), 2);
    for (const std::int64_t begin : rows.begins) std::fill_n(keys.begin() + begin, candidates, 1u);
    expect_segmented_top_k_of<Policy>(d, keys, rows.begins, rows.ends, most, down);
  });
  add("signed_and_wide_keys", [=](device& d) {
    auto wide = random_items<std::uint64_t>(segments.n(), 11);
    for (std::uint64_t& key : wide) key &= 0x0300'0000'0700'0003;
    expect_segmented_top_k_of<Policy>(d, wide, segments.begins, segments.ends, 20, up);
    std::vector<float> floats;
    for (const std::int32_t key : random_items<std::int32_t>(segments.n(), 13)) {
      floats.push_back(key % 3 == 0 ? (key < 0 ? -0.0f : 0.0f) : static_cast<float>(key));
    }
    expect_segmented_top_k_of<Policy>(d, floats, segments.begins, segments.ends, most, down);
  });
  add("some_bits", [=](device& d) {
    const auto keys = random_items<std::uint32_t>(segments.n(), 2);
    const auto n = static_cast<std::int64_t>(keys.size()), count = static_cast<std::int64_t>(segments.begins.size());
    for (const bit_range bits : {bit_range{4, 9}, {31, 32}, {0, 0}, {32, 32}}) {
      const auto part = [bits](std::uint32_t key) {
        return (key & ((std::uint64_t{1} << bits.end) - 1)) >> bits.begin;
      };
      const auto from = places_of_top_k(keys, n, segments.begins, segments.ends, segments.begins.size(), 30, 30,
                                        [&](std::uint32_t a, std::uint32_t b) { return part(a) > part(b); });
      expect_segmented_top_k<Policy>(d, keys, segments.begins, segments.ends, n, count, std::int64_t{30}, from, down,
                                     bits);
    }
  });
  add("many_segments_of_few_items", [=](device& d) {
    std::vector<std::int64_t> lengths(700);
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::int64_t>(i % 9);
    const segments_of_lengths s(lengths, 1);
    expect_segmented_top_k_of<Policy>(d, random_items<std::uint32_t>(s.n(), 5), s.begins, s.ends, 4, down);
  });
  add("segments_that_decrease_or_lie_outside_are_empty", [=](device& d) {
    const std::int64_t n = 3 * candidates;
    const segment_ends begins{-5, 0, 100, n - 3, 250, n + 8, INT64_MIN, 90, 99, n};
    const segment_ends ends{40, 50, 200, n + 1, n - 60, n + 9, INT64_MAX, 20, INT64_MIN, n};
    const auto keys = random_items<std::uint32_t>(static_cast<std::size_t>(n), 6);
    expect_segmented_top_k_of<Policy>(d, keys, begins, ends, 11, up);
  });
  add("as_many_items_segments_and_k_as_the_device_counts", [=](device& d) {
    const auto keys = random_items<std::uint32_t>(segments.n(), 8);
    const auto n = static_cast<std::int64_t>(keys.size()), all = static_cast<std::int64_t>(segments.begins.size());
    for (const std::int64_t bound : {most, most + 9}) {  // by blocks, and by a sort
      for (const auto& [items, some, k] : {std::tuple{n, all / 2, bound},
                                           {n / 2, all, std::int64_t{1}},
                                           {n + 9, all + 9, bound + 5},
                                           {-4, all, bound},
                                           {n, -1, bound},
                                           {n, all, -3},
                                           {n, all, 0}}) {
        const guarded_array<std::int64_t, Stream> counts(d, std::vector<std::int64_t>{items, some, k});
        const auto from =
            places_of_top_k(keys, std::clamp(items, std::int64_t{0}, n), segments.begins, segments.ends,
                            static_cast<std::size_t>(std::clamp(some, std::int64_t{0}, all)), k, bound, std::less<>{});
        expect_segmented_top_k<Policy>(d, keys, segments.begins, segments.ends,
                                       device_count<std::int64_t>{counts.data(), n},
                                       device_count<std::int64_t>{counts.data() + 1, all},
                                       device_count<std::int64_t>{counts.data() + 2, bound}, from, up);
      }
    }
  });
  add("refuses_wrong_arguments_and_touches_nothing", [=](device& d) {
    guarded_array<std::uint32_t, Stream> in(d, random_items<std::uint32_t>(40, 1)), out(d, 40);
    guarded_array<std::int64_t, Stream> offsets(d, std::vector<std::int64_t>{0, 20, 40});
    const std::size_t bytes = segmented_top_k_keys_workspace_bytes<Policy>(
        static_cast<const std::uint32_t*>(in.data()), out.data(), offsets.data(), offsets.data() + 1, 40, 2, 5);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto call = [&](std::size_t has, const std::uint32_t* from, std::uint32_t* to, const std::int64_t* begins,
                          std::int64_t n, std::int64_t segments, std::int64_t k, bit_range bits = {}) {
      return static_cast<status>(segmented_top_k_keys<Policy>(
          workspace{work.data(), has}, from, to, begins, offsets.data() + 1, n, segments, k, down, bits, d.stream()));
    };
    const auto wrong = status::invalid_value;
    EXPECT_EQ(call(bytes - 1, in.data(), out.data(), offsets.data(), 40, 2, 5), wrong);
    EXPECT_EQ(call(bytes, nullptr, out.data(), offsets.data(), 40, 2, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), nullptr, offsets.data(), 40, 2, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), nullptr, 40, 2, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), -1, 2, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), 40, -1, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), 40, 2, -1), wrong);
    EXPECT_EQ(call(bytes, in.data(), in.data() + 30, offsets.data(), 40, 2, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), reinterpret_cast<std::int64_t*>(out.data()), 40, 2, 5), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), offsets.data(), 40, 2, 5, {0, 33}), wrong);
    EXPECT_EQ(call(0, nullptr, nullptr, nullptr, 0, 2, 5), status::success);
    EXPECT_EQ(call(0, nullptr, nullptr, nullptr, 40, 0, 5), status::success);
    EXPECT_EQ(call(0, nullptr, nullptr, nullptr, 40, 2, 0), status::success);
    out.expect_unchanged();
    work.expect_unchanged();
  });
}

}  // namespace upsweep::test
