// What lower_bound and upper_bound promise, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "contracts/merge_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/merge.cuh"

namespace upsweep::test {

/// The bounds of all needles by std::lower_bound, or by std::upper_bound.
template <class Index, class Key, class Less>
std::vector<Index> expected_bounds(bool upper, const std::vector<Key>& keys, const std::vector<Key>& needles,
                                   Less less_of_host) {
  std::vector<Index> bounds;
  for (const Key& needle : needles) {
    const auto at = upper ? std::upper_bound(keys.begin(), keys.end(), needle, less_of_host)
                          : std::lower_bound(keys.begin(), keys.end(), needle, less_of_host);
    bounds.push_back(static_cast<Index>(at - keys.begin()));
  }
  return bounds;
}

/// Looks for both bounds, and compares. The arrays begin `offset` items, or one more, after an aligned address.
template <class Policy, class Index = std::int64_t, class Key, class Order, class Less, class Stream>
void expect_bounds(test_device<Stream>& d, const std::vector<Key>& keys, const std::vector<Key>& needles,
                   const Order& order, Less less_of_host, std::size_t offset = 0) {
  const guarded_array<Key, Stream> in(d, keys, offset * sizeof(Key)), wanted(d, needles, (offset + 1) * sizeof(Key));
  const Key *const from = in.data(), *const of = wanted.data();
  const auto n = static_cast<std::int64_t>(keys.size());
  const auto m = static_cast<std::int32_t>(needles.size());
  for (const bool upper : {false, true}) {
    guarded_array<Index, Stream> out(d, needles.size(), offset * sizeof(Index));
    ASSERT_EQ(static_cast<status>(upper ? upper_bound<Policy>(from, of, out.data(), n, m, order, d.stream())
                                        : lower_bound<Policy>(from, of, out.data(), n, m, order, d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(out.items(), expected_bounds<Index>(upper, keys, needles, less_of_host)))
        << (upper ? "upper bounds of " : "lower bounds of ") << m << " in " << n;
  }
}

/// Every number of needles up to two tiles and one more, and of keys up to one more than a block brings to shared
/// memory.
template <class Policy, class Stream>
void add_every_bounds_contract(const std::string& suite) {
  add_test<Stream>("bounds/" + suite, "of_every_size", [](test_device<Stream>& d) {
    constexpr std::size_t tile = Policy::template tile_items<std::uint32_t>, most = 2 * tile + 1;
    const std::size_t step = race_check ? 7 : 1;
    for (std::size_t n = 0; n <= most; n += step) {
      for (const std::size_t m : {std::size_t{0}, std::size_t{1}, tile - 1, tile, tile + 1, most}) {
        const auto some = sorted_kinds(n, n / 4 + 1, 1), others = sorted_kinds(m, n / 4 + 1, 2);
        expect_bounds<Policy>(d, some, others, less{}, std::less<>{});
        if (n != m) expect_bounds<Policy>(d, others, some, less{}, std::less<>{});
        if (testing::Test::HasFailure()) return;
      }
    }
  });
}

template <class Policy, class Stream>
void add_bounds_contract(const std::string& suite, std::size_t n) {
  using device = test_device<Stream>;
  using word = std::uint32_t;
  const auto add = [&](const char* claim, std::function<void(device&)> body) {
    add_test<Stream>("bounds/" + suite, claim, body);
  };

  // Stretches of keys that fit shared memory and that do not, many equal ones, and needles beyond both ends.
  add("of_sorted_needles", [n](device& d) {
    const std::vector<word> low(n, 0), high(n / 2, 0xffffffffu), equal(n, 30);
    for (const auto& [keys, needles] : {std::pair{sorted_kinds(n, n, 1), sorted_kinds(n, n, 2)},
                                        {sorted_kinds(5 * n, n, 3), sorted_kinds(n, n, 4)},
                                        {sorted_kinds(n, n, 5), sorted_kinds(7, n, 6)},
                                        {sorted_kinds(n, 5, 7), sorted_kinds(n, 5, 8)},
                                        {sorted_kinds(n, 40, 9), low},
                                        {sorted_kinds(n, 40, 9), high},
                                        {equal, sorted_kinds(n, 20, 1)},
                                        {sorted_kinds(n, 20, 1), equal},
                                        {sorted_kinds(3, n, 2), sorted_kinds(n, n, 3)}}) {
      expect_bounds<Policy>(d, keys, needles, less{}, std::less<>{});
    }
  });
  add("of_needles_in_any_order", [n](device& d) {
    const auto keys = sorted_kinds(n, n, 1);
    auto needles = random_items<word>(n);
    for (word& needle : needles) needle %= 3 * static_cast<word>(n) + 9;
    expect_bounds<Policy, std::int32_t>(d, keys, needles, less{}, std::less<>{});
    std::sort(needles.rbegin(), needles.rend());
    expect_bounds<Policy, std::uint32_t>(d, keys, needles, less{}, std::less<>{});
    std::reverse(needles.begin(), needles.end());
    for (std::size_t i = 5; i < n; i += 11) needles[i] = i % 2 == 0 ? 0 : 0xffffffffu;
    expect_bounds<Policy>(d, keys, needles, less{}, std::less<>{});
  });
  add("at_any_address_and_by_any_order", [n](device& d) {
    for (const std::size_t offset : {1, 2, 3}) {
      expect_bounds<Policy>(d, sorted_kinds<std::uint8_t>(n, 80, 1), sorted_kinds<std::uint8_t>(n, 70, 2), less{},
                            std::less<>{}, offset);
    }
    auto keys = sorted_kinds(n, 200, 1), needles = sorted_kinds(n, 200, 2);
    std::reverse(keys.begin(), keys.end());
    std::reverse(needles.begin(), needles.end());
    expect_bounds<Policy>(d, keys, needles, larger_tens{}, larger_tens{});
    expect_bounds<Policy>(d, keys, needles, sort_order::descending, std::greater<>{});
    auto numbers = keys_of_random_bits<double>(n, 2), more = keys_of_random_bits<double>(n / 2, 2);
    for (std::size_t i = 0; i < n / 2; i += 5) {
      numbers[i] = numbers[i + 1] = more[i] = i % 2 == 0 ? -0.0 : std::numeric_limits<double>::quiet_NaN();
    }
    std::sort(numbers.begin(), numbers.end(), in_front<double>);
    std::sort(more.begin(), more.end(), in_front<double>);
    expect_bounds<Policy>(d, numbers, more, sort_order::ascending, in_front<double>);
  });
  add("of_as_many_as_the_device_counts", [n](device& d) {
    const auto keys = sorted_kinds(n, n, 1), needles = sorted_kinds(n, n, 2);
    const auto most = static_cast<std::int64_t>(n);
    for (const std::int64_t counted : {std::int64_t{0}, most / 3, most + 5}) {
      for (const std::int64_t wanted : {std::int64_t{-3}, most / 2, most + 1}) {
        const guarded_array<std::int64_t, Stream> counts(d, std::vector{counted, wanted});
        const guarded_array<word, Stream> in(d, keys), of(d, needles);
        guarded_array<std::int64_t, Stream> out(d, n);
        auto expected = out.items();
        const word *const from = in.data(), *const needle = of.data();
        ASSERT_EQ(static_cast<status>(lower_bound<Policy>(from, needle, out.data(), device_count{counts.data(), most},
                                                          device_count{counts.data() + 1, most}, less{}, d.stream())),
                  status::success)
            << d.message();
        const auto first = [](const std::vector<word>& all, std::int64_t count) {
          return std::vector<word>(
              all.begin(), all.begin() + std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(all.size())));
        };
        const auto some =
            expected_bounds<std::int64_t>(false, first(keys, counted), first(needles, wanted), std::less<>{});
        std::copy(some.begin(), some.end(), expected.begin());
        EXPECT_TRUE(same_items(out.items(), expected)) << counted << " and " << wanted;
      }
    }
  });
  add("refuses_what_cannot_be", [n](device& d) {
    const auto count = static_cast<std::int64_t>(n);
    guarded_array<word, Stream> keys(d, n), needles(d, n), out(d, n);
    const auto look = [&](const word* in, const word* of, word* to, auto n_in, auto n_of) {
      const auto lower = static_cast<status>(lower_bound<Policy>(in, of, to, n_in, n_of, less{}, d.stream()));
      EXPECT_EQ(static_cast<status>(upper_bound<Policy>(in, of, to, n_in, n_of, less{}, d.stream())), lower);
      return lower;
    };
    constexpr auto refused = status::invalid_value;
    EXPECT_EQ(look(keys.data(), needles.data(), out.data(), std::int64_t{-1}, count), refused);
    EXPECT_EQ(look(keys.data(), needles.data(), out.data(), count, std::int64_t{-1}), refused);
    EXPECT_EQ(look(nullptr, needles.data(), out.data(), count, count), refused);
    EXPECT_EQ(look(keys.data(), nullptr, out.data(), count, count), refused);
    EXPECT_EQ(look(keys.data(), needles.data(), nullptr, count, count), refused);
    for (auto* const array : {&keys, &needles}) {
      EXPECT_EQ(look(keys.data(), needles.data(), array->data() + n - 1, count, count), refused);
    }
    const word* const none = nullptr;
    EXPECT_EQ(look(keys.data(), needles.data(), out.data(), device_count{none, count}, count), refused);
    EXPECT_EQ(look(keys.data(), needles.data(), out.data(), count, device_count{none, count}), refused);
    EXPECT_EQ(look(keys.data(), needles.data(), out.data(), count, device_count{out.data() + 1, count}), refused);
    for (auto* const array : {&keys, &needles, &out}) array->expect_unchanged();
    EXPECT_EQ(look(nullptr, nullptr, nullptr, count, std::int64_t{0}), status::success);
    // Without keys every needle has place 0.
    EXPECT_EQ(look(nullptr, needles.data(), out.data(), std::int64_t{0}, std::int64_t{0}), status::success);
  });
  add("from_and_to_iterators", [n](device& d) {
    std::vector<word> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = squares{}[static_cast<std::int64_t>(i)];
    const auto needles = sorted_kinds(n, n * n / 3, 1);
    const guarded_array<word, Stream> of(d, needles);
    guarded_array<std::uint8_t, Stream> out(d, n);
    const auto count = static_cast<std::int64_t>(n);
    ASSERT_EQ(static_cast<status>(upper_bound<Policy>(squares{}, array_iterator<word>{of.data()}, low_bytes{out.data()},
                                                      count, count, less{}, d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(out.items(), expected_bounds<std::uint8_t>(true, keys, needles, std::less<>{})));
  });
  // What comes out means nothing, but nothing outside of the array is read.
  add("in_an_unsorted_array_stay_in_it", [n](device& d) {
    const guarded_array<word, Stream> in(d, random_items<word>(n, 1)), of(d, random_items<word>(n, 2));
    guarded_array<std::int64_t, Stream> out(d, n);
    const auto count = static_cast<std::int64_t>(n);
    const word *const from = in.data(), *const needles = of.data();
    EXPECT_EQ(static_cast<status>(lower_bound<Policy>(from, needles, out.data(), count, count, less{}, d.stream())),
              status::success)
        << d.message();
    const auto places = out.items();
    EXPECT_TRUE(std::all_of(places.begin(), places.end(), [&](std::int64_t at) { return 0 <= at && at <= count; }));
  });
}

}  // namespace upsweep::test
