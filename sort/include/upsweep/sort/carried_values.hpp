// What travels with a key while it is sorted in shared memory.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A value of up to 4 bytes travels itself; for a wider one its place in the input does, by which it is fetched at the
/// end, so that it is moved once. For arrays of fewer than 2^32 items.
template <class Value>
struct carried_values {
  static constexpr bool itself = sizeof(Value) <= 4;
  using item = std::conditional_t<itself, Value, std::uint32_t>;
  const Value* in;
  Value* out;

  /// What travels with the key at `from`. No `in`: values are the places of the keys.
  UPSWEEP_DEVICE item take(std::int64_t from) const {
    if constexpr (itself) {
      return value_at(from);
    } else {
      return static_cast<std::uint32_t>(from);
    }
  }
  /// It has arrived at `to`.
  UPSWEEP_DEVICE void put(std::int64_t to, const item& travelled) const {
    if constexpr (itself) {
      out[to] = travelled;
    } else {
      out[to] = value_at(travelled);
    }
  }

  UPSWEEP_DEVICE Value value_at(std::int64_t from) const {
    if constexpr (std::is_integral_v<Value>) {
      if (in == nullptr) return static_cast<Value>(from);
    }
    return in[from];
  }
};

/// Keys alone.
template <>
struct carried_values<no_value> {
  using item = no_value;
  const no_value* in;
  no_value* out;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
