// The operators by themselves.
#include "upsweep/scan/operators.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/row_of_items.hpp"

namespace upsweep::test {
namespace {

TEST(operators, are_those_of_c) {
  EXPECT_EQ(plus{}(5, 3), 8);
  EXPECT_EQ(multiplies{}(5, 3), 15);
  EXPECT_EQ(minimum{}(5, -3), -3);
  EXPECT_EQ(minimum{}(-3, 5), -3);
  EXPECT_EQ(maximum{}(5, -3), 5);
  EXPECT_EQ(maximum{}(-3, 5), 5);
  EXPECT_EQ(bit_and{}(6u, 3u), 2u);
  EXPECT_EQ(bit_or{}(6u, 3u), 7u);
  EXPECT_EQ(bit_xor{}(6u, 3u), 5u);
}

TEST(operators, give_the_common_type_of_their_operands) {
  constexpr std::uint8_t byte = 200;
  EXPECT_EQ(plus{}(byte, byte), 144) << "bytes wrap around as bytes";
  static_assert(std::is_same_v<decltype(plus{}(byte, byte)), std::uint8_t>);
  static_assert(std::is_same_v<decltype(maximum{}(byte, 1.5)), double>);
  static_assert(std::is_same_v<decltype(bit_or{}(byte, std::uint32_t{1})), std::uint32_t>);
}

TEST(minimum_and_maximum, take_the_first_of_equal_operands) {
  EXPECT_FALSE(std::signbit(minimum{}(0.0, -0.0)));
  EXPECT_TRUE(std::signbit(minimum{}(-0.0, 0.0)));
  EXPECT_FALSE(std::signbit(maximum{}(0.0, -0.0)));
  EXPECT_TRUE(std::signbit(maximum{}(-0.0, 0.0)));
}

TEST(minimum_and_maximum, keep_a_nan_in_front_and_pass_over_one_behind) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(minimum{}(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(maximum{}(nan, 1.0f)));
  EXPECT_EQ(minimum{}(1.0f, nan), 1.0f);
  EXPECT_EQ(maximum{}(1.0f, nan), 1.0f);
}

TEST(accumulate_in, combines_operands_as_the_type_that_is_named) {
  constexpr std::uint8_t byte = 200;
  const auto sum = accumulate_in<std::uint32_t>(plus{});
  EXPECT_EQ(sum(byte, byte), 400u);
  static_assert(std::is_same_v<decltype(sum(byte, byte)), std::uint32_t>);
  EXPECT_EQ(accumulate_in<int>(plus{})(1.75, 1.75), 2) << "operands are converted first";
}

/// Tiles are filled up with it, so the bits of what it follows must stay.
TEST(right_identity, changes_no_bit) {
  const auto is_kept = [](auto op, auto x) {
    using T = decltype(x);
    static_assert(detail::has_right_identity<decltype(op), T>);
    return std::bit_cast<std::array<std::byte, sizeof(T)>>(op(x, detail::right_identity<decltype(op), T>())) ==
           std::bit_cast<std::array<std::byte, sizeof(T)>>(x);
  };
  for (const float x : {0.0f, -0.0f, 1.5f, -INFINITY, INFINITY}) {
    EXPECT_TRUE(is_kept(plus{}, x)) << x;
    EXPECT_TRUE(is_kept(plus{}, double{x})) << x;
    EXPECT_TRUE(is_kept(accumulate_in<double>(plus{}), double{x})) << x;
    EXPECT_TRUE(is_kept(detail::row_op<plus>{}, detail::row_of_items<float, 2>{x, -0.0f})) << x;
  }
  for (const int x : {0, -1, 77}) {
    EXPECT_TRUE(is_kept(plus{}, x)) << x;
    EXPECT_TRUE(is_kept(bit_or{}, x)) << x;
    EXPECT_TRUE(is_kept(bit_xor{}, static_cast<std::uint8_t>(x))) << x;
  }
  static_assert(!detail::has_right_identity<bit_and, int> && !detail::has_right_identity<minimum, float>);
  static_assert(!detail::has_right_identity<detail::row_op<minimum>, detail::row_of_items<float, 2>>);
}

TEST(arg_min_and_arg_max, give_the_first_of_equal_values_in_any_order) {
  using pair = indexed<float, int>;
  const pair low{-1, 4}, low_too{-1, 7}, high{2, 3}, high_too{2, 9};
  EXPECT_EQ(arg_min{}(high, low), low);
  EXPECT_EQ(arg_min{}(low, high), low);
  EXPECT_EQ(arg_min{}(low, low_too), low);
  EXPECT_EQ(arg_min{}(low_too, low), low);
  EXPECT_EQ(arg_max{}(high, low), high);
  EXPECT_EQ(arg_max{}(low, high), high);
  EXPECT_EQ(arg_max{}(high, high_too), high);
  EXPECT_EQ(arg_max{}(high_too, high), high);
}

TEST(compose_affine, applies_the_first_map_first) {
  using map = affine_map<std::uint32_t>;
  EXPECT_EQ(compose_affine{}(map{2, 5}, map{3, 7}), (map{6, 22}));
  EXPECT_EQ(compose_affine{}(compose_affine{}(map{2, 5}, map{3, 7}), map{11, 13}),
            compose_affine{}(map{2, 5}, compose_affine{}(map{3, 7}, map{11, 13})));
}

TEST(compose_affine, rounds_the_product_before_the_sum) {
  const volatile float known_at_run_time = 1.0f + 0x1p-12f;
  const float x = known_at_run_time;  // its square needs one bit more than a float has
  EXPECT_EQ(compose_affine{}(affine_map<float>{1, x}, affine_map<float>{x, -(1.0f + 0x1p-11f)}).offset, 0.0f);
}

}  // namespace
}  // namespace upsweep::test
