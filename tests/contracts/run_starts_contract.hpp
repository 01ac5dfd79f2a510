// Where runs of equal keys begin and end, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/run_starts.cuh"
#include "upsweep/sort/sort_runs.cuh"

namespace upsweep::test {

/// Where the runs of `count` sorted keys begin and end, of which run(key) is the number.
template <class Index>
struct expected_runs {
  static constexpr std::int64_t runs = 700;
  std::vector<Index> begins = std::vector<Index>(runs), ends = begins;

  template <class Key, class Run>
  expected_runs(const std::vector<Key>& keys, std::size_t count, Run run) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t r = run(keys[i]);
      if (r >= runs) continue;
      if (ends[r] == 0) begins[r] = static_cast<Index>(i);
      ends[r] = static_cast<Index>(i + 1);
    }
  }
};

/// Finds the runs of the first `count` of sorted keys, and compares.
template <class Index, class Key, class Stream, class Count, class Digits, class Run>
void expect_runs(test_device<Stream>& d, const std::vector<Key>& keys, std::size_t count, Count n, bit_range bits,
                 const Digits& digits, Run run) {
  const expected_runs<Index> expected(keys, count, run);
  constexpr std::int64_t runs = expected_runs<Index>::runs;
  const guarded_array<Key, Stream> in(d, keys);
  guarded_array<Index, Stream> begins_out(d, runs), ends_out(d, runs);
  ASSERT_EQ(static_cast<status>(run_starts(static_cast<const Key*>(in.data()),
                                           run_arrays<Index>{begins_out.data(), ends_out.data(), runs}, n, digits, bits,
                                           d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(begins_out.items(), expected.begins));
  EXPECT_TRUE(same_items(ends_out.items(), expected.ends));
}

template <class Stream>
void add_run_starts_contract(const std::string& suite, std::size_t n) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  // Some numbers are of no key, and some of no run that is asked for.
  const auto numbers = [n] {
    auto keys = random_items<std::uint32_t>(n);
    for (auto& k : keys) k = k % 1000 / 3 * 3;
    return keys;
  };

  add("of_keys_sorted_either_way", [=](device& d) {
    auto keys = numbers();
    const auto itself = [](std::uint32_t k) { return k; };
    const auto count = static_cast<int>(n);
    std::sort(keys.begin(), keys.end());
    expect_runs<std::int32_t>(d, keys, n, count, {}, key_digits<std::uint32_t>{}, itself);
    std::reverse(keys.begin(), keys.end());
    expect_runs<std::int32_t>(d, keys, n, count, {}, key_digits<std::uint32_t>{}, itself);
    // By the code of the descending order, the largest key is that of run 0.
    for (auto& k : keys) k += 0xffffffffu - 900;
    expect_runs<std::int32_t>(d, keys, n, count, {}, key_digits<std::uint32_t>{sort_order::descending},
                              [](std::uint32_t k) { return ~k; });
  });
  add("of_a_range_of_bits", [=](device& d) {
    auto keys = numbers();
    const auto part = [](std::uint32_t k) { return k >> 7 & 0x3ffu; };
    for (auto& k : keys) k = k << 7 | k % 7 << 21 | k % 100;  // the bits around it differ in keys of one run
    std::stable_sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) { return part(a) < part(b); });
    expect_runs<std::int32_t>(d, keys, n, static_cast<int>(n), {7, 17}, key_digits<std::uint32_t>{}, part);
  });
  // The bits above 24 are taken apart from those below, and keys that have some are of no run that is asked for.
  add("of_48_bits_and_as_many_keys_as_the_device_counts", [=](device& d) {
    std::vector<std::uint64_t> keys;
    for (const std::uint32_t k : numbers())
      keys.push_back((k + (std::uint64_t{k % 5} << (k % 2 ? 24 : 47))) << 9 | k % 8);
    const auto part = [](std::uint64_t k) { return k >> 9 & 0xffffffffffffu; };
    std::sort(keys.begin(), keys.end(), [&](std::uint64_t a, std::uint64_t b) { return part(a) < part(b); });
    for (const std::size_t count : {std::size_t{0}, n / 3, n + 7}) {
      const guarded_array<std::int64_t, Stream> counts(d, std::vector<std::int64_t>{static_cast<std::int64_t>(count)});
      const device_count<std::int64_t> counted{counts.data(), static_cast<std::int64_t>(n)};
      expect_runs<std::int64_t>(d, keys, std::min(count, n), counted, {9, 57}, key_digits<std::uint64_t>{}, part);
    }
  });
  add("of_more_keys_than_blocks_take_at_once_on_the_sim", [](device& d) {
    auto keys = random_items<std::uint32_t>(30'001);
    for (auto& k : keys) k = k % 600;
    std::sort(keys.begin(), keys.end());
    expect_runs<std::int32_t>(d, keys, keys.size(), static_cast<int>(keys.size()), {}, key_digits<std::uint32_t>{},
                              [](std::uint32_t k) { return k; });
  });
  add("in_the_call_that_sorts", [=](device& d) {
    using index = std::int32_t;
    const auto keys = numbers();
    auto sorted = keys;
    std::vector<std::uint32_t> places(n);
    std::iota(places.begin(), places.end(), 0u);
    auto sorted_places = places;
    std::stable_sort(sorted.begin(), sorted.end());
    std::stable_sort(sorted_places.begin(), sorted_places.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    const expected_runs<index> expected(sorted, n, [](std::uint32_t k) { return k; });
    constexpr std::int64_t runs = expected_runs<index>::runs;
    guarded_array<std::uint32_t, Stream> keys_in(d, keys), values_in(d, places), keys_out(d, n), values_out(d, n);
    guarded_array<index, Stream> begins(d, runs), ends(d, runs);
    const auto count = static_cast<std::int32_t>(n);
    const auto* const from = static_cast<const std::uint32_t*>(keys_in.data());
    const auto* const values = static_cast<const std::uint32_t*>(values_in.data());
    const run_arrays<index> found{begins.data(), ends.data(), runs};
    const std::size_t bytes =
        sort_pairs_workspace_bytes(from, keys_out.data(), values, values_out.data(), found, count);
    guarded_array<unsigned char, Stream> memory(d, bytes);
    const workspace w{memory.data(), bytes};
    const auto with_values = [&](index* to, index* to_ends, bit_range bits) {
      return static_cast<status>(sort_pairs(w, from, keys_out.data(), values, values_out.data(),
                                            run_arrays<index>{to, to_ends, runs}, count, sort_order::ascending, bits,
                                            d.stream()));
    };
    const auto alone = [&](index* to, index* to_ends) {
      return static_cast<status>(sort_keys(w, from, keys_out.data(), run_arrays<index>{to, to_ends, runs}, count,
                                           sort_order::ascending, bit_range{0, 10}, d.stream()));
    };
    for (auto* const array : {&keys_in, &keys_out, &values_in, &values_out}) {
      auto* const inside = reinterpret_cast<index*>(array->data() + n - 1);
      EXPECT_EQ(with_values(inside, ends.data(), {0, 10}), status::invalid_value);
      EXPECT_EQ(with_values(begins.data(), inside, {0, 10}), status::invalid_value);
    }
    EXPECT_EQ(alone(reinterpret_cast<index*>(keys_out.data()), ends.data()), status::invalid_value);
    EXPECT_EQ(with_values(begins.data(), begins.data(), {0, 10}), status::invalid_value);
    EXPECT_EQ(with_values(nullptr, ends.data(), {0, 10}), status::invalid_value);
    EXPECT_EQ(with_values(begins.data(), ends.data(), {3, 3}), status::invalid_value);
    for (auto* const array : {&keys_out, &values_out}) array->expect_unchanged();
    for (auto* const array : {&begins, &ends}) array->expect_unchanged();
    memory.expect_unchanged();

    ASSERT_EQ(with_values(begins.data(), ends.data(), {0, 10}), status::success) << d.message();
    EXPECT_TRUE(same_items(keys_out.items(), sorted));
    EXPECT_TRUE(same_items(values_out.items(), sorted_places));
    EXPECT_TRUE(same_items(begins.items(), expected.begins));
    EXPECT_TRUE(same_items(ends.items(), expected.ends));
    begins.set(std::vector<index>(runs, 7));
    ASSERT_EQ(alone(begins.data(), ends.data()), status::success) << d.message();
    EXPECT_TRUE(same_items(keys_out.items(), sorted));
    EXPECT_TRUE(same_items(begins.items(), expected.begins));
  });
  // Whichever way the keys are sorted, run r is that of the keys whose bits are r.
  add("in_a_call_that_sorts_the_other_way", [=](device& d) {
    using index = std::int32_t;
    const auto keys = numbers();
    auto sorted = keys;
    std::stable_sort(sorted.begin(), sorted.end(), std::greater<>{});
    const expected_runs<index> expected(sorted, n, [](std::uint32_t k) { return k; });
    constexpr std::int64_t runs = expected_runs<index>::runs;
    const guarded_array<std::int64_t, Stream> counted(d, std::vector<std::int64_t>{static_cast<std::int64_t>(n)});
    const device_count<std::int64_t> count{counted.data(), static_cast<std::int64_t>(n) + 3};
    for (const bit_range bits : {bit_range{0, 10}, bit_range{}}) {
      guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, n + 3);
      guarded_array<index, Stream> begins(d, runs), ends(d, runs);
      const run_arrays<index> found{begins.data(), ends.data(), runs};
      const std::size_t bytes =
          sort_keys_workspace_bytes(keys_in.data(), keys_out.data(), found, count, sort_order::descending, bits);
      guarded_array<unsigned char, Stream> memory(d, bytes);
      ASSERT_EQ(static_cast<status>(sort_keys(workspace{memory.data(), bytes},
                                              static_cast<const std::uint32_t*>(keys_in.data()), keys_out.data(), found,
                                              count, sort_order::descending, bits, d.stream())),
                status::success)
          << d.message();
      auto got = keys_out.items();
      got.resize(n);
      EXPECT_TRUE(same_items(got, sorted));
      EXPECT_TRUE(same_items(begins.items(), expected.begins));
      EXPECT_TRUE(same_items(ends.items(), expected.ends));
    }
  });
}

}  // namespace upsweep::test
