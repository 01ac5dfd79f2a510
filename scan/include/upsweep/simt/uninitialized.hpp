// Arrays for shared memory, whose elements nobody constructs.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// N elements of T that hold whatever the memory held. T is trivially copyable.
template <class T, int N>
struct uninitialized_array {
  static_assert(std::is_trivially_copyable_v<T>, "shared memory is copied as bytes");
  alignas(T) unsigned char bytes[sizeof(T) * N];

  UPSWEEP_HOST_DEVICE T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
  UPSWEEP_HOST_DEVICE const T& operator[](int i) const { return reinterpret_cast<const T*>(bytes)[i]; }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
