// What histogram and histogram_index promise, on any device.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contracts/group_by_contract.hpp"
#include "support/guarded_array.hpp"
#include "upsweep/compact/histogram.cuh"

namespace upsweep::test {

/// Items and indices, beside a plain loop.
template <class Policy, class Counter, class Stream>
void expect_counted(test_device<Stream>& d, const std::vector<std::int32_t>& numbers, int buckets,
                    std::int64_t items = -1) {
  const auto all = static_cast<std::int64_t>(numbers.size()), n = items < 0 ? all : items;
  SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(buckets) + " buckets");
  std::vector<Counter> right(static_cast<std::size_t>(buckets));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t b = numbers[static_cast<std::size_t>(i)];
    if (b >= 0 && b < buckets) ++right[static_cast<std::size_t>(b)];
  }
  guarded_array<std::int32_t, Stream> in(d, numbers, 4);
  guarded_array<Counter, Stream> counts(d, right.size(), sizeof(Counter)), again(d, right.size());
  const std::int32_t* const from = in.data();
  const by_index at{number_at{from}};
  if (items < 0) {
    EXPECT_EQ(static_cast<status>(histogram<Policy>(from, counts.data(), n, buckets, number_of_item{}, d.stream())),
              status::success)
        << d.message();
    EXPECT_EQ(static_cast<status>(histogram_index<Policy>(again.data(), n, buckets, at, d.stream())), status::success)
        << d.message();
  } else {
    const guarded_array<std::int64_t, Stream> length(d, std::vector<std::int64_t>{n});
    const device_count counted{length.data(), all};
    EXPECT_EQ(
        static_cast<status>(histogram<Policy>(from, counts.data(), counted, buckets, number_of_item{}, d.stream())),
        status::success)
        << d.message();
    EXPECT_EQ(static_cast<status>(histogram_index<Policy>(again.data(), counted, buckets, at, d.stream())),
              status::success)
        << d.message();
  }
  EXPECT_TRUE(same_items(counts.items(), right));
  EXPECT_TRUE(same_items(again.items(), right));
  in.expect_unchanged();
}

template <class Policy, class Stream>
void add_histogram_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr std::int64_t tile = Policy::tile_items;

  add("counts_any_number_of_items", [](device& d) {
    for (const std::int64_t n :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{33}, tile - 1, tile, tile + 1, 9 * tile + 7}) {
      for (const int buckets : {1, 2, 31, 256}) {
        expect_counted<Policy, std::uint32_t>(d, random_numbers(n, -1, buckets + 1), buckets);
      }
    }
  });
  add("counts_any_number_of_buckets", [](device& d) {
    for (const int buckets : {64, 65, 2048, 2049, 4096, 11776, 11777, 65536}) {
      expect_counted<Policy, std::uint64_t>(d, random_numbers(2 * tile + 5, -buckets / 9, buckets + 3), buckets);
    }
  });
  add("all_in_one_bucket", [](device& d) {
    for (const int buckets : {1, 300, 20000}) {
      expect_counted<Policy, std::int64_t>(d, std::vector<std::int32_t>(3 * tile, buckets - 1), buckets);
      expect_counted<Policy, int>(d, std::vector<std::int32_t>(3 * tile, buckets), buckets);
    }
  });
  add("n_in_device_memory", [](device& d) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, tile + 1, 3 * tile}) {
      expect_counted<Policy, std::uint32_t>(d, random_numbers(3 * tile, 0, 40), 40, n);
    }
  });
  add("wrong_arguments_are_refused_and_nothing_is_touched", [](device& d) {
    guarded_array<std::int32_t, Stream> in(d, random_numbers(100, 0, 9)), counts(d, 10);
    const auto call = [&](std::int32_t* from, std::int32_t* to, auto n, int buckets) {
      return static_cast<status>(histogram<Policy>(from, to, n, buckets, number_of_item{}, d.stream()));
    };
    std::int32_t *const a = in.data(), *const b = counts.data();
    EXPECT_EQ(call(a, b, -1, 9), status::invalid_value);
    EXPECT_EQ(call(a, b, 100, 0), status::invalid_value);
    EXPECT_EQ(call(a, b, 100, 65537), status::invalid_value);
    EXPECT_EQ(call(nullptr, b, 100, 9), status::invalid_value);
    EXPECT_EQ(call(a, nullptr, 100, 9), status::invalid_value);
    EXPECT_EQ(call(a, a + 99, 100, 9), status::invalid_value);
    EXPECT_EQ(call(a, b, device_count{b + 3, 100}, 9), status::invalid_value);
    EXPECT_EQ(call(a, b, device_count<std::int32_t>{nullptr, 100}, 9), status::invalid_value);
    in.expect_unchanged();
    counts.expect_unchanged();
  });
}

}  // namespace upsweep::test
