// What every sort promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::test {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// -1, 0, 1 for NaNs of either sign and numbers: NaNs lie beyond the infinities.
template <class T>
int nan_side(T x) {
  return std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0;
}

/// The order of keys as the documentation states it, by comparisons of the numbers themselves.
template <class Key>
bool key_less(Key a, Key b) {
  if constexpr (std::is_floating_point_v<Key>) {
    if (nan_side(a) != nan_side(b)) return nan_side(a) < nan_side(b);
    if (nan_side(a) == 0) return a < b;
    const auto x = std::bit_cast<bits_of<Key>>(a), y = std::bit_cast<bits_of<Key>>(b);
    return nan_side(a) > 0 ? x < y : y < x;
  } else {
    return a < b;
  }
}

/// Where each place of the sorted order comes from.
template <class Key, class Less>
std::vector<std::uint32_t> sorted_places(const std::vector<Key>& keys, sort_order order, Less less) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return order == sort_order::ascending ? less(keys[a], keys[b]) : less(keys[b], keys[a]);
  });
  return places;
}

/// Compared as bits: -0.0 and NaNs keep theirs.
template <class Key>
std::vector<bits_of<Key>> as_bits(const std::vector<Key>& keys) {
  std::vector<bits_of<Key>> bits;
  for (const Key& k : keys) bits.push_back(std::bit_cast<bits_of<Key>>(k));
  return bits;
}

/// Keys of one distribution.
template <class Key>
std::vector<Key> random_keys(std::size_t n, const std::string& distribution) {
  random_source random(n + distribution.size());
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t r = random();
    if (distribution == "runs" && i % 24 != 0) {
      keys[i] = keys[i - 1];
      continue;
    }
    if (distribution == "few_values") r = r % 5 * 0x0123456789abcdefu;
    if (distribution == "constant") r = 0x3ff0123456789abcu;
    if (distribution == "low_16_bits") r &= 0xffff;
    keys[i] = std::bit_cast<Key>(static_cast<bits_of<Key>>(r));
    if constexpr (std::is_floating_point_v<Key>) {
      using limits = std::numeric_limits<Key>;
      const Key special[] = {Key{0},
                             -Key{0},
                             limits::infinity(),
                             -limits::infinity(),
                             limits::quiet_NaN(),
                             -limits::quiet_NaN(),
                             limits::denorm_min(),
                             -limits::denorm_min(),
                             Key{1},
                             Key{-1}};
      if (distribution == "specials") keys[i] = special[r % std::size(special)];
    }
  }
  if (distribution == "sorted") std::sort(keys.begin(), keys.end(), key_less<Key>);
  if (distribution == "reversed") std::sort(keys.rbegin(), keys.rend(), key_less<Key>);
  return keys;
}

/// Sorts `keys` alone and with their places as values, and compares both with `places`.
template <class Policy, class Key, class Stream>
void expect_sorted(test_device<Stream>& d, const std::vector<Key>& keys, const std::vector<std::uint32_t>& places,
                   sort_order order, bit_range bits = {}) {
  const auto n = static_cast<std::int64_t>(keys.size());
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<Key> expected;
  for (const std::uint32_t p : places) expected.push_back(keys[p]);

  guarded_array<Key, Stream> keys_in(d, keys, sizeof(Key)), keys_out(d, keys.size(), sizeof(Key) * 3);
  guarded_array<std::uint32_t, Stream> values_in(d, values, 4), values_out(d, keys.size(), 12);
  const Key* const in = keys_in.data();
  {
    const std::size_t bytes = sort_keys_workspace_bytes<Policy>(in, keys_out.data(), n, order, bits);
    guarded_array<unsigned char, Stream> work(d, bytes, 5);
    ASSERT_EQ(static_cast<status>(
                  sort_keys<Policy>(workspace{work.data(), bytes}, in, keys_out.data(), n, order, bits, d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(as_bits(keys_out.items()), as_bits(expected))) << "keys alone, n = " << n;
    work.expect_guards();
  }
  const std::size_t bytes =
      sort_pairs_workspace_bytes<Policy>(in, keys_out.data(), values_in.data(), values_out.data(), n, order, bits);
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(workspace{work.data(), bytes}, in, keys_out.data(),
                                                   static_cast<const std::uint32_t*>(values_in.data()),
                                                   values_out.data(), n, order, bits, d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(as_bits(keys_out.items()), as_bits(expected))) << "keys of pairs, n = " << n;
  EXPECT_TRUE(same_items(values_out.items(), places)) << "values, n = " << n;
  work.expect_guards();
  keys_in.expect_unchanged();
  values_in.expect_unchanged();
}

/// n up to `most`, all of them unless `every` says otherwise, by one digit: tiles that end anywhere, and one more of a
/// single key.
template <class Policy, class Stream>
void add_every_size_contract(const std::string& suite, std::size_t most, int digit_bits, std::size_t every = 1) {
  add_test<Stream>(suite, "sorts_every_n_by_one_digit", [=](test_device<Stream>& d) {
    const bit_range digit{4, 4 + digit_bits};
    const auto less = [=](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t mask = (1u << digit_bits) - 1;
      return (a >> digit.begin & mask) < (b >> digit.begin & mask);
    };
    const std::size_t step = race_check ? 37 : every;
    for (std::size_t n = most % step; n <= most; n += step) {
      const auto keys = random_keys<std::uint32_t>(n, "uniform");
      expect_sorted<Policy>(d, keys, sorted_places(keys, sort_order::ascending, less), sort_order::ascending, digit);
    }
  });
}

/// Zeros of both signs are equal, and come out in the order and with the signs that they went in with.
template <class Policy, class Stream>
void add_equal_floats_contract(const std::string& suite, std::size_t n) {
  add_test<Stream>(suite, "equal_floats_keep_order_and_sign", [=](test_device<Stream>& d) {
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
      const auto keys = random_keys<float>(n, "specials");
      expect_sorted<Policy>(d, keys, sorted_places(keys, order, key_less<float>), order);
    }
  });
}

/// `full` adds what need not be repeated for every scan: distributions, bit ranges, errors.
template <class Policy, class Key, class Stream>
void add_sort_contract(const std::string& suite, bool full) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("sorts_any_n_stably_both_ways", [](device& d) {
    for (const std::size_t n : {1, 2, 33, 4095, 4096, 4097, 9000}) {
      for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        const auto keys = random_keys<Key>(n, n % 2 ? "uniform" : "few_values");
        expect_sorted<Policy>(d, keys, sorted_places(keys, order, key_less<Key>), order);
      }
    }
  });
  if (!full) return;

  add("sorts_any_distribution", [](device& d) {
    for (const char* distribution : {"constant", "low_16_bits", "sorted", "reversed", "runs", "specials"}) {
      for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        SCOPED_TRACE(distribution);
        const auto keys = random_keys<Key>(5000, distribution);
        expect_sorted<Policy>(d, keys, sorted_places(keys, order, key_less<Key>), order);
      }
    }
  });
  if constexpr (std::is_unsigned_v<Key>) {
    add("compares_only_the_bits_of_the_range", [](device& d) {
      constexpr int width = sizeof(Key) * 8;
      for (const bit_range bits : {bit_range{0, 8}, {3, 4}, {5, 25}, {8, 24}, {width - 9, width}, {7, 7}}) {
        for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
          const auto keys = random_keys<Key>(4500, "uniform");
          const auto part = [&](Key k) {
            return bits.end == bits.begin ? Key{0}
                                          : static_cast<Key>(k >> bits.begin << (width - (bits.end - bits.begin)));
          };
          const auto less = [&](Key a, Key b) { return part(a) < part(b); };
          expect_sorted<Policy>(d, keys, sorted_places(keys, order, less), order, bits);
        }
      }
    });
  }
  add("does_nothing_for_no_keys", [](device& d) {
    const std::size_t bytes =
        sort_keys_workspace_bytes<Policy>(static_cast<const Key*>(nullptr), static_cast<Key*>(nullptr), 0);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(static_cast<status>(sort_keys<Policy>(workspace{}, static_cast<const Key*>(nullptr),
                                                    static_cast<Key*>(nullptr), 0, {}, {}, d.stream())),
              status::success);
  });
  add("refuses_bad_arguments_and_touches_nothing", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<Key, Stream> in(d, n), out(d, n);
    const std::size_t bytes = sort_keys_workspace_bytes<Policy>(in.data(), out.data(), n);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto answer = [&](const Key* from, Key* to, std::int64_t items, bit_range bits, std::size_t given) {
      return static_cast<status>(
          sort_keys<Policy>(workspace{work.data(), given}, from, to, items, {}, bits, d.stream()));
    };
    constexpr int width = sizeof(Key) * 8;
    EXPECT_EQ(answer(in.data(), out.data(), -1, {}, bytes), status::invalid_value);
    EXPECT_EQ(answer(nullptr, out.data(), n, {}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), nullptr, n, {}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), in.data(), n, {}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), in.data() + 1, n, {}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), out.data(), n, {4, 3}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), out.data(), n, {-2, 3}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), out.data(), n, {0, width + 1}, bytes), status::invalid_value);
    EXPECT_EQ(answer(in.data(), out.data(), n, {}, bytes - 1), status::invalid_value);
    in.expect_unchanged();
    out.expect_unchanged();
    work.expect_unchanged();
  });
  add("refuses_bad_values_and_touches_nothing", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<Key, Stream> keys_in(d, n), keys_out(d, n);
    guarded_array<std::uint32_t, Stream> values_in(d, n), values_out(d, n);
    const std::size_t bytes =
        sort_pairs_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), values_in.data(), values_out.data(), n);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto answer = [&](const std::uint32_t* from, std::uint32_t* to, std::size_t given) {
      return static_cast<status>(sort_pairs<Policy>(workspace{work.data(), given},
                                                    static_cast<const Key*>(keys_in.data()), keys_out.data(), from, to,
                                                    n, {}, {}, d.stream()));
    };
    EXPECT_EQ(answer(nullptr, values_out.data(), bytes), status::invalid_value);
    EXPECT_EQ(answer(values_in.data(), nullptr, bytes), status::invalid_value);
    EXPECT_EQ(answer(values_in.data(), values_in.data(), bytes), status::invalid_value);
    EXPECT_EQ(answer(values_in.data(), values_in.data() + 5, bytes), status::invalid_value);
    EXPECT_EQ(answer(values_in.data(), values_out.data(), bytes - 1), status::invalid_value);
    keys_out.expect_unchanged();
    values_out.expect_unchanged();
    work.expect_unchanged();
  });
}

/// A value that knows its place, as far as its words can hold it.
template <class Word, int Words>
struct wide_value {
  Word place[Words];
  friend bool operator==(const wide_value&, const wide_value&) = default;
  friend std::ostream& operator<<(std::ostream& os, const wide_value& v) { return os << +v.place[0]; }
};

template <class Policy, class Value, class Stream>
void add_wide_value_contract(const std::string& method) {
  add_test<Stream>(
      method + "/values_of_" + std::to_string(sizeof(Value)) + "_bytes", "travel_with_their_keys",
      [](test_device<Stream>& d) {
        const auto keys = random_keys<std::uint32_t>(5000, "few_values");
        const auto n = static_cast<std::int64_t>(keys.size());
        std::vector<Value> values(keys.size()), expected;
        for (std::uint32_t i = 0; i < values.size(); ++i) {
          for (auto& word : values[i].place) word = static_cast<std::remove_reference_t<decltype(word)>>(i);
        }
        for (const std::uint32_t p : sorted_places(keys, sort_order::ascending, key_less<std::uint32_t>)) {
          expected.push_back(values[p]);
        }
        guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, keys.size());
        guarded_array<Value, Stream> values_in(d, values), values_out(d, keys.size());
        const std::size_t bytes =
            sort_pairs_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), values_in.data(), values_out.data(), n);
        guarded_array<unsigned char, Stream> work(d, bytes);
        ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(
                      workspace{work.data(), bytes}, static_cast<const std::uint32_t*>(keys_in.data()), keys_out.data(),
                      static_cast<const Value*>(values_in.data()), values_out.data(), n, {}, {}, d.stream())),
                  status::success)
            << d.message();
        EXPECT_TRUE(same_items(values_out.items(), expected));
        work.expect_guards();
      });
}

}  // namespace upsweep::test
