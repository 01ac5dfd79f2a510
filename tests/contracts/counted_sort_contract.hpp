// Sorts of as many keys as the device counts: of places, by places, between two buffers, of rows, from an iterator.
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
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::test {

/// The first items of `from` by their places, before the old contents of the array after them.
template <class T>
std::vector<T> with_first(std::vector<T> before, const std::vector<T>& from, const std::vector<std::uint32_t>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) before[i] = from[places[i]];
  return before;
}

/// Calls body(count, keys, places): a count in device memory, of none, some and more than all of n keys, and the sorted
/// places of the keys that it counts.
template <class Stream, class Body>
void for_all_counts(test_device<Stream>& d, const std::vector<std::uint32_t>& keys, Body body) {
  const auto n = static_cast<std::int64_t>(keys.size());
  for (const std::int64_t count : {std::int64_t{0}, n / 3, n + 5}) {
    SCOPED_TRACE(count);
    const guarded_array<std::int64_t, Stream> counts(d, std::vector<std::int64_t>{count});
    const std::vector<std::uint32_t> counted(keys.begin(),
                                             keys.begin() + static_cast<std::ptrdiff_t>(std::min(count, n)));
    body(device_count<std::int64_t>{counts.data(), n},
         sorted_places(counted, sort_order::ascending, key_less<std::uint32_t>));
  }
}

template <class Method, class Stream>
void add_counted_sort_contract(const std::string& suite, std::size_t n) {
  using device = test_device<Stream>;
  using word = std::uint32_t;
  using value = std::uint64_t;
  using by_places = by_place<Method>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  const auto keys_of = [n] {
    auto keys = random_items<word>(n, 1);
    for (word& k : keys) k = k % 1000 << 13;  // equal ones, and digits that need not be sorted
    return keys;
  };
  // call(workspace) of exactly so many bytes.
  const auto run = [](device& d, std::size_t bytes, auto call) {
    guarded_array<unsigned char, Stream> work(d, bytes, 3);
    ASSERT_EQ(static_cast<status>(call(workspace{work.data(), bytes})), status::success) << d.message();
    work.expect_guards();
  };

  add("argsort", [=](device& d) {
    const auto keys = keys_of();
    std::vector<word> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    for_all_counts(d, keys, [&](const auto& count, const auto& places) {
      guarded_array<word, Stream> in(d, keys), out(d, n);
      const auto before = out.items();
      run(d, argsort_workspace_bytes<Method>(in.data(), out.data(), count), [&](workspace w) {
        return argsort<Method>(w, static_cast<const word*>(in.data()), out.data(), count, {}, {}, d.stream());
      });
      EXPECT_TRUE(same_items(out.items(), with_first(before, numbers, places)));
      in.expect_unchanged();
    });
  });
  add("pairs_by_place", [=](device& d) {
    const auto keys = keys_of();
    const auto values = random_items<value>(n, 2);
    for_all_counts(d, keys, [&](const auto& count, const auto& places) {
      guarded_array<word, Stream> keys_in(d, keys), keys_out(d, n);
      guarded_array<value, Stream> values_in(d, values), values_out(d, n);
      const auto keys_before = keys_out.items();
      const auto values_before = values_out.items();
      const std::size_t bytes = sort_pairs_workspace_bytes<by_places>(keys_in.data(), keys_out.data(), values_in.data(),
                                                                      values_out.data(), count);
      run(d, bytes, [&](workspace w) {
        return sort_pairs<by_places>(w, static_cast<const word*>(keys_in.data()), keys_out.data(),
                                     static_cast<const value*>(values_in.data()), values_out.data(), count, {}, {},
                                     d.stream());
      });
      EXPECT_TRUE(same_items(keys_out.items(), with_first(keys_before, keys, places)));
      EXPECT_TRUE(same_items(values_out.items(), with_first(values_before, values, places)));
      keys_in.expect_unchanged();
      values_in.expect_unchanged();
    });
  });
  // Four passes end where the input was, where the values must not be fetched from and to one array; of 24 bits, three
  // go over.
  add("pairs_by_place_between_two_buffers", [=](device& d) {
    auto keys = keys_of();
    const auto values = random_items<value>(n, 3);
    for (const int end : {32, 24}) {
      for (word& k : keys) k &= 0xffffffffu >> (32 - end);
      for_all_counts(d, keys, [&](const auto& count, const auto& places) {
        guarded_array<word, Stream> keys_a(d, keys), keys_b(d, n);
        guarded_array<value, Stream> values_a(d, values), values_b(d, n);
        double_buffer<word> k{keys_a.data(), keys_b.data()};
        double_buffer<value> v{values_a.data(), values_b.data()};
        run(d, sort_pairs_workspace_bytes<by_places>(k, v, count), [&](workspace w) {
          return sort_pairs<by_places>(w, k, v, count, {}, bit_range{0, end}, d.stream());
        });
        EXPECT_EQ(k.current == keys_a.data(), v.current == values_a.data());
        auto keys_now = (k.current == keys_a.data() ? keys_a : keys_b).items();
        auto values_now = (v.current == values_a.data() ? values_a : values_b).items();
        EXPECT_TRUE(same_items(keys_now, with_first(keys_now, keys, places)));
        EXPECT_TRUE(same_items(values_now, with_first(values_now, values, places)));
        for (auto* array : {&keys_a, &keys_b}) array->expect_guards();
        for (auto* array : {&values_a, &values_b}) array->expect_guards();
      });
    }
  });
  // Rows of bytes are fetched one array after the other; rows of words together, where there is room for them.
  add("rows", [=](device& d) {
    const auto keys = keys_of();
    const auto values = random_items<value>(n, 4);
    const auto words = random_items<word>(n, 5);
    const auto bytes = random_items<std::uint8_t>(n, 6);
    for_all_counts(d, keys, [&](const auto& count, const auto& places) {
      guarded_array<word, Stream> keys_in(d, keys), keys_out(d, n), words_in(d, words), words_out(d, n);
      guarded_array<value, Stream> values_in(d, values), values_out(d, n);
      guarded_array<std::uint8_t, Stream> bytes_in(d, bytes), bytes_out(d, n);
      const auto words_before = words_out.items();
      const auto values_before = values_out.items();
      const auto bytes_before = bytes_out.items();
      const auto sort_rows = [&](const auto& arrays) {
        return [&](workspace w) {
          return sort_with_values<Method>(w, static_cast<const word*>(keys_in.data()), keys_out.data(), arrays, count,
                                          {}, {}, d.stream());
        };
      };
      const value_array of_values{values_in.data(), values_out.data()};
      const std::tuple with_bytes{of_values, value_array{bytes_in.data(), bytes_out.data()}};
      const std::size_t needed =
          sort_with_values_workspace_bytes<Method>(keys_in.data(), keys_out.data(), with_bytes, count);
      run(d, needed, sort_rows(with_bytes));
      EXPECT_TRUE(same_items(values_out.items(), with_first(values_before, values, places)));
      EXPECT_TRUE(same_items(bytes_out.items(), with_first(bytes_before, bytes, places)));
      values_out.set(values_before);
      run(d, needed + 512 + n * 12, sort_rows(std::tuple{of_values, value_array{words_in.data(), words_out.data()}}));
      EXPECT_TRUE(same_items(values_out.items(), with_first(values_before, values, places)));
      EXPECT_TRUE(same_items(words_out.items(), with_first(words_before, words, places)));
    });
  });
  add("pairs_from_an_iterator", [=](device& d) {
    constexpr bit_range bits{2, 21};
    std::vector<word> keys(n), parts(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = squares{}[static_cast<std::int64_t>(i)];
      parts[i] = keys[i] >> bits.begin & ((1u << (bits.end - bits.begin)) - 1);
    }
    const auto values = random_items<word>(n, 7);
    for_all_counts(d, parts, [&](const auto& count, const auto& places) {
      guarded_array<word, Stream> keys_out(d, n), values_in(d, values), values_out(d, n);
      const auto keys_before = keys_out.items(), values_before = values_out.items();
      const std::size_t bytes = sort_pairs_workspace_bytes<Method>(
          squares{}, keys_out.data(), values_in.data(), values_out.data(), count, sort_order::ascending, bits);
      run(d, bytes, [&](workspace w) {
        return sort_pairs<Method>(w, squares{}, keys_out.data(), static_cast<const word*>(values_in.data()),
                                  values_out.data(), count, sort_order::ascending, bits, d.stream());
      });
      EXPECT_TRUE(same_items(keys_out.items(), with_first(keys_before, keys, places)));
      EXPECT_TRUE(same_items(values_out.items(), with_first(values_before, values, places)));
    });
  });
}

}  // namespace upsweep::test
