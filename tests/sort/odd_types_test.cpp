// Items with operators of their own come out of every kind of call as plain ones do.
#include "compile/odd_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

namespace upsweep::test {
namespace {

using calls::contrary;

/// Some numbers, calls over them, and what should come.
class odd_types : public testing::Test {
 protected:
  static constexpr int n = 9000;
  odd_types() : in(n), out(n), second(n), memory(std::size_t{4} << 20) {
    for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)].x = i * 7919 % 10007;
    for (const contrary& item : in) numbers.push_back(item.x);
  }
  static void expect(const std::vector<contrary>& items, const std::vector<int>& expected) {
    int wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) wrong += items[i].x != expected[i];
    EXPECT_EQ(wrong, 0);
  }
  workspace w() { return {memory.data(), memory.size()}; }

  std::vector<contrary> in, out, second;
  std::vector<int> numbers;
  std::vector<unsigned char> memory;
  std::int64_t count = 0;
};

TEST_F(odd_types, are_scanned) {
  std::vector<int> expected(n);
  std::exclusive_scan(numbers.begin(), numbers.end(), expected.begin(), 5);
  ASSERT_EQ(exclusive_scan(w(), in.data(), out.data(), n, calls::added{}, contrary{5}, sim_stream{}), status::success);
  expect(out, expected);

  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < n; ++i) {
    in[i].x = numbers[i];
    expected[i] = numbers[i] + (i > 0 && numbers[i - 1] / 10 == numbers[i] / 10 ? expected[i - 1] : 0);
  }
  ASSERT_EQ(inclusive_scan_by_key(w(), in.data(), in.data(), out.data(), n, calls::added{}, calls::has_same_tens{},
                                  sim_stream{}),
            status::success);
  expect(out, expected);
}

TEST_F(odd_types, are_selected) {
  std::vector<int> expected;
  for (const int x : numbers) {
    if (x % 3 == 0) expected.push_back(x);
  }
  ASSERT_EQ(select_if(w(), in.data(), out.data(), &count, n, calls::is_third{}, sim_stream{}), status::success);
  EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
  expect(out, expected);

  expected.clear();
  for (std::size_t i = 0; i < n; i += 3) expected.push_back(numbers[i]);
  ASSERT_EQ(select(w(), in.data(), out.data(), &count, n, by_index{calls::at_third{}}, sim_stream{}), status::success);
  EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
  expect(out, expected);

  std::sort(numbers.begin(), numbers.end());
  expected.clear();
  for (std::size_t i = 0; i < n; ++i) {
    in[i].x = numbers[i];
    if (i == 0 || numbers[i - 1] / 10 != numbers[i] / 10) expected.push_back(numbers[i]);
  }
  ASSERT_EQ(unique_by_key(w(), in.data(), out.data(), in.data(), second.data(), &count, n, calls::has_same_tens{},
                          sim_stream{}),
            status::success);
  EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
  expect(out, expected);
  expect(second, expected);
}

TEST_F(odd_types, are_split) {
  std::vector<std::int64_t> offsets(11);
  ASSERT_EQ(split(w(), in.data(), out.data(), offsets.data(), n, 10, calls::by_last_digit{}, sim_stream{}),
            status::success);
  std::stable_sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 10 < b % 10; });
  expect(out, numbers);
}

TEST_F(odd_types, are_values_and_keys_of_sorts) {
  std::vector<unsigned> keys(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<unsigned>(in[i].x);
  ASSERT_EQ(
      sort_pairs(w(), keys.data(), sorted.data(), in.data(), out.data(), n, sort_order::descending, {}, sim_stream{}),
      status::success);
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  expect(out, numbers);

  // A lambda with a capture cannot be assigned or made anew, and a mutable one is not const.
  const auto turned = [by = 5000, place = 0](const contrary& c) mutable {
    place = (c.x + by) % 10007;
    return std::tuple(place);
  };
  ASSERT_EQ(sort_keys(w(), in.data(), out.data(), n, decomposed_by<contrary>(turned), {}, sim_stream{}),
            status::success);
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return (a + 5000) % 10007 < (b + 5000) % 10007; });
  expect(out, numbers);
}

}  // namespace
}  // namespace upsweep::test
