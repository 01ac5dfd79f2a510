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
  table.has_values = !values.empty();
  table.values = array_of(values);
  return table;
}

const float nan_low = std::bit_cast<float>(0x7fc00000u);
const float nan_high = std::bit_cast<float>(0x7fc00001u);
const float nan_minus = std::bit_cast<float>(0xffc00000u);

TEST(sort_check, knows_the_order_of_floats) {
  const std::vector<float> keys = {nan_high, 0.0f, HUGE_VALF, nan_minus, -0.0f, -1.0f, nan_low, -HUGE_VALF, 0.0f};
  const std::vector<float> up = {nan_minus, -HUGE_VALF, -1.0f, 0.0f, -0.0f, 0.0f, HUGE_VALF, nan_low, nan_high};
  const std::vector<std::uint32_t> order = {3, 7, 5, 1, 4, 8, 2, 6, 0};
  std::vector<std::uint32_t> same(9);
  std::iota(same.begin(), same.end(), 0u);
  EXPECT_EQ(first_difference(table_of(scalar_type::f32, keys), sort_order::ascending, table_of(scalar_type::f32, up)),
            "");
  EXPECT_EQ(first_difference(table_of(scalar_type::f32, keys, same), sort_order::ascending,
                             table_of(scalar_type::f32, up, order)),
            "");
  std::vector<float> swapped_zeros = up;
  std::swap(swapped_zeros[3], swapped_zeros[4]);
  EXPECT_NE(first_difference(table_of(scalar_type::f32, keys), sort_order::ascending,
                             table_of(scalar_type::f32, swapped_zeros)),
            "");
}

TEST(sort_check, descending_keeps_equal_keys_in_input_order) {
  const key_table input = table_of<std::int32_t>(scalar_type::i32, {-1, 5, -1, 5}, {10, 11, 12, 13});
  EXPECT_EQ(first_difference(input, sort_order::descending,
                             table_of<std::int32_t>(scalar_type::i32, {5, 5, -1, -1}, {11, 13, 10, 12})),
            "");
  EXPECT_NE(first_difference(input, sort_order::descending,
                             table_of<std::int32_t>(scalar_type::i32, {5, 5, -1, -1}, {13, 11, 12, 10})),
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
  EXPECT_EQ(first_difference(input, sort_order::ascending, table_of(type, keys, values)), "");
  EXPECT_NE(first_difference(input, sort_order::descending, table_of(type, keys, values)), "");
  values[700000] ^= 1;
  EXPECT_NE(first_difference(input, sort_order::ascending, table_of(type, keys, values)).find("pair 700000"),
            std::string::npos);
}

TEST(sort_check, agrees_with_a_plain_stable_sort) {
  expect_every_change_is_found<std::uint32_t>(scalar_type::u32, seed());
  expect_every_change_is_found<std::uint64_t>(scalar_type::u64, seed());
  expect_every_change_is_found<float>(scalar_type::f32, seed());
}

}  // namespace
}  // namespace upsweep::test
