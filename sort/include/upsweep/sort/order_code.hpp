// All bits by which a key is compared, as one number.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>
#include <utility>

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
  using digit = decltype(std::declval<const Digits&>().at(0, 1));

  Digits digits;
  bit_range bits;
  digit whole;
  code mask;

  order_code(const Digits& all_digits, bit_range of_bits)
      : digits(all_digits),
        bits(of_bits),
        whole(digits.at(0, 1)),
        mask(static_cast<code>(static_cast<code>(~code{0}) >> (static_cast<int>(sizeof(code)) * 8 - bits.end) >>
                               bits.begin << bits.begin)) {}

  template <class Key>
  UPSWEEP_HOST_DEVICE code operator()(const Key& key) const {
    if constexpr (requires { whole.code_of(key); }) {  // of numbers all is there at once
      return static_cast<code>(whole.code_of(key)) & mask;
    } else {
      constexpr int window = 16;
      code c = 0;
      for (int shift = bits.begin; shift < bits.end; shift += window) {
        const int width = bits.end - shift < window ? bits.end - shift : window;
        c |= static_cast<code>(digits.at(shift, width)(key)) << shift;
      }
      return c;
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
