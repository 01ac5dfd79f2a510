// The checks of upsweep-bench accept what plain code makes and reject any single damage.
#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "element_types.hpp"
#include "support.hpp"
#include "support/random_items.hpp"
#include "workload.hpp"

namespace upsweep::test {
namespace {

using apps::check_select;
using apps::check_sorted_keys;
using apps::check_sorted_pairs;
using apps::check_sum;

constexpr std::int64_t n = 300001;  // Several pieces on several cores.

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "expected: " << words << "\ngot: " << text;
}

template <class T>
class sums : public testing::Test {};

template <class T>
constexpr scalar_type type_of() {
  if (std::is_same_v<T, float>) return scalar_type::f32;
  if (std::is_same_v<T, double>) return scalar_type::f64;
  if (sizeof(T) == 8) return scalar_type::u64;
  return std::is_signed_v<T> ? scalar_type::i32 : scalar_type::u32;
}

using scanned = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(sums, scanned);

template <class T>
std::vector<T> plain_sums(bool exclusive, const std::vector<T>& items) {
  std::vector<T> result;
  T sum{};
  for (const T item : items) {
    if (exclusive) result.push_back(sum);
    sum = std::is_integral_v<T> ? static_cast<T>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(item))
                                : sum + item;
    if (!exclusive) result.push_back(sum);
  }
  return result;
}

TEST(segment_sums, are_accepted_when_right_and_the_first_wrong_one_is_named) {
  const std::vector<std::uint32_t> in = {1, 2, 3, 4, 5}, keys = {7, 7, 7, 8, 8};
  std::vector<std::uint32_t> out = {0, 1, 3, 0, 4};
  EXPECT_EQ(apps::check_segment_sums(in.data(), keys.data(), out.data(), 5), "");
  out[3] = 6;
  EXPECT_EQ(apps::check_segment_sums(in.data(), keys.data(), out.data(), 5), "element 3 is 6; expected 0");
}

TYPED_TEST(sums, are_accepted_when_right_and_the_first_wrong_one_is_named) {
  using T = TypeParam;
  std::vector<T> items(n);
  for (const std::string_view distribution : apps::scan_distributions()) {
    apps::make_scan_items(distribution, type_of<T>(), seed(), items.data(), n);
    for (const bool exclusive : {true, false}) {
      const auto right = plain_sums(exclusive, items);
      const auto check = [&](const std::vector<T>& out) {
        return check_sum(type_of<T>(), exclusive, items.data(), out.data(), n);
      };
      EXPECT_EQ(check(right), "");
      for (const std::size_t at : {0, 1, 70000, 300000}) {
        auto wrong = right;
        wrong[at] += 1;
        wrong.back() += 1;
        expect_says(check(wrong), fmt::format("element {} is {}", at, wrong[at]));
        expect_says(check(wrong), fmt::format("expected {}", right[at]));
      }
    }
  }
}

template <class T, scalar_type Type>
struct narrow_type {
  using element = T;
  static constexpr scalar_type type = Type;
};

template <class T>
class narrow_sums : public testing::Test {};

using narrow = testing::Types<narrow_type<std::uint8_t, scalar_type::u8>, narrow_type<std::uint16_t, scalar_type::u16>,
                              narrow_type<apps::half_bits<10>, scalar_type::f16>,
                              narrow_type<apps::half_bits<7>, scalar_type::bf16>>;
TYPED_TEST_SUITE(narrow_sums, narrow);

TYPED_TEST(narrow_sums, are_accepted_when_right_and_the_first_wrong_one_is_named) {
  using T = typename TypeParam::element;
  std::vector<T> items(n), right(n);
  for (const std::string_view distribution : apps::scan_distributions()) {
    apps::make_scan_items(distribution, TypeParam::type, seed(), items.data(), n);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if constexpr (apps::is_half<T>) {
        right[i] = T::of(static_cast<double>(sum));
        sum += static_cast<std::int64_t>(items[i].value());
      } else {
        right[i] = static_cast<T>(sum);
        sum += items[i];
      }
    }
    const auto check = [&](const std::vector<T>& out) {
      return check_sum(TypeParam::type, true, items.data(), out.data(), n);
    };
    EXPECT_EQ(check(right), "") << distribution;
    for (const std::size_t at : {0, 1, 70000, 300000}) {
      std::vector<T> wrong = right;
      auto& bits = reinterpret_cast<apps::bits_of<T>&>(wrong[at]);
      bits = static_cast<apps::bits_of<T>>(bits ^ 1);
      expect_says(check(wrong), fmt::format("element {} is ", at));
    }
  }
}

TEST(half_bits, are_those_of_their_numbers) {
  using f16 = apps::half_bits<10>;
  using bf16 = apps::half_bits<7>;
  EXPECT_EQ(f16::of(1).bits, 0x3c00);
  EXPECT_EQ(f16::of(-2047).bits, 0xe7ff);
  EXPECT_EQ(f16::of(0x1p-14).bits, 0x0400);
  EXPECT_EQ((f16{0x0001}.value()), 0x1p-24);
  EXPECT_EQ((f16{0xfc00}.value()), -std::numeric_limits<double>::infinity());
  EXPECT_EQ((f16::of(0.5) + f16::of(-2)).bits, f16::of(-1.5).bits);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    // A bfloat16 is the upper half of a float.
    const bf16 number{static_cast<std::uint16_t>(bits)};
    const auto wide = static_cast<double>(std::bit_cast<float>(bits << 16));
    if (std::isnan(wide)) {
      ASSERT_TRUE(std::isnan(number.value())) << bits;
    } else {
      ASSERT_EQ(number.value(), wide) << bits;
    }
    if (std::isnormal(std::bit_cast<float>(bits << 16))) {
      ASSERT_EQ(bf16::of(wide).bits, bits);
    }
  }
}

TEST(bench_checks, other_types_are_not_checked) {
  EXPECT_EQ(check_sum(scalar_type::i8, true, nullptr, nullptr, 0), "not checked: elements of type i8");
  EXPECT_EQ(check_select(scalar_type::i64, nullptr, 0, nullptr, nullptr, nullptr, 0),
            "not checked: elements of type i64");
  EXPECT_EQ(check_sorted_keys(scalar_type::f64, nullptr, nullptr, 0), "not checked: elements of type f64");
  EXPECT_EQ(check_sorted_pairs(scalar_type::f64, nullptr, nullptr, nullptr, 0), "not checked: elements of type f64");
}

TEST(bench_checks, nothing_is_right) {
  const float zero = 0;
  EXPECT_EQ(check_sum(scalar_type::f32, false, nullptr, nullptr, 0), "");
  EXPECT_EQ(check_select(scalar_type::f32, nullptr, 0, &zero, &zero, nullptr, 0), "");
  EXPECT_EQ(check_sorted_keys(scalar_type::f32, nullptr, nullptr, 0), "");
  EXPECT_EQ(check_sorted_pairs(scalar_type::f32, nullptr, nullptr, nullptr, 0), "");
}

template <class T>
class selections : public testing::Test {};
TYPED_TEST_SUITE(selections, scanned);

TYPED_TEST(selections, are_accepted_when_right_and_the_first_wrong_one_is_named) {
  using T = TypeParam;
  std::vector<T> items(n);
  T low{}, high{};
  apps::make_select_items("random", type_of<T>(), 0.5, seed(), items.data(), n, &low, &high);
  std::vector<T> right;
  std::copy_if(items.begin(), items.end(), std::back_inserter(right),
               [&](T item) { return low <= item && item < high; });
  const auto count = static_cast<std::int64_t>(right.size());
  const auto check = [&](const std::vector<T>& out, std::int64_t kept) {
    return check_select(type_of<T>(), items.data(), n, &low, &high, out.data(), kept);
  };
  EXPECT_EQ(check(right, count), "");
  expect_says(check(right, count - 1), fmt::format("{} elements were kept; expected {}", count - 1, count));
  expect_says(check(right, count + 1), fmt::format("{} elements were kept; expected {}", count + 1, count));
  expect_says(check(right, -1), fmt::format("-1 elements were kept; expected {}", count));
  for (const std::size_t at : {std::size_t{0}, std::size_t{70000}, right.size() - 1}) {
    auto wrong = right;
    wrong[at] = 0;
    wrong.back() = 0;
    expect_says(check(wrong, count), fmt::format("element {} is 0", at));
    expect_says(check(wrong, count), fmt::format("expected {}", right[at]));
  }
  auto swapped = right;
  std::swap(swapped[50], swapped[51]);
  if (right[50] != right[51]) expect_says(check(swapped, count), "element 50 is");
  auto lost = right;
  lost.erase(lost.begin() + 1000);
  lost.push_back(right.back());
  expect_says(check(lost, count), "element 1000 is");
}

TEST(partitions, are_accepted_when_right_and_the_first_wrong_rejected_one_is_named) {
  const std::vector<std::uint64_t> items = {5, 1, 9, 5, 2, 7};
  const std::uint64_t low = 5, high = 8;
  std::vector<std::uint64_t> rejected = {1, 9, 2};
  const auto check = [&](bool backwards) {
    return apps::check_rejected(scalar_type::u64, items.data(), 6, &low, &high,
                                backwards ? &rejected.back() : rejected.data(), backwards);
  };
  EXPECT_EQ(check(false), "");
  expect_says(check(true), "rejected element 0 is 2; expected 1");
  std::reverse(rejected.begin(), rejected.end());
  EXPECT_EQ(check(true), "");
  rejected.front() = 3;
  expect_says(check(true), "rejected element 2 is 3; expected 2");
}

TEST(splits, are_accepted_when_right_and_the_first_wrong_element_is_named) {
  const std::vector<std::uint32_t> items = {0xf0000001, 3, 0x10000000, 0xf0000000, 2};
  std::vector<std::uint32_t> out = {3, 2, 0x10000000, 0xf0000001, 0xf0000000};
  EXPECT_EQ(apps::check_split(items.data(), out.data(), 5, 4), "");
  std::swap(out[3], out[4]);
  expect_says(apps::check_split(items.data(), out.data(), 5, 4), "element 3 is 4026531840; expected 4026531841");
  EXPECT_NE(apps::check_split(items.data(), out.data(), 5, 8), "") << "0xf0 comes behind";
}

TEST(filled_holes, are_accepted_when_right_and_the_first_wrong_element_is_named) {
  const std::vector<std::uint16_t> items = {10, 11, 12, 13, 14, 15, 16};
  const std::vector<std::uint8_t> flags = {1, 0, 3, 0, 0, 1, 255};
  std::vector<std::uint16_t> out = {10, 15, 12, 16, 0, 0, 0};
  const auto check = [&](std::int64_t count) {
    return apps::check_filled(items.data(), 2, flags.data(), 7, out.data(), count);
  };
  EXPECT_EQ(check(4), "");
  expect_says(check(3), "3 elements were kept; expected 4");
  std::swap(out[1], out[3]);
  expect_says(check(4), "element 1 is not that of input element 5");
}

std::vector<std::uint32_t> stable_order(std::int64_t count, auto comes_first) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), comes_first);
  return order;
}

template <class Key>
std::vector<Key> gathered(const std::vector<Key>& keys, const std::vector<std::uint32_t>& order) {
  std::vector<Key> result;
  for (const std::uint32_t source : order) result.push_back(keys[source]);
  return result;
}

template <class T>
class sorts : public testing::Test {};
using sorted = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, float>;
TYPED_TEST_SUITE(sorts, sorted);

/// Sorted keys, what they were made of, and the checks of both.
template <class Key>
struct sorted_keys {
  std::vector<Key> in;
  sort_order order;
  std::vector<std::uint32_t> values;
  std::vector<Key> out;

  sorted_keys(std::uint32_t distinct, sort_order o) : in(n), order(o) {
    random_source random(distinct);
    const std::int64_t lowest = std::is_signed_v<Key> ? -std::int64_t{distinct / 2} : 0;
    for (Key& key : in) key = static_cast<Key>(lowest + static_cast<std::int64_t>(random() % distinct));
    values = stable_order(n, [&](std::uint32_t a, std::uint32_t b) {
      return o == sort_order::ascending ? in[a] < in[b] : in[b] < in[a];
    });
    out = gathered(in, values);
  }
  std::string check_keys() const { return check_sorted_keys(type_of<Key>(), in.data(), out.data(), n, order); }
  std::string check_pairs() const {
    return check_sorted_pairs(type_of<Key>(), in.data(), out.data(), values.data(), n, order);
  }
};

TYPED_TEST(sorts, are_accepted_when_right) {
  for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
    for (const std::uint32_t distinct : {1, 5, 1000000}) {
      sorted_keys<TypeParam> s(distinct, order);
      EXPECT_EQ(s.check_keys(), "");
      EXPECT_EQ(s.check_pairs(), "");
      s.order = order == sort_order::ascending ? sort_order::descending : sort_order::ascending;
      EXPECT_EQ(s.check_keys() == "", distinct == 1);
      EXPECT_EQ(s.check_pairs() == "", distinct == 1);
    }
  }
}

TYPED_TEST(sorts, of_which_one_key_is_wrong_are_rejected) {
  sorted_keys<TypeParam> s(1000, sort_order::ascending);
  const TypeParam before = s.out[150000];
  s.out[150000] = s.out.back();
  const std::string words = fmt::format("element 150000 is {}", s.out.back());
  expect_says(s.check_keys(), words);
  expect_says(s.check_pairs(), words);
  expect_says(s.check_keys(), fmt::format("expected {}", before));
}

TYPED_TEST(sorts, that_lost_a_key_and_doubled_its_neighbour_are_rejected) {
  sorted_keys<TypeParam> s(1000, sort_order::descending);
  const auto neighbour = std::adjacent_find(s.out.begin() + 200000, s.out.end(), std::not_equal_to<>());
  const auto at = static_cast<std::size_t>(neighbour - s.out.begin());
  s.out[at] = s.out[at + 1];
  s.values[at] = s.values[at + 1];
  const std::string words = fmt::format("element {} is {}", at, s.out[at]);
  expect_says(s.check_keys(), words);
  expect_says(s.check_pairs(), words);
}

TYPED_TEST(sorts, with_two_keys_swapped_are_rejected) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{299999}, std::size_t{65535}}) {
    sorted_keys<TypeParam> s(1000000000, sort_order::ascending);
    std::swap(s.out[at], s.out[at + 1]);
    std::swap(s.values[at], s.values[at + 1]);
    if (s.out[at] != s.out[at + 1]) expect_says(s.check_keys(), fmt::format("element {} is", at));
    expect_says(s.check_pairs(), fmt::format("element {} is", at));
  }
}

TYPED_TEST(sorts, of_pairs_that_are_not_stable_are_rejected) {
  sorted_keys<TypeParam> s(5, sort_order::descending);
  std::swap(s.values[100], s.values[101]);
  EXPECT_EQ(s.check_keys(), "");
  expect_says(s.check_pairs(), fmt::format("element 100 is {} with the value {}; expected {} with {}", s.out[100],
                                           s.values[100], s.out[100], s.values[101]));
}

TYPED_TEST(sorts, of_pairs_with_a_value_that_never_went_in_are_rejected) {
  for (const std::uint32_t value : {static_cast<std::uint32_t>(n), ~0u}) {
    sorted_keys<TypeParam> s(5, sort_order::ascending);
    s.values[7] = value;
    expect_says(s.check_pairs(), fmt::format("with the value {};", value));
  }
}

const float nan_low = std::bit_cast<float>(0x7fc00000u);
const float nan_high = std::bit_cast<float>(0x7fc00001u);
const float nan_minus = std::bit_cast<float>(0xffc00000u);

struct special_floats {
  std::vector<float> in = {nan_high, 0.0f, HUGE_VALF, nan_minus, -0.0f, -1.0f, nan_low, -HUGE_VALF, 0.0f};
  std::vector<float> up = {nan_minus, -HUGE_VALF, -1.0f, 0.0f, -0.0f, 0.0f, HUGE_VALF, nan_low, nan_high};
  std::vector<float> down = {nan_high, nan_low, HUGE_VALF, 0.0f, -0.0f, 0.0f, -1.0f, -HUGE_VALF, nan_minus};

  std::string check_up() const { return check_sorted_keys(scalar_type::f32, in.data(), up.data(), 9); }
  std::string check_down() const {
    return check_sorted_keys(scalar_type::f32, in.data(), down.data(), 9, sort_order::descending);
  }
};

TEST(bench_checks, nans_come_by_their_bits_and_zeros_are_equal) {
  special_floats s;
  EXPECT_EQ(s.check_up(), "");
  EXPECT_EQ(s.check_down(), "");
  const std::vector<std::uint32_t> values = {3, 7, 5, 1, 4, 8, 2, 6, 0};
  EXPECT_EQ(check_sorted_pairs(scalar_type::f32, s.in.data(), s.up.data(), values.data(), 9), "");
  std::swap(s.up[7], s.up[8]);
  expect_says(s.check_up(), "element 7 is nan (0x7fc00001); expected nan (0x7fc00000)");
}

TEST(bench_checks, zeros_out_of_order_are_rejected) {
  special_floats s;
  std::swap(s.up[3], s.up[4]);
  expect_says(s.check_up(), "element 3 is -0 (0x80000000); expected 0 (0x0)");
  std::swap(s.down[4], s.down[5]);
  expect_says(s.check_down(), "element 4 is 0 (0x0); expected -0 (0x80000000)");
}

}  // namespace
}  // namespace upsweep::test
