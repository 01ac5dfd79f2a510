// What a sort promises that has a second array from the caller: where the result is, and which arrays are refused.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "contracts/sort_contract.hpp"

namespace upsweep::test {

/// Arrays of n keys and values in device memory, the places as values, and what a sort by some bits makes of them.
template <class Stream>
struct two_buffers {
  std::vector<std::uint32_t> keys, places, sorted;
  guarded_array<std::uint32_t, Stream> keys_a, keys_b, values_a, values_b;

  two_buffers(const test_device<Stream>& d, std::size_t n, bit_range bits, const char* distribution = "uniform")
      : keys(random_keys<std::uint32_t>(n, distribution)),
        keys_a(d, keys),
        keys_b(d, n),
        values_a(d, n),
        values_b(d, n) {
    const auto part = [=](std::uint32_t k) {
      const int end = bits.end == bit_range::full_width ? 32 : bits.end;
      return (std::uint64_t{k} & ((std::uint64_t{1} << end) - 1)) >> bits.begin;
    };
    places =
        sorted_places(keys, sort_order::ascending, [&](std::uint32_t a, std::uint32_t b) { return part(a) < part(b); });
    for (const std::uint32_t p : places) sorted.push_back(keys[p]);
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0u);
    values_a.set(values);
  }
  void expect_guards() {
    for (auto* array : {&keys_a, &keys_b, &values_a, &values_b}) array->expect_guards();
  }
};

template <class Policy, class Stream>
void add_two_buffers_contract(const std::string& suite, std::size_t n) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  const auto count = static_cast<std::int64_t>(n);
  // Odd and even numbers of passes, by digits of any width; of keys of 16 bits passes are skipped.
  struct sorted_bits {
    bit_range bits;
    const char* distribution = "uniform";
  };
  static constexpr sorted_bits sorts[] = {
      {{}}, {{0, 8}}, {{3, 20}}, {{9, 9}}, {{4, 7}}, {{0, 24}, "low_16_bits"}, {{}, "low_16_bits"}};

  add("the_result_is_in_the_current_buffer", [=](device& d) {
    for (const auto& [bits, distribution] : sorts) {
      SCOPED_TRACE(testing::Message() << distribution << ", bits " << bits.begin << " to " << bits.end);
      two_buffers<Stream> b(d, n, bits, distribution);
      double_buffer<std::uint32_t> keys{b.keys_a.data(), b.keys_b.data()}, values{b.values_a.data(), b.values_b.data()};
      guarded_array<unsigned char, Stream> work(
          d, sort_pairs_workspace_bytes<Policy>(keys, values, count, sort_order::ascending, bits), 1);
      ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(workspace{work.data(), work.size()}, keys, values, count,
                                                       sort_order::ascending, bits, d.stream())),
                status::success)
          << d.message();
      const bool in_a = keys.current == b.keys_a.data();
      EXPECT_EQ(keys.other, (in_a ? b.keys_b : b.keys_a).data());
      EXPECT_EQ(in_a, values.current == b.values_a.data());
      EXPECT_TRUE(same_items((in_a ? b.keys_a : b.keys_b).items(), b.sorted));
      EXPECT_TRUE(same_items((in_a ? b.values_a : b.values_b).items(), b.places));
      b.expect_guards();
      work.expect_guards();
    }
  });
  add("with_scratch_everything_stays_where_it_is", [=](device& d) {
    for (const auto& [bits, distribution] : sorts) {
      SCOPED_TRACE(testing::Message() << distribution << ", bits " << bits.begin << " to " << bits.end);
      two_buffers<Stream> b(d, n, bits, distribution);
      const std::size_t bytes = sort_pairs_in_place_workspace_bytes<Policy>(
          b.keys_a.data(), b.keys_b.data(), b.values_a.data(), b.values_b.data(), count, sort_order::ascending, bits);
      guarded_array<unsigned char, Stream> work(d, bytes, 1);
      ASSERT_EQ(static_cast<status>(sort_pairs_in_place<Policy>(workspace{work.data(), work.size()}, b.keys_a.data(),
                                                                b.keys_b.data(), b.values_a.data(), b.values_b.data(),
                                                                count, sort_order::ascending, bits, d.stream())),
                status::success)
          << d.message();
      EXPECT_TRUE(same_items(b.keys_a.items(), b.sorted));
      EXPECT_TRUE(same_items(b.values_a.items(), b.places));
      b.expect_guards();
      work.expect_guards();
    }
  });
  add("buffers_that_overlap_are_refused_and_not_touched", [](device& d) {
    constexpr std::int64_t n = 600;
    two_buffers<Stream> b(d, n, {});
    std::uint32_t *const k = b.keys_a.data(), *const v = b.values_a.data();
    std::uint32_t *const other_k = b.keys_b.data(), *const other_v = b.values_b.data();
    guarded_array<unsigned char, Stream> work(d, sort_pairs_in_place_workspace_bytes<Policy>(k, other_k, v, other_v, n),
                                              1);
    struct wrong_buffers {
      const char* what;
      double_buffer<std::uint32_t> keys, values;
    };
    for (const wrong_buffers& w : {wrong_buffers{"all keys but one", {k, k + 1}, {v, other_v}},
                                   {"the last key", {k, k + (n - 1)}, {v, other_v}},
                                   {"the same keys", {k, k}, {v, other_v}},
                                   {"no other keys", {k, nullptr}, {v, other_v}},
                                   {"no keys", {nullptr, other_k}, {v, other_v}},
                                   {"all values but one", {k, other_k}, {v, v + 1}},
                                   {"the same values", {k, other_k}, {v, v}},
                                   {"no other values", {k, other_k}, {v, nullptr}},
                                   {"no values", {k, other_k}, {nullptr, other_v}}}) {
      for (const auto& [bits, distribution] : sorts) {
        SCOPED_TRACE(testing::Message() << w.what << ", bits " << bits.begin << " to " << bits.end);
        auto keys = w.keys, values = w.values;
        EXPECT_EQ(static_cast<status>(sort_pairs<Policy>(workspace{work.data(), work.size()}, keys, values, n,
                                                         sort_order::ascending, bits, d.stream())),
                  status::invalid_value);
        EXPECT_EQ(keys.current, w.keys.current);
        EXPECT_EQ(values.current, w.values.current);
      }
    }
    for (auto* array : {&b.keys_a, &b.keys_b, &b.values_a, &b.values_b}) array->expect_unchanged();
    work.expect_unchanged();
  });
}

/// Keys alone, as many as the device counts; those after them are not touched. Of an odd number of passes all run, or
/// all but one.
template <class Policy, class Stream>
void add_in_place_contract(const std::string& suite, std::size_t n) {
  add_test<Stream>(suite, "as_many_keys_as_the_device_counts_are_sorted_in_place", [n](test_device<Stream>& d) {
    for (const auto& [bits, distribution] : {std::pair{bit_range{0, 8}, "uniform"}, {{0, 24}, "low_16_bits"}}) {
      SCOPED_TRACE(testing::Message() << "bits " << bits.begin << " to " << bits.end << ", " << distribution);
      const two_buffers<Stream> front(d, n / 2, bits, distribution);
      two_buffers<Stream> b(d, n, bits, distribution);
      auto expected = b.keys;
      std::copy(front.sorted.begin(), front.sorted.end(), expected.begin());
      auto keys = b.keys;
      std::copy(front.keys.begin(), front.keys.end(), keys.begin());
      b.keys_a.set(keys);
      const guarded_array<std::uint64_t, Stream> count(d, std::vector<std::uint64_t>{n / 2});
      const device_count counted(count.data(), static_cast<std::int64_t>(n));
      guarded_array<unsigned char, Stream> work(
          d,
          sort_keys_in_place_workspace_bytes<Policy>(b.keys_a.data(), b.keys_b.data(), counted, sort_order::ascending,
                                                     bits),
          1);
      const auto sort = [&, &bits = bits](auto items) {
        return static_cast<status>(sort_keys_in_place<Policy>(workspace{work.data(), work.size()}, b.keys_a.data(),
                                                              b.keys_b.data(), items, sort_order::ascending, bits,
                                                              d.stream()));
      };
      EXPECT_EQ(sort(0), status::success);
      EXPECT_EQ(sort(-1), status::invalid_value);
      EXPECT_TRUE(same_items(b.keys_a.items(), keys));
      ASSERT_EQ(sort(counted), status::success) << d.message();
      EXPECT_TRUE(same_items(b.keys_a.items(), expected));
      b.expect_guards();
      work.expect_guards();
    }
  });
}

}  // namespace upsweep::test
