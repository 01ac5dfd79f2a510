// Keys as unsigned numbers of the same order. Keys are stored as they came; only digits are taken from their codes.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep {

/// Integers: the sign bit flipped. IEEE floats: negative ones complemented, the sign bit flipped; -0.0 as +0.0, so that
/// the two are equal; NaNs by their bits, beyond the infinity of their sign.
template <class Key>
struct key_codec {
  static_assert(std::is_arithmetic_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8),
                "keys are numbers of 4 or 8 bytes");
  using code = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int bits = static_cast<int>(sizeof(Key)) * 8;
  static constexpr code sign = code{1} << (bits - 1);

  static UPSWEEP_HOST_DEVICE code encode(Key key) {
    const code raw = __builtin_bit_cast(code, key);
    if constexpr (std::is_floating_point_v<Key>) {
      if (raw == sign) return sign;
      return (raw & sign) != 0 ? ~raw : raw | sign;
    } else if constexpr (std::is_signed_v<Key>) {
      return raw ^ sign;
    } else {
      return raw;
    }
  }
};

/// Takes one digit of a key: `bits` bits of its code from `shift` on, complemented for a descending sort.
template <class Key>
struct digit_of {
  using code = typename key_codec<Key>::code;
  code flip;
  int shift;
  std::uint32_t mask;

  static UPSWEEP_HOST_DEVICE digit_of at(sort_order order, int shift, int bits) {
    return {order == sort_order::descending ? ~code{0} : code{0}, shift, (1u << bits) - 1};
  }
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(Key key) const {
    return static_cast<std::uint32_t>((key_codec<Key>::encode(key) ^ flip) >> shift) & mask;
  }
};

/// The digits of whole keys of one type, as a sort_request has them.
template <class Key>
struct key_digits {
  static constexpr int bits = key_codec<Key>::bits;
  sort_order order = sort_order::ascending;

  UPSWEEP_HOST_DEVICE digit_of<Key> at(int shift, int width) const { return digit_of<Key>::at(order, shift, width); }
};

}  // namespace upsweep
