// Which of two keys comes first, by a comparison or by an order of the sorts.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether x comes before y in a sort by all bits of these digits.
template <class Digits>
struct in_front_by {
  Digits digits;

  template <class Key>
  UPSWEEP_HOST_DEVICE bool operator()(const Key& x, const Key& y) const {
    const auto highest = digits.at(0, 1);
    if constexpr (requires { highest.code_of(x); }) {
      return highest.code_of(x) < highest.code_of(y);
    } else {
      constexpr int most = 24;
      for (int end = digits.bits; end > 0; end -= most) {
        const int begin = end > most ? end - most : 0;
        const auto digit = digits.at(begin, end - begin);
        const std::uint32_t of_x = digit(x), of_y = digit(y);
        if (of_x != of_y) return of_x < of_y;
      }
      return false;
    }
  }
};

/// What a comparison or an order of the sorts asks of two keys.
template <class Key, class Order>
auto in_front_of(const Order& order) {
  if constexpr (can_call<Order, const Key&, const Key&>) {
    return order;
  } else {
    return in_front_by<decltype(digits_of<Key>(order))>{digits_of<Key>(order)};
  }
}

template <class Order, class Key>
constexpr bool check_key_order() {
  constexpr bool compares = can_call<Order, const Key&, const Key&>;
  constexpr bool is_direction = std::is_same_v<Order, sort_order>;
  constexpr bool is_order = is_direction || requires(const Order& order) {
    order.at(0, 8);
    order.bits;
  };
  static_assert(compares || is_order,
                "upsweep: after the counts comes less(x, y) of two keys, or an order as sorts take it; then the "
                "stream");
  constexpr bool has_digits = compares || !is_direction || is_number_key<Key>;
  static_assert(has_digits, "upsweep: keys that are not numbers need less(x, y), or an order such as decomposed_by");
  return (compares || is_order) && has_digits;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
