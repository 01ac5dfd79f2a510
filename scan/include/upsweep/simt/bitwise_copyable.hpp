// Which types are copied as bytes.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/simt/config.hpp"

// CUDA's pairs of halves have their own assignment functions, which copy the bytes.
struct __half2;
struct __nv_bfloat162;

namespace upsweep::inline UPSWEEP_ABI {

/// Whether a copy of the bytes of a T is a copy of the T, as of every trivially copyable type. Scans, compactions and
/// sorts move such items, keys and values alone: through shared memory, between lanes and between blocks. Specialise it
/// for a class of yours that has a copy constructor or an assignment which copy its members and nothing else:
///
///   template <>
///   inline constexpr bool upsweep::is_bitwise_copyable<std::pair<float, int>> = true;
template <class T>
inline constexpr bool is_bitwise_copyable = std::is_trivially_copyable_v<T>;
/// A const T is copied as a T is.
template <class T>
inline constexpr bool is_bitwise_copyable<const T> = is_bitwise_copyable<T>;
/// A volatile T is copied as a T is.
template <class T>
inline constexpr bool is_bitwise_copyable<volatile T> = is_bitwise_copyable<T>;
/// A const volatile T is copied as a T is.
template <class T>
inline constexpr bool is_bitwise_copyable<const volatile T> = is_bitwise_copyable<T>;
/// The assignment of a pair of halves copies its bytes.
template <>
inline constexpr bool is_bitwise_copyable<__half2> = true;
/// The assignment of a pair of bfloat16 copies its bytes.
template <>
inline constexpr bool is_bitwise_copyable<__nv_bfloat162> = true;

}  // namespace upsweep::inline UPSWEEP_ABI
