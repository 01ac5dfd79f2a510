// Digits of keys whose type is known only at run time: types of one width share the kernels.
#pragma once

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// The codes that key_codec gives to the keys of some type that is as wide as Code, in one of the two orders.
template <class Code>
struct run_time_codec {
  static constexpr int bits = static_cast<int>(sizeof(Code)) * 8;
  Code if_negative, if_positive;  // what turns the bits of a key into its code, by the highest one
  Code zero, other_zero;          // the codes of the two zeros of a float, of which the second stands for both

  run_time_codec(scalar_type type, sort_order order) {
    constexpr auto sign = static_cast<Code>(Code{1} << (bits - 1)), all = static_cast<Code>(~Code{0});
    const auto flip = order == sort_order::descending ? all : Code{0};
    const char kind = name_of(type)[0];
    const bool is_float = kind != 'i' && kind != 'u';
    if_negative = static_cast<Code>((is_float ? all : kind == 'i' ? sign : Code{0}) ^ flip);
    if_positive = static_cast<Code>((kind == 'u' ? Code{0} : sign) ^ flip);
    other_zero = is_float ? sign : Code{0};
    zero = is_float ? static_cast<Code>(sign - 1) : Code{0};
  }

  UPSWEEP_HOST_DEVICE Code encode(Code key) const {
    const auto code = static_cast<Code>(key ^ (key >> (bits - 1) != 0 ? if_negative : if_positive));
    return code == zero ? other_zero : code;
  }
  /// The key whose code has all bits set.
  UPSWEEP_HOST_DEVICE Code last() const {
    const auto positive = static_cast<Code>(~if_positive);
    return positive >> (bits - 1) == 0 ? positive : static_cast<Code>(~if_negative);
  }
};

/// The same where NaNs may go last or first. Of integers, and where NaNs are sorted by their bits, no magnitude is
/// larger than `infinity`.
template <class Code>
struct run_time_nan_codec {
  static constexpr int bits = run_time_codec<Code>::bits;
  static constexpr auto magnitude = static_cast<Code>(static_cast<Code>(~Code{0}) >> 1);
  run_time_codec<Code> numbers;
  Code infinity, nan;  // the bits of the one, the code of the other

  run_time_nan_codec(scalar_type type, sort_order order, nan_order nans) : numbers(type, order) {
    const int mantissa_bits = type == scalar_type::f64    ? 52
                              : type == scalar_type::f32  ? 23
                              : type == scalar_type::f16  ? 10
                              : type == scalar_type::bf16 ? 7
                                                          : 0;
    const int lost = nans == nan_order::by_bits ? 0 : mantissa_bits;
    infinity = static_cast<Code>(magnitude >> lost << lost);
    nan = nans == nan_order::last ? static_cast<Code>(~Code{0}) : Code{0};
  }

  UPSWEEP_HOST_DEVICE Code encode(Code key) const {
    return static_cast<Code>(key & magnitude) > infinity ? nan : numbers.encode(key);
  }
};

/// The digits of integers, signed or not: `flip` is what turns their bits into their codes.
template <class Code>
struct integer_digits {
  static constexpr int bits = run_time_codec<Code>::bits;
  Code flip;

  UPSWEEP_HOST_DEVICE digit_of<Code> at(int shift, int width) const { return {flip, shift, (1u << width) - 1}; }
};

/// Takes one digit of a key that may be a float.
template <class Code, class Codec>
struct coded_digit {
  Codec codec;
  int shift;
  std::uint32_t mask;

  UPSWEEP_HOST_DEVICE Code code_of(const Code& key) const { return codec.encode(key); }
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const Code& key) const {
    return static_cast<std::uint32_t>(code_of(key) >> shift) & mask;
  }
  UPSWEEP_HOST_DEVICE Code last_key() const requires requires { codec.last(); }
  { return codec.last(); }
};

/// The digits of such keys, as a sort_request has them.
template <class Code, class Codec = run_time_codec<Code>>
struct coded_digits {
  static constexpr int bits = Codec::bits;
  Codec codec;

  UPSWEEP_HOST_DEVICE coded_digit<Code, Codec> at(int shift, int width) const {
    return {codec, shift, (1u << width) - 1};
  }
};

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
