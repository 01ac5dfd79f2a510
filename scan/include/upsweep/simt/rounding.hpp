// Arithmetic that every compiler rounds alike.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

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

}  // namespace upsweep::detail::inline UPSWEEP_ABI
