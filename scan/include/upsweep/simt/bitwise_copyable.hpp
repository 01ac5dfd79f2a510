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

/// Whether copying the bytes of a T copies the T; true for every trivially copyable type. Scans, compactions and sorts
/// move only such items, keys and values: through shared memory, between lanes and between blocks. Specialise it for a
/// class whose copy constructor or assignment is not trivial, but copies its members and does nothing else:
///
/// template <> inline constexpr bool upsweep::is_bitwise_copyable<std::pair<float, int>> = true;
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
