// What merges of two sorted arrays promise, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "contracts/sort_keys_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/merge.cuh"

namespace upsweep::test {

/// Where an item of the one array or the other comes from.
inline std::uint32_t origin(bool is_of_b, std::size_t i) {
  return static_cast<std::uint32_t>(i) | (is_of_b ? 1u << 31 : 0u);
}

/// The merge of two arrays by std::merge, and where each item comes from.
template <class Key>
struct expected_merge {
  std::vector<Key> keys;
  std::vector<std::uint32_t> origins;

  template <class Less>
  expected_merge(const std::vector<Key>& a, const std::vector<Key>& b, Less less) {
    const auto of = [](const std::vector<Key>& keys_of, bool is_b) {
      std::vector<std::pair<Key, std::uint32_t>> items;
      for (std::size_t i = 0; i < keys_of.size(); ++i) items.emplace_back(keys_of[i], origin(is_b, i));
      return items;
    };
    const auto from_a = of(a, false), from_b = of(b, true);
    std::vector<std::pair<Key, std::uint32_t>> merged;
    std::merge(from_a.begin(), from_a.end(), from_b.begin(), from_b.end(), std::back_inserter(merged),
               [&](const auto& x, const auto& y) { return less(x.first, y.first); });
    for (const auto& [key, from] : merged) {
      keys.push_back(key);
      origins.push_back(from);
    }
  }
};

/// The bytes of a row that a key's value is made of.
template <class Value>
std::vector<Value> values_of_origins(bool is_b, std::size_t n) {
  std::vector<Value> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t from = origin(is_b, i);
    for (std::size_t byte = 0; byte < sizeof(Value); ++byte) {
      reinterpret_cast<unsigned char*>(&values[i])[byte] =
          static_cast<unsigned char>((from >> (byte % 4 * 8)) + byte / 4);
    }
  }
  return values;
}
template <class Value>
std::vector<Value> values_by(const std::vector<std::uint32_t>& origins, std::size_t n_a, std::size_t n_b) {
  const auto a = values_of_origins<Value>(false, n_a), b = values_of_origins<Value>(true, n_b);
  std::vector<Value> values;
  for (const std::uint32_t from : origins) values.push_back(from >> 31 != 0 ? b[from & 0x7fffffffu] : a[from]);
  return values;
}

/// Merges keys alone and pairs, by workspaces of exactly the size that is asked for, and compares every byte with what
/// `less` gives. Arrays begin `offset` items, or one more, after an aligned address.
template <class Policy, class Value = std::uint32_t, class Key, class Order, class Less, class Stream>
void expect_merged(test_device<Stream>& d, const std::vector<Key>& a, const std::vector<Key>& b, const Order& order,
                   Less less_of_host, std::size_t offset = 0) {
  const auto n_a = static_cast<std::int64_t>(a.size());
  const auto n_b = static_cast<std::int32_t>(b.size());
  const std::size_t n = a.size() + b.size();
  const expected_merge<Key> expected(a, b, less_of_host);
  guarded_array<Key, Stream> in_a(d, a, offset * sizeof(Key)), in_b(d, b, (offset + 1) * sizeof(Key));
  guarded_array<Value, Stream> values_a(d, values_of_origins<Value>(false, a.size()), offset * sizeof(Value));
  guarded_array<Value, Stream> values_b(d, values_of_origins<Value>(true, b.size()));
  const Key *const from_a = in_a.data(), *const from_b = in_b.data();
  const Value *const value_a = values_a.data(), *const value_b = values_b.data();
  {
    guarded_array<Key, Stream> out(d, n, offset * sizeof(Key));
    const std::size_t bytes = merge_keys_workspace_bytes<Policy>(from_a, from_b, out.data(), n_a, n_b, order);
    guarded_array<unsigned char, Stream> work(d, bytes, 5);
    ASSERT_EQ(static_cast<status>(merge_keys<Policy>(workspace{work.data(), bytes}, from_a, from_b, out.data(), n_a,
                                                     n_b, order, d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(bytes_of(out.items()), bytes_of(expected.keys))) << n_a << " and " << n_b;
    work.expect_guards();
  }
  guarded_array<Key, Stream> out(d, n, offset * sizeof(Key));
  guarded_array<Value, Stream> values_out(d, n, offset * sizeof(Value));
  const std::size_t bytes = merge_pairs_workspace_bytes<Policy>(from_a, from_b, out.data(), value_a, value_b,
                                                                values_out.data(), n_a, n_b, order);
  guarded_array<unsigned char, Stream> work(d, bytes, 3);
  ASSERT_EQ(static_cast<status>(merge_pairs<Policy>(workspace{work.data(), bytes}, from_a, from_b, out.data(), value_a,
                                                    value_b, values_out.data(), n_a, n_b, order, d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(bytes_of(out.items()), bytes_of(expected.keys))) << n_a << " and " << n_b << ", pairs";
  EXPECT_TRUE(
      same_items(bytes_of(values_out.items()), bytes_of(values_by<Value>(expected.origins, a.size(), b.size()))))
      << n_a << " and " << n_b;
  work.expect_guards();
  in_a.expect_unchanged();
  in_b.expect_unchanged();
  values_a.expect_unchanged();
  values_b.expect_unchanged();
}

/// n sorted keys, of `kinds` different ones.
template <class Key = std::uint32_t>
std::vector<Key> sorted_kinds(std::size_t n, std::uint64_t kinds, std::uint64_t salt) {
  random_source random(n * 3 + salt);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = static_cast<Key>(random.below(kinds) * 3);
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Every size of both arrays up to two tiles and one more, beside some sizes of the other.
template <class Policy, class Stream>
void add_every_merge_contract(const std::string& suite) {
  add_test<Stream>("merge/" + suite, "of_every_size", [](test_device<Stream>& d) {
    constexpr std::size_t tile = Policy::template tile_items<std::uint32_t>, most = 2 * tile + 1;
    for (std::size_t n = 0; n <= most; n += race_check ? 13 : 1) {
      for (const std::size_t m : {std::size_t{0}, std::size_t{1}, tile - 1, tile, most - n, most}) {
        const auto some = sorted_kinds(n, n / 4 + 1, 1), others = sorted_kinds(m, n / 4 + 1, 2);
        expect_merged<Policy>(d, some, others, less{}, std::less<>{});
        if (n != m) expect_merged<Policy>(d, others, some, less{}, std::less<>{});
        if (testing::Test::HasFailure()) return;
      }
    }
  });
}

/// A comparison that must be copied to be called, as a program may write it.
struct larger_tens {
  UPSWEEP_HOST_DEVICE bool operator()(const std::uint32_t& a, const std::uint32_t& b) { return a / 10 > b / 10; }
};
struct three_bytes {
  std::uint8_t channel[3];
};
struct row_of_80_bytes {
  std::uint32_t word[20];
};
struct named_key {
  std::uint32_t number;
  std::uint8_t name[5];
};
struct by_number {
  UPSWEEP_HOST_DEVICE bool operator()(const named_key& a, const named_key& b) const { return a.number < b.number; }
};

template <class Policy, class Stream>
void add_merge_contract(const std::string& suite, std::size_t n) {
  using device = test_device<Stream>;
  using word = std::uint32_t;
  const auto add = [&](const char* claim, std::function<void(device&)> body) {
    add_test<Stream>("merge/" + suite, claim, body);
  };

  add("of_any_two_arrays", [n](device& d) {
    std::vector<word> counted(n), above(n / 2), equal(n, 7), fewer(n / 3, 7), even(n), odd(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto number = static_cast<word>(i);
      counted[i] = number;
      even[i] = 2 * number;
      odd[i] = 2 * number + 1;
      if (i < above.size()) above[i] = static_cast<word>(n) + number;
    }
    for (const auto& [a, b] : {std::pair{counted, above},
                               {above, counted},
                               {equal, fewer},
                               {fewer, equal},
                               {even, odd},
                               {odd, even},
                               {counted, counted},
                               {sorted_kinds(n, 5, 3), sorted_kinds(2 * n, 5, 4)},
                               {sorted_kinds(n, n, 5), equal},
                               {sorted_kinds(3, 1u << 20, 6), sorted_kinds(2 * n, 1u << 20, 7)}}) {
      expect_merged<Policy>(d, a, b, less{}, std::less<>{});
    }
    // For so many tiles, the answers of the earlier kernel fill their part of the workspace; one more comes after it.
    constexpr std::size_t tile = Policy::template tile_items<word>;
    if (tile < 500)
      expect_merged<Policy>(d, sorted_kinds(31 * tile, n, 1), sorted_kinds(tile, n, 2), less{}, std::less<>{});
  });
  add("at_any_address", [n](device& d) {
    for (const std::size_t offset : {1, 2, 3}) {
      expect_merged<Policy, std::uint8_t>(d, sorted_kinds<std::uint8_t>(n, 80, 1), sorted_kinds<std::uint8_t>(n, 70, 2),
                                          less{}, std::less<>{}, offset);
      expect_merged<Policy, three_bytes>(d, sorted_kinds(n, 80, 1), sorted_kinds(n / 2, 80, 2), less{}, std::less<>{},
                                         offset);
    }
  });
  add("by_comparisons", [n](device& d) {
    auto a = sorted_kinds(n, 200, 1), b = sorted_kinds(n, 200, 2);
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
    expect_merged<Policy, std::uint64_t>(d, a, b, larger_tens{}, larger_tens{});
    std::vector<named_key> named_a(n / 2), named_b(n);
    for (auto* const array : {&named_a, &named_b}) {
      const auto numbers = sorted_kinds(array->size(), 50, array->size());
      for (std::size_t i = 0; i < array->size(); ++i) {
        named_key& key = (*array)[i];
        std::memset(static_cast<void*>(&key), static_cast<int>(i % 251), sizeof key);
        key.number = numbers[i];
      }
    }
    expect_merged<Policy, row_of_80_bytes>(d, named_a, named_b, by_number{}, by_number{});
  });
  // Of keys of any bits, NaNs and both zeros among the floats, that a sort by the same order would leave like this.
  add("by_the_orders_of_the_sorts", [n](device& d) {
    const auto expect = [&]<class Key>(Key, const auto& order, auto is_in_front) {
      auto a = keys_of_random_bits<Key>(n, 2), b = keys_of_random_bits<Key>(n / 2, 2);
      if constexpr (std::is_floating_point_v<Key>) {
        const Key often[] = {Key{0}, -Key{0}, std::numeric_limits<Key>::quiet_NaN(), Key{1}};
        for (std::size_t i = 0; i < n; i += 3) a[i] = often[i / 3 % 4];
        for (std::size_t i = 0; i < n / 2; i += 2) b[i] = often[i / 2 % 4];
      }
      if constexpr (std::is_same_v<Key, particle_key>) {
        a = keys_of_random_bits<Key>(n);
        b = keys_of_random_bits<Key>(n / 2);
        for (auto* const keys : {&a, &b}) {
          for (Key& key : *keys) {
            key.layer = static_cast<std::int8_t>(key.layer % 3);
            key.depth = static_cast<float>(key.tag % 5) - 2;
            key.material = static_cast<std::uint16_t>(key.material % 4 * 300);
          }
        }
      }
      std::stable_sort(a.begin(), a.end(), is_in_front);
      std::stable_sort(b.begin(), b.end(), is_in_front);
      expect_merged<Policy>(d, a, b, order, is_in_front);
    };
    using enum sort_order;
    expect(float{}, ascending, in_front<float>);
    expect(double{}, descending, [](const double& x, const double& y) { return in_front(y, x); });
    expect(std::int16_t{}, descending, [](const std::int16_t& x, const std::int16_t& y) { return y < x; });
    expect(std::int64_t{}, descending, [](const std::int64_t& x, const std::int64_t& y) { return y < x; });
    expect(float{}, key_digits<float, nan_order::last>{descending},
           [](const float& x, const float& y) { return x != x || y != y ? x == x && y != y : y < x; });
    expect(particle_key{}, decomposed_by<particle_key>(by_layer_and_depth{}),
           [](const particle_key& x, const particle_key& y) {
             if (x.layer != y.layer) return x.layer < y.layer;
             return x.depth != y.depth ? x.depth < y.depth : x.material < y.material;
           });
  });
  add("of_as_many_keys_as_the_device_counts", [n](device& d) {
    const auto a = sorted_kinds(n, 90, 1), b = sorted_kinds(n / 2, 90, 2);
    const auto most_a = static_cast<std::int64_t>(a.size()), most_b = static_cast<std::int64_t>(b.size());
    for (const std::int64_t counted_a : {std::int64_t{-1}, std::int64_t{0}, most_a / 3, most_a + 5}) {
      for (const std::int64_t counted_b : {std::int64_t{0}, most_b - 1, most_b + 1}) {
        const auto first = [](const std::vector<word>& keys, std::int64_t count) {
          const auto most = static_cast<std::int64_t>(keys.size());
          return std::vector<word>(keys.begin(), keys.begin() + std::clamp<std::int64_t>(count, 0, most));
        };
        const auto some_a = first(a, counted_a), some_b = first(b, counted_b);
        const guarded_array<std::int64_t, Stream> count_a(d, std::vector{counted_a});
        const guarded_array<std::uint32_t, Stream> count_b(d, std::vector{static_cast<std::uint32_t>(counted_b)});
        const device_count<std::int64_t> n_a{count_a.data(), most_a};
        const device_count<std::uint32_t> n_b{count_b.data(), most_b};
        const guarded_array<word, Stream> in_a(d, a), in_b(d, b);
        guarded_array<word, Stream> out(d, n + n / 2), places(d, n + n / 2);
        const word *const from_a = in_a.data(), *const from_b = in_b.data();
        const auto behind = [](std::vector<word> first_items, const std::vector<word>& before) {
          first_items.insert(first_items.end(), before.begin() + static_cast<std::ptrdiff_t>(first_items.size()),
                             before.end());
          return first_items;
        };
        const auto before = out.items();
        const auto run = [&](const auto& n_1, const auto& n_2) {
          const std::size_t bytes =
              merge_pairs_workspace_bytes<Policy>(from_a, from_b, out.data(), from_a, from_b, places.data(), n_1, n_2);
          guarded_array<unsigned char, Stream> work(d, bytes);
          ASSERT_EQ(
              static_cast<status>(merge_pairs<Policy>(workspace{work.data(), bytes}, from_a, from_b, out.data(), from_a,
                                                      from_b, places.data(), n_1, n_2, less{}, d.stream())),
              status::success)
              << d.message();
          work.expect_guards();
        };
        run(n_a, n_b);
        const expected_merge<word> expected(some_a, some_b, std::less<>{});
        EXPECT_TRUE(same_items(out.items(), behind(expected.keys, before))) << counted_a << " and " << counted_b;
        EXPECT_TRUE(same_items(places.items(), behind(expected.keys, before)));
        out.set(before);
        run(n_a, most_b);
        EXPECT_TRUE(same_items(out.items(), behind(expected_merge<word>(some_a, b, std::less<>{}).keys, before)));
      }
    }
  });
  add("refuses_what_cannot_be", [n](device& d) {
    const auto count = static_cast<std::int64_t>(n);
    guarded_array<word, Stream> a(d, n), b(d, n), out(d, 2 * n), values(d, n), values_out(d, 2 * n);
    const std::size_t bytes =
        merge_keys_workspace_bytes<Policy>(a.data(), b.data(), out.data(), count, count, sort_order::ascending);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const workspace w{work.data(), bytes};
    const auto keys = [&](word* from_a, word* from_b, word* to, std::int64_t n_a, std::int64_t n_b) {
      return static_cast<status>(merge_keys<Policy>(w, from_a, from_b, to, n_a, n_b, less{}, d.stream()));
    };
    const auto pairs = [&](word* values_a, word* values_b, word* to) {
      return static_cast<status>(merge_pairs<Policy>(w, a.data(), b.data(), out.data(), values_a, values_b, to, count,
                                                     count, less{}, d.stream()));
    };
    constexpr auto refused = status::invalid_value;
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(keys(a.data(), b.data(), out.data(), -1, count), refused);
    EXPECT_EQ(keys(a.data(), b.data(), out.data(), count, -1), refused);
    EXPECT_EQ(keys(a.data(), b.data(), out.data(), all, count), refused);
    EXPECT_EQ(keys(nullptr, b.data(), out.data(), count, count), refused);
    EXPECT_EQ(keys(a.data(), nullptr, out.data(), count, count), refused);
    EXPECT_EQ(keys(a.data(), b.data(), nullptr, count, count), refused);
    for (word* const overlapping : {out.data(), out.data() + 2 * n - 1, out.data() + n / 2}) {
      EXPECT_EQ(keys(overlapping, b.data(), out.data(), count, count), refused);
      EXPECT_EQ(keys(a.data(), overlapping, out.data(), count, count), refused);
      EXPECT_EQ(pairs(overlapping, values.data(), values_out.data()), refused);
      EXPECT_EQ(pairs(values.data(), overlapping, values_out.data()), refused);
    }
    EXPECT_EQ(pairs(values.data(), values.data(), a.data()), refused);
    EXPECT_EQ(pairs(values.data(), values.data(), out.data()), refused);
    EXPECT_EQ(pairs(nullptr, values.data(), values_out.data()), refused);
    EXPECT_EQ(pairs(values.data(), nullptr, values_out.data()), refused);
    EXPECT_EQ(pairs(values.data(), values.data(), nullptr), refused);
    const auto with_count = [&](const std::uint32_t* at) {
      return static_cast<status>(
          merge_keys<Policy>(w, a.data(), b.data(), out.data(), device_count{at, count}, count, less{}, d.stream()));
    };
    EXPECT_EQ(with_count(nullptr), refused);
    EXPECT_EQ(with_count(out.data() + 7), refused);
    if (bytes > 0) {
      const workspace small{work.data(), bytes - 1};
      EXPECT_EQ(static_cast<status>(
                    merge_keys<Policy>(small, a.data(), b.data(), out.data(), count, count, less{}, d.stream())),
                refused);
    }
    for (auto* const array : {&a, &b, &out, &values, &values_out}) array->expect_unchanged();
    work.expect_unchanged();
    EXPECT_EQ(keys(nullptr, nullptr, nullptr, 0, 0), status::success);
    EXPECT_EQ(merge_keys_workspace_bytes<Policy>(a.data(), b.data(), out.data(), -1, count), 0u);
  });
  add("asks_for_no_less_workspace_for_more_keys", [](device&) {
    const word* const none = nullptr;
    std::size_t before = 0;
    for (std::int64_t n_a = 0; n_a < 1 << 24; n_a = n_a * 2 + 1) {
      const std::size_t bytes = merge_keys_workspace_bytes<Policy>(none, none, none, n_a, 1000);
      EXPECT_GE(bytes, before);
      before = bytes;
    }
  });
  // call(workspace) of exactly what pairs of 4 bytes need.
  const auto in_workspace = [n](device& d, auto call) {
    const word* const none = nullptr;
    const auto count = static_cast<std::int64_t>(n);
    const std::size_t bytes = merge_pairs_workspace_bytes<Policy>(none, none, none, none, none, none, count, count);
    guarded_array<unsigned char, Stream> work(d, bytes, 1);
    EXPECT_EQ(static_cast<status>(call(workspace{work.data(), bytes})), status::success) << d.message();
    work.expect_guards();
  };
  // The numbers squared and 1 more, that nothing holds in memory; only the low bytes of the merge are kept.
  add("from_and_to_iterators", [=](device& d) {
    std::vector<word> numbers(n);
    const auto b = sorted_kinds(n, n * n / 3, 1);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = squares{}[static_cast<std::int64_t>(i)];
    const expected_merge<word> expected(b, numbers, std::less<>{});
    const guarded_array<word, Stream> in(d, b);
    guarded_array<std::uint8_t, Stream> out(d, 2 * n), values_out(d, 2 * n);
    const auto count = static_cast<std::int64_t>(n);
    const array_iterator<word> from{in.data()};
    in_workspace(d, [&](workspace w) {
      return merge_pairs<Policy>(w, from, squares{}, low_bytes{out.data()}, from, squares{},
                                 low_bytes{values_out.data()}, count, count, less{}, d.stream());
    });
    const std::vector<std::uint8_t> low(expected.keys.begin(), expected.keys.end());
    EXPECT_TRUE(same_items(out.items(), low));
    EXPECT_TRUE(same_items(values_out.items(), low));
  });
  // What comes out means nothing, but nothing else is touched, nor read outside of the arrays.
  add("of_unsorted_arrays_stays_in_its_memory", [=](device& d) {
    for (const std::uint64_t salt : {1, 2, 3}) {
      const guarded_array<word, Stream> a(d, random_items<word>(n, salt)), b(d, random_items<word>(n, salt + 9));
      guarded_array<word, Stream> out(d, 2 * n), values_out(d, 2 * n);
      const auto count = static_cast<std::int64_t>(n);
      const word *const from_a = a.data(), *const from_b = b.data();
      in_workspace(d, [&](workspace w) {
        return merge_pairs<Policy>(w, from_a, from_b, out.data(), from_a, from_b, values_out.data(), count, count,
                                   less{}, d.stream());
      });
      EXPECT_TRUE(same_items(out.items(), values_out.items()));
      in_workspace(d, [&](workspace w) {
        return merge_keys<Policy>(w, from_a, from_b, out.data(), count, count, less{}, d.stream());
      });
      out.expect_guards();
    }
  });
  if (race_check) return;  // the checker knows no memory that a pool gives
  add("in_memory_of_the_pool", [n](device& d) {
    const auto keys = sorted_kinds(n, 90, 1);
    const guarded_array<word, Stream> in(d, keys);
    guarded_array<word, Stream> out(d, 2 * n);
    const word* const from = in.data();
    const auto count = static_cast<std::int64_t>(n);
    EXPECT_EQ(static_cast<status>(
                  merge_keys<Policy>(stream_pool{}, from, from, out.data(), count, count, less{}, d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(out.items(), expected_merge<word>(keys, keys, std::less<>{}).keys));
  });
}

}  // namespace upsweep::test
