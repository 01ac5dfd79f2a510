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

/// The smallest double that is no less than an integer of 64 bits.
template <class Integer>
UPSWEEP_HOST_DEVICE double double_above(Integer number) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_signed_v<Integer>) {
    return __ll2double_ru(number);
  } else {
    return __ull2double_ru(number);
  }
#else
  // Both halves are exact as doubles, and so is what rounding their sum to the nearest double loses.
  const double upper = static_cast<double>(number >> 32) * 0x1p32;
  const double lower = static_cast<double>(static_cast<std::uint32_t>(number));
  const double nearest = upper + lower, lost = lower - (nearest - upper);
  return lost > 0 ? std::nextafter(nearest, HUGE_VAL) : nearest;
#endif
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
