// From an element type at run time to the type in C++.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <type_traits>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The name of an integer type of 1 to 8 bytes, of float or double.
template <class T>
constexpr scalar_type scalar_type_of() {
  static_assert(std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>);
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? scalar_type::f32 : scalar_type::f64;
  } else if constexpr (sizeof(T) <= 2) {
    constexpr scalar_type narrow[] = {scalar_type::u8, scalar_type::i8, scalar_type::u16, scalar_type::i16};
    return narrow[(sizeof(T) - 1) * 2 + is_signed];
  } else {
    constexpr scalar_type wide[] = {scalar_type::u32, scalar_type::i32, scalar_type::u64, scalar_type::i64};
    return wide[(sizeof(T) / 4 - 1) * 2 + is_signed];
  }
}

/// Some of these types, one of which is chosen at run time.
template <class... Ts>
struct scalar_types {
  static constexpr std::array values = {scalar_type_of<Ts>()...};  ///< their names

  /// Calls f(T{}) for the one of that name; false when it is none of them.
  template <class F>
  static bool visit(scalar_type type, F&& f) {
    return ((type == scalar_type_of<Ts>() && (static_cast<void>(f(Ts{})), true)) || ...);
  }

  /// The same for an f that answers with a status; not_supported when the type is none of them.
  template <class F>
  static status call(scalar_type type, F&& f) {
    status answer = status::not_supported;
    visit(type, [&](auto zero) { answer = f(zero); });
    return answer;
  }
};

}  // namespace upsweep::inline UPSWEEP_ABI
