// Element types that are known only at run time.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "upsweep/simt/names.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The type of one array element at run time.
enum class scalar_type : std::uint8_t {
  i8,    ///< std::int8_t
  u8,    ///< std::uint8_t
  i16,   ///< std::int16_t
  u16,   ///< std::uint16_t
  i32,   ///< std::int32_t
  u32,   ///< std::uint32_t
  i64,   ///< std::int64_t
  u64,   ///< std::uint64_t
  f32,   ///< float
  f64,   ///< double
  f16,   ///< CUDA's __half
  bf16,  ///< CUDA's __nv_bfloat16
};

/// Bytes of one element.
constexpr std::size_t size_of(scalar_type t) {
  switch (t) {
    case scalar_type::i8:
    case scalar_type::u8:
      return 1;
    case scalar_type::i16:
    case scalar_type::u16:
    case scalar_type::f16:
    case scalar_type::bf16:
      return 2;
    case scalar_type::i32:
    case scalar_type::u32:
    case scalar_type::f32:
      return 4;
    case scalar_type::i64:
    case scalar_type::u64:
    case scalar_type::f64:
      return 8;
  }
  return 0;
}

/// The names of the types, in the order of scalar_type.
inline constexpr std::array<std::string_view, 12> scalar_type_names = {"i8",  "u8",  "i16", "u16", "i32", "u32",
                                                                       "i64", "u64", "f32", "f64", "f16", "bf16"};

/// The name of a type, as options, configs and reports spell it.
constexpr std::string_view name_of(scalar_type t) {
  return scalar_type_names[static_cast<std::size_t>(t)];
}

/// The type of that name; nothing when there is none.
constexpr std::optional<scalar_type> scalar_type_named(std::string_view name) {
  return detail::enumerator_named<scalar_type>(scalar_type_names, name);
}

}  // namespace upsweep::inline UPSWEEP_ABI
