// Arrays for shared memory, whose elements nobody constructs.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// N elements of T that hold whatever the memory held. T is copied as bytes.
template <class T, int N>
struct uninitialized_array {
  static_assert(is_bitwise_copyable<T>, "shared memory is copied as bytes");
  alignas(T) unsigned char bytes[sizeof(T) * N];

  UPSWEEP_HOST_DEVICE T* data() { return reinterpret_cast<T*>(bytes); }
  UPSWEEP_HOST_DEVICE const T* data() const { return reinterpret_cast<const T*>(bytes); }
  UPSWEEP_HOST_DEVICE T& operator[](int i) { return data()[i]; }
  UPSWEEP_HOST_DEVICE const T& operator[](int i) const { return data()[i]; }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
