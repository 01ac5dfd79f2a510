// The check of upsweep-sort against std::stable_sort.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "sorting.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::byte_array;
using apps::first_difference;
using apps::key_order;
using apps::key_run;
using apps::key_table;

template <class T>
byte_array array_of(const std::vector<T>& values) {
  byte_array bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.bytes());
  return bytes;
}

template <class T>
key_table table_of(scalar_type type, const std::vector<T>& keys, const std::vector<std::uint32_t>& values = {}) {
  key_table table;
  table.keys = {type, static_cast<std::int64_t>(keys.size()), array_of(keys)};
  if (!values.empty()) table.values.push_back({sizeof(std::uint32_t), array_of(values)});
  return table;
}

constexpr key_order up{sort_order::ascending}, down{sort_order::descending};

const float nan_low = std::bit_cast<float>(0x7fc00000u);
const float nan_high = std::bit_cast<float>(0x7fc00001u);
const float nan_minus = std::bit_cast<float>(0xffc00000u);

TEST(sort_check, knows_the_order_of_floats) {
  const std::vector<float> keys = {nan_high, 0.0f, HUGE_VALF, nan_minus, -0.0f, -1.0f, nan_low, -HUGE_VALF, 0.0f};
  const std::vector<float> sorted = {nan_minus, -HUGE_VALF, -1.0f, 0.0f, -0.0f, 0.0f, HUGE_VALF, nan_low, nan_high};
  const std::vector<std::uint32_t> order = {3, 7, 5, 1, 4, 8, 2, 6, 0};
  std::vector<std::uint32_t> same(9);
  std::iota(same.begin(), same.end(), 0u);
  EXPECT_EQ(first_difference(table_of(scalar_type::f32, keys), up, table_of(scalar_type::f32, sorted)), "");
  EXPECT_EQ(first_difference(table_of(scalar_type::f32, keys, same), up, table_of(scalar_type::f32, sorted, order)),
            "");
  std::vector<float> swapped_zeros = sorted;
  std::swap(swapped_zeros[3], swapped_zeros[4]);
  EXPECT_NE(first_difference(table_of(scalar_type::f32, keys), up, table_of(scalar_type::f32, swapped_zeros)), "");
}

TEST(sort_check, descending_keeps_equal_keys_in_input_order) {
  const key_table input = table_of<std::int32_t>(scalar_type::i32, {-1, 5, -1, 5}, {10, 11, 12, 13});
  EXPECT_EQ(first_difference(input, down, table_of<std::int32_t>(scalar_type::i32, {5, 5, -1, -1}, {11, 13, 10, 12})),
            "");
  EXPECT_NE(first_difference(input, down, table_of<std::int32_t>(scalar_type::i32, {5, 5, -1, -1}, {13, 11, 12, 10})),
            "");
}

template <class Key>
void expect_every_change_is_found(scalar_type type, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<Key, std::uint32_t>> pairs(1500000);
  for (auto& [key, value] : pairs) {
    key = static_cast<Key>(random() % 100000);
    value = static_cast<std::uint32_t>(random());
  }
  std::vector<Key> keys;
  std::vector<std::uint32_t> values;
  const auto split = [&] {
    keys.clear();
    values.clear();
    for (const auto& [key, value] : pairs) {
      keys.push_back(key);
      values.push_back(value);
    }
  };
  split();
  const key_table input = table_of(type, keys, values);
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  split();
  EXPECT_EQ(first_difference(input, up, table_of(type, keys, values)), "");
  EXPECT_NE(first_difference(input, down, table_of(type, keys, values)), "");
  values[700000] ^= 1;
  EXPECT_NE(first_difference(input, up, table_of(type, keys, values)).find("value 700000 of payload 1"),
            std::string::npos);
}

TEST(sort_check, compares_the_bits_of_the_range_alone) {
  const key_table input = table_of<std::uint16_t>(scalar_type::u16, {0x1234, 0x0f30, 0xf23f, 0x0120});
  EXPECT_EQ(first_difference(input, {sort_order::ascending, {4, 8}},
                             table_of<std::uint16_t>(scalar_type::u16, {0x0120, 0x1234, 0x0f30, 0xf23f})),
            "");
  EXPECT_EQ(first_difference(input, {sort_order::descending, {4, 8}},
                             table_of<std::uint16_t>(scalar_type::u16, {0x1234, 0x0f30, 0xf23f, 0x0120})),
            "");
  EXPECT_EQ(first_difference(input, {sort_order::ascending, {7, 7}}, input), "");
  // The highest bits of the codes of -1.5, -0.5, 0 and 2 are 0, 0, 1, 1.
  const key_table floats = table_of<double>(scalar_type::f64, {2, -0.5, -0.0, -1.5});
  EXPECT_EQ(first_difference(floats, {sort_order::ascending, {63, 64}},
                             table_of<double>(scalar_type::f64, {-0.5, -1.5, 2, -0.0})),
            "");
  // Both ways the code of zero is 1 and 63 times 0; descending, that of 2 begins with 0.
  EXPECT_EQ(first_difference(floats, {sort_order::descending, {63, 64}},
                             table_of<double>(scalar_type::f64, {2, -0.5, -0.0, -1.5})),
            "");
}

TEST(sort_check, knows_the_floats_of_16_bits) {
  using half = apps::half_bits<10>;
  using bfloat = apps::half_bits<7>;
  EXPECT_EQ(half{0x3c00}.value(), 1.0);
  EXPECT_EQ(half{0xc100}.value(), -2.5);
  EXPECT_EQ(half{0x0001}.value(), std::ldexp(1.0, -24));
  EXPECT_EQ(half{0x7bff}.value(), 65504.0);
  EXPECT_EQ(half{0xfc00}.value(), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(half{0x7c01}.value()));
  EXPECT_EQ(bfloat{0x3fc0}.value(), 1.5);
  for (std::uint32_t bits = 0; bits < 1u << 16; ++bits) {
    const auto b = static_cast<std::uint16_t>(bits);
    const double value = bfloat{b}.value(), expected = static_cast<double>(std::bit_cast<float>(bits << 16));
    ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << bits;
    ASSERT_EQ(apps::rank_of(bfloat{b}), apps::rank_of(std::bit_cast<float>(bits << 16)) >> 16) << bits;
  }
  const key_table input = table_of<std::uint16_t>(scalar_type::f16, {0x3c00, 0xc100, 0x8000, 0x0000});
  EXPECT_EQ(first_difference(input, up, table_of<std::uint16_t>(scalar_type::f16, {0xc100, 0x8000, 0x0000, 0x3c00})),
            "");
  EXPECT_EQ(first_difference(input, up, table_of<std::uint16_t>(scalar_type::f16, {0xc100, 0x0000, 0x8000, 0x3c00})),
            "key 1 of the result is 0; expected -0");
}

TEST(sort_check, finds_wrong_places_and_runs) {
  const key_table input = table_of<std::int8_t>(scalar_type::i8, {5, -1, 5, -1});
  key_table sorted;
  sorted.places = array_of<std::uint32_t>({1, 3, 0, 2});
  const std::vector<key_run> runs = apps::runs_of(input, up, sorted);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].begin, 0u);
  EXPECT_EQ(runs[0].end, 2u);
  EXPECT_EQ(runs[1].begin, 2u);
  EXPECT_EQ(runs[1].end, 4u);
  const auto difference_with = [&](const std::vector<key_run>& found) {
    return first_difference(input, up, sorted, &found);
  };
  EXPECT_EQ(difference_with(runs), "");
  EXPECT_EQ(difference_with({{0, 3}, {3, 4}}), "run 0 is 0 to 3; expected 0 to 2");
  EXPECT_EQ(difference_with({{0, 2}}), "run 1 is missing; expected 2 to 4");
  EXPECT_EQ(difference_with({}), "run 0 is missing; expected 0 to 2");
  EXPECT_EQ(difference_with({{0, 2}, {2, 4}, {4, 4}}), "3 runs; expected 2");
  sorted.places = array_of<std::uint32_t>({3, 1, 0, 2});
  EXPECT_EQ(first_difference(input, up, sorted), "place 0 of the result is 3; expected 1");
}

TEST(sort_check, agrees_with_a_plain_stable_sort) {
  expect_every_change_is_found<std::uint32_t>(scalar_type::u32, seed());
  expect_every_change_is_found<std::uint64_t>(scalar_type::u64, seed());
  expect_every_change_is_found<float>(scalar_type::f32, seed());
  expect_every_change_is_found<double>(scalar_type::f64, seed());
}

}  // namespace
}  // namespace upsweep::test
