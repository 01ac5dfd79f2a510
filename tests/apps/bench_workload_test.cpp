// What upsweep-bench works on: each distribution has the properties that its name promises. And its checks: they accept
// what plain code makes and name the first wrong element of any single damage.
#include "workload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "checks.hpp"
#include "element_types.hpp"
#include "support.hpp"
#include "support/random_items.hpp"

namespace upsweep::test {
namespace {

using apps::check_sorted_keys;
using apps::check_sorted_pairs;

constexpr std::int64_t n = 300001;  // Several pieces on several cores.

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "expected: " << words << "\ngot: " << text;
}

template <class T, scalar_type Type>
struct of_type {
  using element = T;
  static constexpr scalar_type type = Type;
};
using u32 = of_type<std::uint32_t, scalar_type::u32>;
using i32 = of_type<std::int32_t, scalar_type::i32>;
using u64 = of_type<std::uint64_t, scalar_type::u64>;
using f32 = of_type<float, scalar_type::f32>;
using f64 = of_type<double, scalar_type::f64>;

template <class T>
class sums : public testing::Test {};
using summed = testing::Types<u32, i32, u64, f32, f64, of_type<std::uint8_t, scalar_type::u8>,
                              of_type<std::uint16_t, scalar_type::u16>, of_type<apps::half_bits<10>, scalar_type::f16>,
                              of_type<apps::half_bits<7>, scalar_type::bf16>>;
TYPED_TEST_SUITE(sums, summed);

TYPED_TEST(sums, are_accepted_when_right_and_the_first_wrong_one_is_named) {
  using T = typename TypeParam::element;
  constexpr scalar_type type = TypeParam::type;
  std::vector<T> items(n), right(n);
  for (const std::string_view distribution : apps::scan_distributions()) {
    apps::make_scan_items(distribution, type, seed(), items.data(), n);
    // Sums of floats are exact in these distributions, those of integers wrap.
    std::conditional_t<std::is_integral_v<T>, std::uint64_t, double> sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if constexpr (apps::is_half<T>) {
        right[i] = T::of(sum);
        sum += items[i].value();
      } else {
        right[i] = static_cast<T>(sum);
        sum += static_cast<decltype(sum)>(items[i]);
      }
    }
    const auto check = [&](const std::vector<T>& out) {
      return apps::check_sum(type, true, items.data(), out.data(), n);
    };
    EXPECT_EQ(check(right), "") << distribution;
    for (const std::size_t at : {0, 1, 70000, 300000}) {
      auto wrong = right;
      if constexpr (sizeof(T) < 4) {
        auto& bits = reinterpret_cast<apps::bits_of<T>&>(wrong[at]);
        bits = static_cast<apps::bits_of<T>>(bits ^ 1);
        expect_says(check(wrong), fmt::format("element {} is ", at));
      } else {
        wrong[at] += 1;
        wrong.back() += 1;
        expect_says(check(wrong), fmt::format("element {} is {}", at, wrong[at]));
        expect_says(check(wrong), fmt::format("expected {}", right[at]));
      }
    }
  }
}

TEST(bench_checks, of_other_operations_name_the_first_wrong_element_too) {
  const std::vector<std::uint32_t> in = {1, 2, 3, 4, 5}, keys = {7, 7, 7, 8, 8};
  std::vector<std::uint32_t> out = {0, 1, 3, 0, 4};
  EXPECT_EQ(apps::check_segment_sums(in.data(), keys.data(), out.data(), 5), "");
  out[3] = 6;
  EXPECT_EQ(apps::check_segment_sums(in.data(), keys.data(), out.data(), 5), "element 3 is 6; expected 0");

  const std::vector<std::uint64_t> parted = {5, 1, 9, 5, 2, 7};
  const std::uint64_t low = 5, high = 8;
  std::vector<std::uint64_t> rejected = {1, 9, 2};
  const auto check = [&](bool backwards) {
    return apps::check_rejected(scalar_type::u64, parted.data(), 6, &low, &high,
                                backwards ? &rejected.back() : rejected.data(), backwards);
  };
  EXPECT_EQ(check(false), "");
  expect_says(check(true), "rejected element 0 is 2; expected 1");
  rejected = {3, 9, 1};
  expect_says(check(true), "rejected element 2 is 3; expected 2");
  rejected.front() = 2;
  EXPECT_EQ(check(true), "");

  const std::vector<std::uint32_t> items = {0xf0000001, 3, 0x10000000, 0xf0000000, 2};
  std::vector<std::uint32_t> split = {3, 2, 0x10000000, 0xf0000001, 0xf0000000};
  EXPECT_EQ(apps::check_split(items.data(), split.data(), 5, 4), "");
  std::swap(split[3], split[4]);
  expect_says(apps::check_split(items.data(), split.data(), 5, 4), "element 3 is 4026531840; expected 4026531841");
  EXPECT_NE(apps::check_split(items.data(), split.data(), 5, 8), "") << "0xf0 comes behind";

  const std::vector<std::uint16_t> holes = {10, 11, 12, 13, 14, 15, 16};
  const std::vector<std::uint8_t> flags = {1, 0, 3, 0, 0, 1, 255};
  std::vector<std::uint16_t> filled = {10, 15, 12, 16, 0, 0, 0};
  const auto check_filled = [&](std::int64_t count) {
    return apps::check_filled(holes.data(), 2, flags.data(), 7, filled.data(), count);
  };
  EXPECT_EQ(check_filled(4), "");
  expect_says(check_filled(3), "3 elements were kept; expected 4");
  std::swap(filled[1], filled[3]);
  expect_says(check_filled(4), "element 1 is not that of input element 5");
}

template <class T>
class sorts : public testing::Test {};
using sorted = testing::Types<u32, i32, u64, f32>;
TYPED_TEST_SUITE(sorts, sorted);

/// Sorted keys, what they were made of, and the checks of both.
template <class Type>
struct sorted_keys {
  using key = typename Type::element;
  std::vector<key> in;
  sort_order order;
  std::vector<std::uint32_t> values;
  std::vector<key> out;

  sorted_keys(std::uint32_t distinct, sort_order o) : in(n), order(o), values(n) {
    random_source random(distinct);
    const std::int64_t lowest = std::is_signed_v<key> ? -std::int64_t{distinct / 2} : 0;
    for (key& k : in) k = static_cast<key>(lowest + static_cast<std::int64_t>(random() % distinct));
    std::iota(values.begin(), values.end(), 0u);
    std::ranges::stable_sort(values, [&](std::uint32_t a, std::uint32_t b) {
      return o == sort_order::ascending ? in[a] < in[b] : in[b] < in[a];
    });
    for (const std::uint32_t source : values) out.push_back(in[source]);
  }
  std::string check_keys() const { return check_sorted_keys(Type::type, in.data(), out.data(), n, order); }
  std::string check_pairs() const {
    return check_sorted_pairs(Type::type, in.data(), out.data(), values.data(), n, order);
  }
  void expect_both_say(const std::string& words) const {
    expect_says(check_keys(), words);
    expect_says(check_pairs(), words);
  }
};

TYPED_TEST(sorts, are_accepted_when_right_and_the_first_wrong_element_is_named) {
  sorted_keys<TypeParam> right(1000, sort_order::descending);
  EXPECT_EQ(right.check_keys(), "");
  EXPECT_EQ(right.check_pairs(), "");
  auto wrong = right;
  wrong.out[150000] = right.out.back();
  wrong.expect_both_say(fmt::format("element 150000 is {}", right.out.back()));
  expect_says(wrong.check_keys(), fmt::format("expected {}", right.out[150000]));

  auto lost = right;
  const auto neighbour = std::adjacent_find(right.out.begin() + 200000, right.out.end(), std::not_equal_to<>());
  const auto last = static_cast<std::size_t>(neighbour - right.out.begin());
  lost.out[last] = lost.out[last + 1];
  lost.values[last] = lost.values[last + 1];
  lost.expect_both_say(fmt::format("element {} is {}", last, lost.out[last]));

  auto unstable = right;
  std::swap(unstable.values[100], unstable.values[101]);
  EXPECT_EQ(unstable.check_keys(), "");
  expect_says(unstable.check_pairs(),
              fmt::format("element 100 is {} with the value {}; expected {} with {}", right.out[100],
                          unstable.values[100], right.out[100], right.values[100]));
  for (const std::uint32_t value : {static_cast<std::uint32_t>(n), ~0u}) {
    unstable.values[7] = value;
    expect_says(unstable.check_pairs(), fmt::format("with the value {};", value));
  }
  right.order = sort_order::ascending;
  EXPECT_NE(right.check_keys(), "");
  EXPECT_NE(right.check_pairs(), "");
}

constexpr std::int64_t million = 1 << 20;

template <class T>
std::vector<T> keys(std::string_view distribution, scalar_type type, std::int64_t n = million) {
  std::vector<T> items(static_cast<std::size_t>(n));
  apps::make_keys(distribution, type, seed(), items.data(), n);
  return items;
}

template <class T>
std::vector<char> kept_elements(std::string_view distribution, scalar_type type, double kept) {
  std::vector<T> items(million);
  T low{}, high{};
  apps::make_select_items(distribution, type, kept, seed(), items.data(), million, &low, &high);
  std::vector<char> flags;
  for (const T& item : items) flags.push_back(low <= item && item < high);
  return flags;
}

template <class T>
double share_of(const std::vector<T>& items, T value) {
  return static_cast<double>(std::count(items.begin(), items.end(), value)) / static_cast<double>(items.size());
}

TEST(bench_workload, ones_are_ones_until_a_float_could_not_hold_their_sum) {
  const std::int64_t dense = 1 << 23;
  std::vector<float> ones(dense + 8192);
  apps::make_scan_items("ones", scalar_type::f32, seed(), ones.data(), dense + 8192);
  EXPECT_TRUE(std::all_of(ones.begin(), ones.begin() + dense, [](float item) { return item == 1; }));
  EXPECT_EQ(std::accumulate(ones.begin() + dense, ones.end(), 0.0f), 8);
}

TEST(bench_workload, the_share_kept_is_what_was_asked_for) {
  for (const double kept : {0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const double spread = 6 * std::sqrt(kept * (1 - kept) / million);
    EXPECT_NEAR(share_of(kept_elements<std::int32_t>("random", scalar_type::i32, kept), '\1'), kept, spread);
    EXPECT_NEAR(share_of(kept_elements<double>("random", scalar_type::f64, kept), '\1'), kept, spread);
    EXPECT_NEAR(share_of(kept_elements<float>("clustered", scalar_type::f32, kept), '\1'), kept, 1.0 / 8192);
  }
}

TEST(bench_workload, clusters_are_long_and_random_ones_are_not) {
  const auto changes = [](std::string_view distribution) {
    const auto flags = kept_elements<float>(distribution, scalar_type::f32, 0.5);
    double count = 0;
    for (std::size_t i = 1; i < flags.size(); ++i) count += flags[i] != flags[i - 1];
    return count / million;
  };
  EXPECT_LT(changes("clustered"), 3.0 / 8192);
  EXPECT_GT(changes("clustered"), 0.5 / 8192);
  EXPECT_NEAR(changes("random"), 0.5, 0.005);
}

TEST(bench_workload, k_and_one_words_anded_leave_a_bit_set_once_in_2_to_the_k_and_one) {
  for (int k = 0; k <= 7; ++k) {
    const std::string name = k == 0 ? "uniform" : "entropy_" + std::to_string(k);
    const double expected = std::ldexp(1.0, -(k + 1));
    const auto items = keys<std::uint64_t>(name, scalar_type::u64);
    for (int bit = 0; bit < 64; ++bit) {
      const auto ones = std::ranges::count_if(items, [&](std::uint64_t item) { return (item >> bit & 1) != 0; });
      EXPECT_NEAR(static_cast<double>(ones) / million, expected, 6 * std::sqrt(expected / million)) << name;
    }
  }
}

TEST(bench_workload, key_number_r_of_zipf_comes_in_proportion_to_1_over_r) {
  constexpr int draws = 4 * million;
  std::map<std::uint32_t, int> seen;
  for (const std::uint32_t key : keys<std::uint32_t>("zipf", scalar_type::u32, draws)) ++seen[key];
  std::vector<int> counts;
  for (const auto& [key, count] : seen) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  double harmonic = 0;
  for (int r = 1; r <= million; ++r) harmonic += 1.0 / r;
  for (const std::size_t r : {1, 2, 3, 10, 30}) {
    const double expected = draws / (static_cast<double>(r) * harmonic);
    EXPECT_NEAR(counts[r - 1], expected, 6 * std::sqrt(expected)) << r;
  }
  EXPECT_LE(counts.size(), static_cast<std::size_t>(million));
}

TEST(bench_workload, sorted_keys_ascend_over_the_whole_range) {
  const auto up = keys<std::int32_t>("sorted", scalar_type::i32);
  EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
  EXPECT_LT(up.front(), -2000000000);
  EXPECT_GT(up.back(), 2000000000);
  auto down = keys<std::int32_t>("reversed", scalar_type::i32);
  EXPECT_NE(down, up);
  std::reverse(down.begin(), down.end());
  EXPECT_EQ(down, up);
}

TEST(bench_workload, keys_are_as_alike_as_their_distribution_says) {
  const auto distinct = [](const std::vector<std::uint32_t>& items) {
    return std::set<std::uint32_t>(items.begin(), items.end()).size();
  };
  const auto bits = keys<std::uint32_t>("bits_16", scalar_type::u32);
  EXPECT_EQ(*std::max_element(bits.begin(), bits.end()), 0xffffu);
  EXPECT_GT(distinct(bits), 65000u);
  EXPECT_EQ(distinct(keys<std::uint32_t>("constant", scalar_type::u32)), 1u);

  auto morton = keys<std::uint32_t>("morton", scalar_type::u32);
  EXPECT_LT(*std::max_element(morton.begin(), morton.end()), 1u << 30);
  EXPECT_GT(distinct(morton), million / 10u);
  for (std::uint32_t& code : morton) code >>= 15;  // Its cell of 2^15, of which uniform points would be in all.
  EXPECT_GT(distinct(morton), 256u);
  EXPECT_LT(distinct(morton), 8000u);
}

}  // namespace
}  // namespace upsweep::test
