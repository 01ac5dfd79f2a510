// What upsweep-bench works on: each distribution has the properties that its name promises.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "half_bits.hpp"
#include "support.hpp"
#include "workload.hpp"

namespace upsweep::test {
namespace {

using apps::make_keys;
using apps::make_scan_items;
using apps::make_select_items;

constexpr std::int64_t million = 1 << 20;

template <class T>
std::vector<T> scan_items(std::string_view distribution, scalar_type type, std::int64_t n = million) {
  std::vector<T> items(static_cast<std::size_t>(n));
  make_scan_items(distribution, type, seed(), items.data(), n);
  return items;
}

template <class T>
std::vector<T> keys(std::string_view distribution, scalar_type type, std::int64_t n = million,
                    std::uint64_t salt = seed()) {
  std::vector<T> items(static_cast<std::size_t>(n));
  make_keys(distribution, type, salt, items.data(), n);
  return items;
}

template <class T>
std::vector<bool> kept_elements(std::string_view distribution, scalar_type type, double kept,
                                std::int64_t n = million) {
  std::vector<T> items(static_cast<std::size_t>(n));
  T low{}, high{};
  make_select_items(distribution, type, kept, seed(), items.data(), n, &low, &high);
  std::vector<bool> flags;
  for (const T& item : items) flags.push_back(low <= item && item < high);
  return flags;
}

template <class T>
bool is_prefix(const std::vector<T>& few, const std::vector<T>& many) {
  return few.size() < many.size() && std::memcmp(few.data(), many.data(), few.size() * sizeof(T)) == 0;
}

template <class T>
double share_of(const std::vector<T>& items, T value) {
  return static_cast<double>(std::count(items.begin(), items.end(), value)) / static_cast<double>(items.size());
}

TEST(bench_workload, an_element_depends_on_its_number_and_the_seed_only) {
  for (const std::string_view name : apps::scan_distributions()) {
    EXPECT_TRUE(is_prefix(scan_items<float>(name, scalar_type::f32, 999999), scan_items<float>(name, scalar_type::f32)))
        << name;
  }
  for (const std::string_view name : apps::compact_distributions()) {
    const auto few = kept_elements<double>(name, scalar_type::f64, 0.3, 999999);
    const auto many = kept_elements<double>(name, scalar_type::f64, 0.3);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << name;
  }
  for (const std::string_view name : apps::sort_distributions()) {
    if (name == "sorted" || name == "reversed") continue;
    EXPECT_TRUE(
        is_prefix(keys<std::uint64_t>(name, scalar_type::u64, 999999), keys<std::uint64_t>(name, scalar_type::u64)))
        << name;
  }
}

TEST(bench_workload, segments_cover_all_items_and_have_the_mean_that_they_name) {
  for (const std::string_view name : apps::segment_distributions()) {
    for (const std::int64_t n : {std::int64_t{1}, million}) {
      std::vector<std::uint32_t> keys(static_cast<std::size_t>(n), 0xffffffff);
      const auto offsets = apps::make_segments(name, seed(), keys.data(), n);
      EXPECT_EQ(offsets.front(), 0);
      EXPECT_EQ(offsets.back(), n);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        ASSERT_LT(offsets[s], offsets[s + 1]);
        const auto end = keys.begin() + offsets[s + 1];
        ASSERT_EQ(std::count(keys.begin() + offsets[s], end, s), end - keys.begin() - offsets[s]) << name;
      }
      const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
      if (name == "one" || n == 1) {
        EXPECT_EQ(segments, 1);
      } else if (name == "lengths_8") {
        EXPECT_NEAR(static_cast<double>(n) / static_cast<double>(segments), 8, 0.5);
      }
    }
  }
}

TEST(bench_workload, the_seed_changes_the_elements) {
  EXPECT_NE(keys<std::uint32_t>("uniform", scalar_type::u32, 100, 1),
            keys<std::uint32_t>("uniform", scalar_type::u32, 100, 2));
  EXPECT_EQ(keys<std::uint32_t>("uniform", scalar_type::u32, 100, 1),
            keys<std::uint32_t>("uniform", scalar_type::u32, 100, 1));
}

TEST(bench_workload, random_scan_items_have_exact_sums) {
  const auto floats = scan_items<float>("random", scalar_type::f32);
  for (const float value : {-1.0f, 0.0f, 1.0f}) EXPECT_NEAR(share_of(floats, value), 1.0 / 3, 0.003) << value;
  EXPECT_LT(std::abs(std::accumulate(floats.begin(), floats.end(), 0.0)), 10000);
  EXPECT_EQ(share_of(scan_items<double>("random", scalar_type::f64), 0.0), share_of(floats, 0.0f));

  const auto integers = scan_items<std::uint64_t>("random", scalar_type::u64);
  const auto bits = std::accumulate(integers.begin(), integers.end(), 0.0,
                                    [](double sum, std::uint64_t item) { return sum + std::popcount(item); });
  EXPECT_NEAR(bits / static_cast<double>(integers.size()), 32, 0.05);
}

template <class T>
void expect_levels(scalar_type type) {
  double sum = 0, lowest = 0, highest = 0;
  for (const T item : scan_items<T>("random", type)) {
    sum += item.value();
    lowest = std::min(lowest, sum);
    highest = std::max(highest, sum);
  }
  EXPECT_EQ(highest - lowest, 7) << "so that each sum of neighbours is held exactly";
  const auto ones = scan_items<T>("ones", type);
  EXPECT_EQ(std::ranges::count(ones, T::of(1).bits, &T::bits), 128);
  EXPECT_EQ(std::ranges::count(ones, 0, &T::bits), million - 128);
}

TEST(bench_workload, halves_step_between_levels_that_they_hold) {
  expect_levels<apps::half_bits<10>>(scalar_type::f16);
  expect_levels<apps::half_bits<7>>(scalar_type::bf16);
}

TEST(bench_workload, ones_are_ones_until_a_float_could_not_hold_their_sum) {
  EXPECT_EQ(share_of(scan_items<std::int32_t>("ones", scalar_type::i32), 1), 1);
  EXPECT_EQ(share_of(scan_items<double>("ones", scalar_type::f64), 1.0), 1);
  const std::int64_t dense = 1 << 23;
  const auto floats = scan_items<float>("ones", scalar_type::f32, dense + 8192);
  EXPECT_TRUE(std::all_of(floats.begin(), floats.begin() + dense, [](float item) { return item == 1; }));
  EXPECT_EQ(std::accumulate(floats.begin() + dense, floats.end(), 0.0f), 8);
}

template <class T>
void expect_shares(scalar_type type) {
  for (const double kept : {0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const double spread = kept * (1 - kept);
    EXPECT_NEAR(share_of(kept_elements<T>("random", type, kept), true), kept, 6 * std::sqrt(spread / million))
        << name_of(type);
    EXPECT_NEAR(share_of(kept_elements<T>("clustered", type, kept), true), kept, 1.0 / 8192) << name_of(type);
  }
}

TEST(bench_workload, the_share_kept_is_what_was_asked_for) {
  expect_shares<std::uint32_t>(scalar_type::u32);
  expect_shares<std::int32_t>(scalar_type::i32);
  expect_shares<std::uint64_t>(scalar_type::u64);
  expect_shares<float>(scalar_type::f32);
  expect_shares<double>(scalar_type::f64);
}

std::size_t changes_in(const std::vector<bool>& flags) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < flags.size(); ++i) changes += flags[i] != flags[i - 1];
  return changes;
}

TEST(bench_workload, clusters_are_long_and_random_ones_are_not) {
  const std::size_t most = 3 * million / 8192;
  const std::size_t clustered = changes_in(kept_elements<float>("clustered", scalar_type::f32, 0.5));
  EXPECT_LT(clustered, most);
  EXPECT_GT(clustered, most / 6);
  EXPECT_NEAR(static_cast<double>(changes_in(kept_elements<float>("random", scalar_type::f32, 0.5))) / million, 0.5,
              0.005);
}

TEST(bench_workload, selected_elements_lie_on_both_sides_of_the_range) {
  std::vector<std::int32_t> items(1000);
  std::int32_t low = 0, high = 0;
  make_select_items("random", scalar_type::i32, 0.5, seed(), items.data(), 1000, &low, &high);
  EXPECT_TRUE(std::any_of(items.begin(), items.end(), [&](std::int32_t item) { return item < low; }));
  EXPECT_TRUE(std::any_of(items.begin(), items.end(), [&](std::int32_t item) { return item >= high; }));
  EXPECT_GT(std::set<std::int32_t>(items.begin(), items.end()).size(), 990u);
}

/// The share of ones at each bit of the keys.
template <class T>
std::vector<double> shares_of_ones(const std::vector<T>& items) {
  std::vector<double> shares;
  for (std::size_t bit = 0; bit < sizeof(T) * 8; ++bit) {
    const auto ones = std::count_if(items.begin(), items.end(), [&](T item) { return (item >> bit & 1) != 0; });
    shares.push_back(static_cast<double>(ones) / static_cast<double>(items.size()));
  }
  return shares;
}

TEST(bench_workload, k_and_one_words_anded_leave_a_bit_set_once_in_2_to_the_k_and_one) {
  for (int k = 0; k <= 7; ++k) {
    const std::string name = k == 0 ? "uniform" : "entropy_" + std::to_string(k);
    const double expected = std::ldexp(1.0, -(k + 1));
    for (const double share : shares_of_ones(keys<std::uint64_t>(name, scalar_type::u64))) {
      EXPECT_NEAR(share, expected, 6 * std::sqrt(expected / million)) << name;
    }
  }
  for (const double share : shares_of_ones(keys<std::uint32_t>("entropy_1", scalar_type::u32))) {
    EXPECT_NEAR(share, 0.25, 0.003);
  }
}

TEST(bench_workload, key_number_r_of_zipf_comes_in_proportion_to_1_over_r) {
  constexpr int draws = 4 * million;
  auto drawn = keys<std::uint32_t>("zipf", scalar_type::u32, draws);
  std::sort(drawn.begin(), drawn.end());
  std::vector<int> counts;
  for (auto first = drawn.begin(); first != drawn.end();) {
    const auto last = std::upper_bound(first, drawn.end(), *first);
    counts.push_back(static_cast<int>(last - first));
    first = last;
  }
  std::sort(counts.rbegin(), counts.rend());
  double harmonic = 0;
  for (int r = 1; r <= million; ++r) harmonic += 1.0 / r;
  for (const std::size_t r : {1, 2, 3, 10, 30}) {
    const double expected = draws / (static_cast<double>(r) * harmonic);
    EXPECT_NEAR(counts[r - 1], expected, 6 * std::sqrt(expected)) << r;
  }
  EXPECT_GT(counts.size(), million / 4u);
  EXPECT_LE(counts.size(), static_cast<std::size_t>(million));
  constexpr double harmonic_of_1000 = 7.485;
  const auto tail = std::accumulate(counts.begin() + 1000, counts.end(), 0.0) / draws;
  EXPECT_NEAR(tail, 1 - harmonic_of_1000 / harmonic, 0.01);
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

  auto floats = keys<float>("sorted", scalar_type::f32);
  EXPECT_TRUE(std::isnan(floats.front()) && std::isnan(floats.back()));
  std::erase_if(floats, [](float key) { return std::isnan(key); });
  EXPECT_TRUE(std::is_sorted(floats.begin(), floats.end()));
  EXPECT_GT(floats.size(), million * 99u / 100);
}

TEST(bench_workload, keys_of_16_bits_use_all_of_them_and_no_other) {
  const auto items = keys<std::uint32_t>("bits_16", scalar_type::u32);
  EXPECT_EQ(*std::max_element(items.begin(), items.end()), 0xffffu);
  EXPECT_GT(std::set<std::uint32_t>(items.begin(), items.end()).size(), 65000u);
}

TEST(bench_workload, constant_keys_are_all_the_same) {
  const auto items = keys<std::uint64_t>("constant", scalar_type::u64);
  EXPECT_EQ(share_of(items, items.front()), 1);
}

TEST(bench_workload, morton_codes_crowd_in_clusters) {
  const auto items = keys<std::uint32_t>("morton", scalar_type::u32);
  EXPECT_LT(*std::max_element(items.begin(), items.end()), 1u << 30);
  std::set<std::uint32_t> cells;  // of 2^15, of which uniform points would be in all
  for (const std::uint32_t code : items) cells.insert(code >> 15);
  EXPECT_GT(cells.size(), 256u);
  EXPECT_LT(cells.size(), 8000u);
  EXPECT_GT(std::set<std::uint32_t>(items.begin(), items.end()).size(), million / 10u);
}

TEST(bench_workload, float_specials_are_all_there) {
  const auto items = keys<float>("float_specials", scalar_type::f32, 2000);
  const auto any = [&](auto property) { return std::any_of(items.begin(), items.end(), property); };
  for (const bool negative : {false, true}) {
    for (const int kind : {FP_ZERO, FP_INFINITE, FP_NAN, FP_SUBNORMAL, FP_NORMAL}) {
      EXPECT_TRUE(any([&](float key) { return std::signbit(key) == negative && std::fpclassify(key) == kind; }))
          << kind << negative;
    }
  }
  const auto integers = keys<std::uint64_t>("float_specials", scalar_type::u64, 2000);
  for (const std::uint64_t special : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_GT(share_of(integers, special), 0) << special;
  }
}

}  // namespace
}  // namespace upsweep::test
