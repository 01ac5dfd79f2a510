// Arithmetic that every compiler rounds alike.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// a * b as a T, rounded by itself: never part of a fused multiply-add. For integers, float, double, and types whose
/// header overloads __hmul_rn or that round each product anyway.
template <class T>
UPSWEEP_HOST_DEVICE T rounded_product(const T& a, const T& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) {
    return __fmul_rn(a, b);
  } else if constexpr (std::is_same_v<T, double>) {
    return __dmul_rn(a, b);
  } else if constexpr (requires { __hmul_rn(a, b); }) {
    return __hmul_rn(a, b);
  } else {
    return static_cast<T>(a * b);
  }
#else
  if constexpr (std::is_floating_point_v<T>) {
    volatile T product = a * b;
    return product;
  } else {
    return static_cast<T>(a * b);
  }
#endif
}

/// The largest double that is no more than a number, and the smallest that is no less: both the number itself, but of
/// 64-bit integers beyond 2^53. Compared with a double, a number is more where `above` is, at least where `below` is.
struct doubles_around {
  double below, above;

  template <class Number>
  static UPSWEEP_HOST_DEVICE doubles_around of(Number number) {
    if constexpr (std::is_floating_point_v<Number> || sizeof(Number) < 8) {
      const auto same = static_cast<double>(number);
      return {same, same};
    } else {
#if defined(__CUDA_ARCH__)
      if constexpr (std::is_signed_v<Number>) {
        return {__ll2double_rd(number), __ll2double_ru(number)};
      } else {
        return {__ull2double_rd(number), __ull2double_ru(number)};
      }
#else
      // The upper half and the lower are doubles, and so is what their sum loses to the nearest double.
      const double upper = static_cast<double>(number >> 32) * 0x1p32;
      const double lower = static_cast<double>(static_cast<std::uint32_t>(number));
      const double nearest = upper + lower, lost = lower - (nearest - upper);
      return {lost < 0 ? std::nextafter(nearest, -HUGE_VAL) : nearest,
              lost > 0 ? std::nextafter(nearest, HUGE_VAL) : nearest};
#endif
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
