// Keys as unsigned numbers of the same order. Keys are stored as they came; only digits are taken from their codes.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/sort/order.hpp"

// The toolkit's floats of 16 and 8 bits, whose headers need not be there: only their bits are looked at.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/// What the bits of a key mean. `mantissa_bits` of a float is its width less those of sign and exponent.
enum class key_kind : std::uint8_t { none, unsigned_integer, signed_integer, floating };
struct key_format {
  key_kind kind;
  int mantissa_bits;
};

template <class Key>
inline constexpr key_format key_format_of = [] {
  if constexpr (std::is_same_v<Key, __half>) return key_format{key_kind::floating, 10};
  if constexpr (std::is_same_v<Key, __nv_bfloat16>) return key_format{key_kind::floating, 7};
  if constexpr (std::is_same_v<Key, __nv_fp8_e4m3>) return key_format{key_kind::floating, 3};
  if constexpr (std::is_same_v<Key, __nv_fp8_e5m2>) return key_format{key_kind::floating, 2};
  if constexpr (std::is_same_v<Key, float> || std::is_same_v<Key, double>) {
    return key_format{key_kind::floating, std::numeric_limits<Key>::digits - 1};
  }
  if constexpr (std::is_same_v<Key, uint128>) return key_format{key_kind::unsigned_integer, 0};
  if constexpr (std::is_same_v<Key, int128>) return key_format{key_kind::signed_integer, 0};
  if constexpr (std::is_integral_v<Key>) {
    return key_format{std::is_signed_v<Key> ? key_kind::signed_integer : key_kind::unsigned_integer, 0};
  }
  return key_format{key_kind::none, 0};
}();

/// Whether keys of this type can be sorted as they are; others need a decomposer or an extractor (decomposer.hpp).
template <class Key>
inline constexpr bool is_number_key = key_format_of<Key>.kind != key_kind::none;

template <int Bytes>
using unsigned_of_bytes =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t,
                                                             std::conditional_t<Bytes == 8, std::uint64_t, uint128>>>>;

/// Integers of 1 to 16 bytes: the sign bit flipped. IEEE floats of 2 to 8 bytes: negative ones complemented, the sign
/// bit flipped; -0.0 as +0.0, so that the two are equal; NaNs by their bits, beyond the infinity of their sign.
template <class Key>
struct key_codec {
  static_assert(is_number_key<Key>, "keys are integers or floats; others need a decomposer or an extractor");
  static constexpr key_format format = key_format_of<Key>;
  using code = unsigned_of_bytes<static_cast<int>(sizeof(Key))>;
  static constexpr int bits = static_cast<int>(sizeof(Key)) * 8;
  static constexpr code sign = static_cast<code>(code{1} << (bits - 1));

  /// With all bits of `flip` set, codes are in the reverse order. Both zeros have the same code in both directions, as
  /// in CUB; a sort by a range of bits depends on that.
  static UPSWEEP_HOST_DEVICE code encode(const Key& key, code flip = 0) {
    const code raw = __builtin_bit_cast(code, key);
    if constexpr (format.kind == key_kind::floating) {
      const auto c = static_cast<code>(((raw & sign) != 0 ? ~raw : raw | sign) ^ flip);
      return c == sign - 1 ? sign : c;
    } else if constexpr (format.kind == key_kind::signed_integer) {
      return static_cast<code>(raw ^ sign ^ flip);
    } else {
      return static_cast<code>(raw ^ flip);
    }
  }

  /// The key of a code; zeros of a float have one code, and so no way back.
  static UPSWEEP_HOST_DEVICE Key decode(code c, code flip = 0) requires(format.kind != key_kind::floating) {
    const auto raw = static_cast<code>(c ^ flip);
    return static_cast<Key>(format.kind == key_kind::signed_integer ? static_cast<code>(raw ^ sign) : raw);
  }

  /// The key whose code has all bits set.
  static UPSWEEP_HOST_DEVICE Key last(code flip = 0) {
    code raw = static_cast<code>(~flip);
    if constexpr (format.kind == key_kind::signed_integer) raw ^= sign;
    if constexpr (format.kind == key_kind::floating) raw = flip == 0 ? sign - 1 : static_cast<code>(~code{0});
    return __builtin_bit_cast(Key, raw);
  }

  static UPSWEEP_HOST_DEVICE bool is_nan(const Key& key) {
    if constexpr (format.kind == key_kind::floating) {
      // e4m3 has no infinity: of the largest exponent, all numbers but one are numbers.
      constexpr code infinity = std::is_same_v<Key, __nv_fp8_e4m3>
                                    ? static_cast<code>(sign - 2)
                                    : static_cast<code>((sign - 1) >> format.mantissa_bits << format.mantissa_bits);
      return static_cast<code>(__builtin_bit_cast(code, key) & (sign - 1)) > infinity;
    } else {
      return false;
    }
  }
};

/// Takes one digit of a key: `bits` bits of its code from `shift` on, complemented for a descending sort.
template <class Key, nan_order Nans = nan_order::by_bits>
struct digit_of {
  using codec = key_codec<Key>;
  using code = typename codec::code;
  code flip;
  int shift;
  std::uint32_t mask;

  static UPSWEEP_HOST_DEVICE digit_of at(sort_order order, int shift, int bits) {
    return {order == sort_order::descending ? static_cast<code>(~code{0}) : code{0}, shift, (1u << bits) - 1};
  }
  /// The whole code, of which the digit is a part.
  UPSWEEP_HOST_DEVICE code code_of(const Key& key) const {
    code c = codec::encode(key, flip);
    // No number has these codes, whatever the direction: they would be NaNs.
    if constexpr (Nans == nan_order::last) c = codec::is_nan(key) ? static_cast<code>(~code{0}) : c;
    if constexpr (Nans == nan_order::first) c = codec::is_nan(key) ? code{0} : c;
    return c;
  }
  UPSWEEP_HOST_DEVICE Key key_of(code c) const requires(codec::format.kind != key_kind::floating) {
    return codec::decode(c, flip);
  }
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const Key& key) const {
    return static_cast<std::uint32_t>(code_of(key) >> shift) & mask;
  }
  /// A key of which no digit is lower than that of another.
  UPSWEEP_HOST_DEVICE Key last_key() const requires(Nans != nan_order::first) { return codec::last(flip); }
};

/// The digits of whole keys of one type, as a sort_request has them.
template <class Key, nan_order Nans = nan_order::by_bits>
struct key_digits {
  static constexpr int bits = key_codec<Key>::bits;
  sort_order order = sort_order::ascending;

  UPSWEEP_HOST_DEVICE digit_of<Key, Nans> at(int shift, int width) const {
    return digit_of<Key, Nans>::at(order, shift, width);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::key_digits;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
