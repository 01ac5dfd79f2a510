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

/// The bits [begin, end) of a key's digits as an unsigned number: of two keys the one with the lower number comes
/// first. The range is not empty, and `end` is resolved.
template <class Digits>
struct order_code {
  static_assert(Digits::bits <= 128, "upsweep: an order of at most 128 bits");
  using code =
      std::conditional_t<Digits::bits <= 32, std::uint32_t, std::conditional_t<Digits::bits <= 64, std::uint64_t, uint128>>;

  Digits digits;
  bit_range bits;

  template <class Key>
  UPSWEEP_HOST_DEVICE code operator()(const Key& key) const {
    constexpr int window = 16;
    code c = 0;
    for (int shift = bits.begin; shift < bits.end; shift += window) {
      const int width = bits.end - shift < window ? bits.end - shift : window;
      c |= static_cast<code>(digits.at(shift, width)(key)) << (shift - bits.begin);
    }
    return c;
  }
};

/// A whole key's code is there at once.
template <class Key, nan_order Nans>
struct order_code<key_digits<Key, Nans>> {
  using code = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, typename key_codec<Key>::code>;

  key_digits<Key, Nans> digits;
  bit_range bits;

  UPSWEEP_HOST_DEVICE code operator()(const Key& key) const {
    constexpr int width = static_cast<int>(sizeof(code)) * 8;
    const code all = digits.at(0, 1).code_of(key);
    return static_cast<code>(all << (width - bits.end)) >> (width - bits.end + bits.begin);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
