// The operators by themselves.
#include "upsweep/scan/operators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

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

}  // namespace
}  // namespace upsweep::test
