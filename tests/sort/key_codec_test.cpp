#include "upsweep/sort/key_codec.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "contracts/sort_contract.hpp"

namespace upsweep::test {
namespace {

template <class Key>
class key_codec_of : public testing::Test {};
using key_types = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(key_codec_of, key_types);

TYPED_TEST(key_codec_of, codes_are_ordered_as_keys_are) {
  auto keys = random_keys<TypeParam>(300, "uniform");
  for (const TypeParam k : random_keys<TypeParam>(100, "specials")) keys.push_back(k);
  for (const TypeParam a : keys) {
    for (const TypeParam b : keys) {
      ASSERT_EQ(key_codec<TypeParam>::encode(a) < key_codec<TypeParam>::encode(b), key_less(a, b)) << a << " " << b;
    }
  }
}

TEST(digit_of_a_key, takes_its_bits_of_the_code) {
  const auto digit = digit_of<std::uint32_t>::at(sort_order::ascending, 8, 8);
  EXPECT_EQ(digit(0x12345678), 0x56u);
  EXPECT_EQ((digit_of<std::uint32_t>::at(sort_order::ascending, 28, 3)(0xf2345678)), 7u);
}

TEST(digit_of_a_key, is_complemented_for_a_descending_sort) {
  const auto digit = digit_of<std::uint32_t>::at(sort_order::descending, 8, 8);
  EXPECT_EQ(digit(0x12345678), 0xffu - 0x56u);
}

}  // namespace
}  // namespace upsweep::test
