// All bits by which a key is compared, as one number.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The bits [begin, end) of a key's digits as an unsigned number, the others 0: of two keys the one with the lower
/// number comes first. The range is not empty, and `end` is resolved.
template <class Digits>
struct order_code {
  static_assert(Digits::bits <= 128, "upsweep: an order of at most 128 bits");
  using code = std::conditional_t<Digits::bits <= 32, std::uint32_t,
                                  std::conditional_t<Digits::bits <= 64, std::uint64_t, uint128>>;

  Digits digits;
  bit_range bits;

  template <class Key>
  UPSWEEP_HOST_DEVICE code operator()(const Key& key) const {
    constexpr int window = 16;
    code c = 0;
    for (int shift = bits.begin; shift < bits.end; shift += window) {
      const int width = bits.end - shift < window ? bits.end - shift : window;
      c |= static_cast<code>(digits.at(shift, width)(key)) << shift;
    }
    return c;
  }
};

/// A whole key's code is there at once.
template <class Key, nan_order Nans>
struct order_code<key_digits<Key, Nans>> {
  using code = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, typename key_codec<Key>::code>;

  bit_range bits;
  digit_of<Key, Nans> whole;
  code mask;

  order_code(const key_digits<Key, Nans>& digits, bit_range of_bits)
      : bits(of_bits),
        whole(digits.at(0, 1)),
        mask(static_cast<code>(static_cast<code>(~code{0}) >> (static_cast<int>(sizeof(code)) * 8 - bits.end) >>
                               bits.begin << bits.begin)) {}

  UPSWEEP_HOST_DEVICE code operator()(const Key& key) const { return whole.code_of(key) & mask; }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
