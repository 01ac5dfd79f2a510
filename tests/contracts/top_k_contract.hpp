// What the top k promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "support/tuples.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/top_k.cuh"

namespace upsweep::test {

template <class T>
std::vector<T> with_places(std::vector<T> before, const std::vector<std::uint32_t>& places) {
  std::transform(places.begin(), places.end(), before.begin(), [](std::uint32_t p) { return static_cast<T>(p); });
  return before;
}
template <class T>
std::vector<T> with_items_of(std::vector<T> before, const std::vector<T>& items,
                             const std::vector<std::uint32_t>& places) {
  std::transform(places.begin(), places.end(), before.begin(), [&](std::uint32_t p) { return items[p]; });
  return before;
}

template <class T>
auto bytes_of(const std::vector<T>& items) {
  std::vector<std::array<unsigned char, sizeof(T)>> bytes;
  for (const T& item : items) bytes.push_back(std::bit_cast<std::array<unsigned char, sizeof(T)>>(item));
  return bytes;
}

/// Takes keys alone, pairs and places, with exactly the workspace that is asked for, and compares with `places`, where
/// the first k of n come from. All results have room for k items and more: what is after the result must stay.
template <class Policy, class Key, class Value, class Stream, class Count, class K, class Order>
void expect_top_k(test_device<Stream>& d, const std::vector<Key>& keys, const std::vector<Value>& values, Count n, K k,
                  const std::vector<std::uint32_t>& places, Order order, bit_range bits = {}) {
  const guarded_array<Key, Stream> in(d, keys, sizeof(Key));
  guarded_array<Value, Stream> values_in(d, values, sizeof(Value));
  const std::size_t size = std::max(places.size(), static_cast<std::size_t>(std::min(bound_of(n), bound_of(k)))) + 3;
  const Key* const from = in.data();
  const Value* const values_from = values_in.data();
  const auto in_workspace = [&](std::size_t bytes, auto call) {
    guarded_array<unsigned char, Stream> work(d, bytes, 5);
    ASSERT_EQ(static_cast<status>(call(workspace{work.data(), bytes})), status::success) << d.message();
    work.expect_guards();
  };
  {
    guarded_array<Key, Stream> out(d, size, sizeof(Key));
    const auto before = out.items();
    in_workspace(top_k_keys_workspace_bytes<Policy>(from, out.data(), n, k, order, bits),
                 [&](workspace w) { return top_k_keys<Policy>(w, from, out.data(), n, k, order, bits, d.stream()); });
    EXPECT_TRUE(same_items(bytes_of(out.items()), bytes_of(with_items_of(before, keys, places)))) << "keys alone";
  }
  {
    guarded_array<Key, Stream> out(d, size);
    guarded_array<Value, Stream> values_out(d, size, sizeof(Value));
    const auto before = out.items();
    const auto values_before = values_out.items();
    in_workspace(
        top_k_pairs_workspace_bytes<Policy>(from, out.data(), values_from, values_out.data(), n, k, order, bits),
        [&](workspace w) {
          return top_k_pairs<Policy>(w, from, out.data(), values_from, values_out.data(), n, k, order, bits,
                                     d.stream());
        });
    EXPECT_TRUE(same_items(bytes_of(out.items()), bytes_of(with_items_of(before, keys, places)))) << "keys of pairs";
    EXPECT_TRUE(same_items(values_out.items(), with_items_of(values_before, values, places))) << "values";
  }
  {
    guarded_array<std::int64_t, Stream> out(d, size);
    const auto before = out.items();
    in_workspace(top_k_indices_workspace_bytes<Policy>(from, out.data(), n, k, order, bits), [&](workspace w) {
      return top_k_indices<Policy>(w, from, out.data(), n, k, order, bits, d.stream());
    });
    EXPECT_TRUE(same_items(out.items(), with_places(before, places))) << "places";
  }
  values_in.expect_unchanged();
}

/// By the lowest 2 bits of a u64, then by the highest 24.
struct low_then_high {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const std::uint64_t& key, int shift, int width) const {
    const std::uint64_t code = (key & 3) << 24 | key >> 40;
    return static_cast<std::uint32_t>(code >> shift) & ((1u << width) - 1);
  }
};

/// A structure that is compared by two of its fields, of one of which the larger comes first.
struct record {
  std::int32_t group;
  std::uint32_t note;
  float score;
};
struct fields_of_record {
  UPSWEEP_HOST_DEVICE tuples::tuple<std::int32_t&, reversed_field<float>> operator()(record& r) const {
    return {r.group, reversed(r.score)};
  }
};

template <class Key>
std::vector<std::uint32_t> first_places(const std::vector<Key>& keys, std::int64_t k, sort_order order) {
  auto places = sorted_places(keys, order, key_less<Key>);
  places.resize(std::min(places.size(), static_cast<std::size_t>(std::max<std::int64_t>(k, 0))));
  return places;
}

inline std::vector<std::uint16_t> values_of(std::size_t n) {
  std::vector<std::uint16_t> values(n);
  std::iota(values.begin(), values.end(), std::uint16_t{9});
  return values;
}

/// Keys of one distribution, of host counts.
template <class Policy, class Key, class Stream>
void expect_top_k_of(test_device<Stream>& d, std::size_t n, std::int64_t k, const std::string& distribution,
                     sort_order order) {
  SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " " + distribution);
  const auto keys = random_keys<Key>(n, distribution);
  expect_top_k<Policy>(d, keys, values_of(n), static_cast<std::int64_t>(n), k, first_places(keys, k, order), order);
}

/// Of other keys than unsigned numbers, and by other orders; of a policy as add_top_k_contract.
template <class Policy, class Stream>
void add_top_k_orders(const std::string& suite, std::size_t sorted, std::size_t tile) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr auto up = sort_order::ascending, down = sort_order::descending;
  const std::size_t many = 4 * (tile > sorted ? tile : sorted) + 77;
  add("keys_with_signs", [=](device& d) {
    for (const char* distribution : {"random", "specials"}) {
      for (const sort_order order : {up, down}) {
        expect_top_k_of<Policy, float>(d, many, 40, distribution, order);
        expect_top_k_of<Policy, double>(d, many + 1, 41, distribution, order);
        expect_top_k_of<Policy, std::int32_t>(d, many + 2, 42, distribution, order);
      }
    }
  });
  add("some_bits", [=](device& d) {
    auto keys = random_items<std::uint32_t>(many, 2);
    for (const bit_range bits : {bit_range{0, 3}, {4, 30}, {31, 32}, {0, 0}, {32, 32}}) {
      const std::int64_t k = 50;
      const auto part = [bits](std::uint32_t key) {
        return (key & ((std::uint64_t{1} << bits.end) - 1)) >> bits.begin;
      };
      auto places = sorted_places(keys, down, [&](std::uint32_t a, std::uint32_t b) { return part(a) < part(b); });
      places.resize(static_cast<std::size_t>(k));
      expect_top_k<Policy>(d, keys, values_of(many), static_cast<std::int64_t>(many), k, places, down, bits);
    }
  });
  add("structures_by_their_fields", [=](device& d) {
    std::vector<record> items(many);
    random_source random(8);
    for (record& r : items) {
      r = {static_cast<std::int32_t>(random() % 5) - 2, static_cast<std::uint32_t>(random()),
           static_cast<float>(random() % 100) - 50};
    }
    auto places = sorted_places(items, down, [](const record& a, const record& b) {
      return std::tie(a.group, b.score) < std::tie(b.group, a.score);
    });
    places.resize(90);
    expect_top_k<Policy>(d, items, values_of(many), static_cast<std::int64_t>(many), 90, places,
                         decomposed_by<record>(fields_of_record{}, down));
  });
  add("an_order_by_an_extractor", [=](device& d) {
    const auto keys = random_items<std::uint64_t>(many, 6);
    const auto halves = [](std::uint64_t key) { return std::pair{key & 3, key >> 40}; };
    const auto order = extracted_by<26>(low_then_high{}, up);
    auto places = sorted_places(keys, up, [&](auto a, auto b) { return halves(a) < halves(b); });
    places.resize(100);
    expect_top_k<Policy>(d, keys, values_of(many), static_cast<std::int64_t>(many), 100, places, order);
  });
  add("keys_from_an_iterator", [=](device& d) {
    for (const std::int64_t n : {std::int64_t{5}, static_cast<std::int64_t>(sorted), static_cast<std::int64_t>(many)}) {
      const std::int64_t k = 5;
      guarded_array<std::uint32_t, Stream> out(d, 5), places(d, 5);
      const std::size_t bytes = top_k_keys_workspace_bytes<Policy>(squares{}, out.data(), n, k);
      const std::size_t of_places = top_k_indices_workspace_bytes<Policy>(squares{}, places.data(), n, k);
      guarded_array<unsigned char, Stream> work(d, std::max(bytes, of_places));
      ASSERT_EQ(static_cast<status>(top_k_keys<Policy>(workspace{work.data(), bytes}, squares{}, out.data(), n, k, down,
                                                       bit_range{}, d.stream())),
                status::success);
      ASSERT_EQ(static_cast<status>(top_k_indices<Policy>(workspace{work.data(), of_places}, squares{}, places.data(),
                                                          n, k, down, bit_range{}, d.stream())),
                status::success);
      std::vector<std::uint32_t> keys;
      for (std::int64_t i = 0; i < n; ++i) keys.push_back(squares{}[i]);
      const auto first = first_places(keys, k, down);
      EXPECT_TRUE(same_items(places.items(), first));
      EXPECT_TRUE(same_items(out.items(), with_items_of(first, keys, first)));
    }
  });
}

/// Of a policy that sorts up to `sorted` keys, and has tiles of `tile`. OfNumbers: of unsigned numbers alone, which the
/// compiler is done with in a third of the time.
template <class Policy, class Stream, bool OfNumbers = race_check>
void add_top_k_contract(const std::string& suite, std::size_t sorted, std::size_t tile) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr auto up = sort_order::ascending, down = sort_order::descending;
  const std::size_t many = 4 * (tile > sorted ? tile : sorted) + 77;

  add("any_n_and_k", [=](device& d) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, sorted, sorted + 1, 2 * tile - 1,
                                2 * tile, 2 * tile + 1, many}) {
      const auto all = static_cast<std::int64_t>(n);
      for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, all / 20, all / 8, all / 8 + 1, all, all + 7}) {
        expect_top_k_of<Policy, std::uint32_t>(d, n, k, n % 2 == 0 ? "random" : "few_values", k % 2 == 0 ? up : down);
      }
    }
  });
  add("any_distribution", [=](device& d) {
    for (const char* distribution : {"random", "few_values", "constant", "sorted", "reversed", "low_16_bits", "runs"}) {
      for (const std::int64_t k : {std::int64_t{3}, static_cast<std::int64_t>(many / 9)}) {
        expect_top_k_of<Policy, std::uint32_t>(d, many, k, distribution, up);
        expect_top_k_of<Policy, std::uint64_t>(d, many - 1, k, distribution, down);
      }
    }
  });
  add("as_many_as_the_device_counts", [=](device& d) {
    const auto keys = random_keys<std::uint32_t>(many, "random");
    const auto n = static_cast<std::int64_t>(many), bound = n / 10, few = static_cast<std::int64_t>(sorted) / 2;
    for (const auto& [items, k] : {std::pair{n, bound},
                                   {n, bound + 50},
                                   {n + 9, std::int64_t{1}},
                                   {n / 2, bound},
                                   {few, bound},
                                   {few, few},
                                   {std::int64_t{3}, bound},
                                   {std::int64_t{0}, bound},
                                   {n, std::int64_t{0}},
                                   {n, std::int64_t{-4}},
                                   {std::int64_t{-1}, std::int64_t{5}}}) {
      SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(items));
      const guarded_array<std::int64_t, Stream> counts(d, std::vector<std::int64_t>{items, k});
      const auto there = static_cast<std::ptrdiff_t>(std::clamp(items, std::int64_t{0}, n));
      const std::vector<std::uint32_t> counted(keys.begin(), keys.begin() + there);
      expect_top_k<Policy>(d, keys, values_of(many), device_count<std::int64_t>{counts.data(), n},
                           device_count<std::int64_t>{counts.data() + 1, bound},
                           first_places(counted, std::min(k, bound), up), up);
    }
  });
  add("refuses_wrong_arguments_and_touches_nothing", [=](device& d) {
    guarded_array<std::uint32_t, Stream> in(d, random_items<std::uint32_t>(many, 1)), out(d, 40);
    const auto n = static_cast<std::int64_t>(many);
    const std::size_t bytes =
        top_k_keys_workspace_bytes<Policy>(static_cast<const std::uint32_t*>(in.data()), out.data(), n, 40);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto call = [&](std::size_t has, const std::uint32_t* from, std::uint32_t* to, std::int64_t items,
                          std::int64_t k, bit_range bits = {}) {
      return static_cast<status>(
          top_k_keys<Policy>(workspace{work.data(), has}, from, to, items, k, down, bits, d.stream()));
    };
    const auto wrong = status::invalid_value;
    EXPECT_EQ(call(bytes - 1, in.data(), out.data(), n, 40), wrong);
    EXPECT_EQ(call(bytes, nullptr, out.data(), n, 40), wrong);
    EXPECT_EQ(call(bytes, in.data(), nullptr, n, 40), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), -1, 40), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), n, -1), wrong);
    EXPECT_EQ(call(bytes, in.data(), in.data() + 5, n, 40), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), n, 40, {0, 33}), wrong);
    EXPECT_EQ(call(bytes, in.data(), out.data(), n, 40, {5, 4}), wrong);
    EXPECT_EQ(call(0, nullptr, nullptr, 0, 40), status::success);
    EXPECT_EQ(call(0, nullptr, nullptr, n, 0), status::success);
    const auto* const no_values = static_cast<const std::uint16_t*>(nullptr);
    guarded_array<std::uint16_t, Stream> values(d, 40);
    EXPECT_EQ(static_cast<status>(top_k_pairs<Policy>(workspace{work.data(), bytes}, in.data(), out.data(), no_values,
                                                      values.data(), n, 40, down, bit_range{}, d.stream())),
              wrong);
    out.expect_unchanged();
    work.expect_unchanged();
  });
  if constexpr (!OfNumbers) add_top_k_orders<Policy, Stream>(suite, sorted, tile);
}

/// More items or a larger k never need less.
template <class Policy>
void expect_growing_workspace() {
  const std::uint32_t* const in = nullptr;
  std::uint32_t* const out = nullptr;
  const std::int64_t counts[] = {0,
                                 1,
                                 100,
                                 1 << 15,
                                 (1 << 15) + 1,
                                 1 << 17,
                                 1 << 20,
                                 1000'000,
                                 (1 << 20) + 1,
                                 1 << 21,
                                 (1 << 21) + 1,
                                 1 << 24,
                                 1 << 28,
                                 std::int64_t{1} << 34};
  for (const std::int64_t n : counts) {
    for (const std::int64_t k : counts) {
      const std::size_t bytes = top_k_pairs_workspace_bytes<Policy>(in, out, in, out, n, k);
      EXPECT_LE(bytes, top_k_pairs_workspace_bytes<Policy>(in, out, in, out, n + n / 3 + 1, k)) << n << ' ' << k;
      EXPECT_LE(bytes, top_k_pairs_workspace_bytes<Policy>(in, out, in, out, n, k + k / 3 + 1)) << n << ' ' << k;
    }
  }
}

}  // namespace upsweep::test
