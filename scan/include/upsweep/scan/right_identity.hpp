// What upsweep knows about its own operators, apart from their being associative.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

template <class Op>
inline constexpr bool is_sum = std::is_same_v<Op, plus>;
template <class T, class Op>
inline constexpr bool is_sum<accumulating_op<T, Op>> = is_sum<Op>;
template <class Op>
inline constexpr bool is_bit_sum = std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor>;
template <class T, class Op>
inline constexpr bool is_bit_sum<accumulating_op<T, Op>> = is_bit_sum<Op>;

/// Whether T combined by Op in any order gives the same bits.
template <class Op, class T>
inline constexpr bool sums_in_any_order = std::is_integral_v<T> && (is_sum<Op> || is_bit_sum<Op>);

/// Whether there is a number of type T that changes nothing after any other: op(x, right_identity<T>()) has the bits of
/// x. A tile that is not full is filled up with it, and then needs no separate code; nobody sees that an operator of
/// upsweep is applied to it.
template <class Op, class T>
inline constexpr bool has_right_identity = sums_in_any_order<Op, T> || (std::is_floating_point_v<T> && is_sum<Op>);

template <class Op, class T>
struct right_identity_of {
  /// -0.0 for sums of floats: -0.0 + 0.0 is 0.0.
  UPSWEEP_HOST_DEVICE static constexpr T value() {
    if constexpr (has_right_identity<Op, T> && std::is_floating_point_v<T>) return static_cast<T>(-0.0);
    return T{};
  }
};

/// It; T{} where there is none.
template <class Op, class T>
UPSWEEP_HOST_DEVICE constexpr T right_identity() {
  return right_identity_of<Op, T>::value();
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
