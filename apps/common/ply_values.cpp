#include "ply_values.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

namespace upsweep::apps {
namespace {

/// Calls `f` with a value-initialised element of type `t`.
template <class F>
auto with_type(scalar_type t, F&& f) {
  switch (t) {
    case scalar_type::i8:
      return f(std::int8_t{});
    case scalar_type::u8:
      return f(std::uint8_t{});
    case scalar_type::i16:
      return f(std::int16_t{});
    case scalar_type::u16:
      return f(std::uint16_t{});
    case scalar_type::i32:
      return f(std::int32_t{});
    case scalar_type::u32:
      return f(std::uint32_t{});
    case scalar_type::i64:
      return f(std::int64_t{});
    case scalar_type::u64:
      return f(std::uint64_t{});
    case scalar_type::f32:
      return f(float{});
    case scalar_type::f64:
    case scalar_type::f16:
    case scalar_type::bf16:
      break;  // there are no 16-bit numbers in PLY
  }
  return f(double{});
}

template <class T>
T nearest_float(std::string_view text) {
  const std::string terminated(text);
  if constexpr (std::is_same_v<T, float>) {
    return std::strtof(terminated.c_str(), nullptr);
  } else {
    return std::strtod(terminated.c_str(), nullptr);
  }
}

}  // namespace

double ply_value_as_double(scalar_type t, const std::byte* from) {
  return with_type(t, [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return static_cast<double>(value);
  });
}

bool parse_ply_value(scalar_type t, std::string_view text, std::byte* to) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return with_type(t, [&](auto value) {
    using type = decltype(value);
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (end != last) return false;
    if (error == std::errc::result_out_of_range && std::is_floating_point_v<type>) {
      if constexpr (std::is_floating_point_v<type>) value = nearest_float<type>(text);
    } else if (error != std::errc()) {
      return false;
    }
    std::memcpy(to, &value, sizeof(value));
    return true;
  });
}

char* print_ply_value(scalar_type t, const std::byte* from, char* to) {
  return with_type(t, [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    if constexpr (sizeof(value) == 1) {
      return std::to_chars(to, to + longest_ply_value, static_cast<int>(value)).ptr;
    } else {
      return std::to_chars(to, to + longest_ply_value, value).ptr;
    }
  });
}

}  // namespace upsweep::apps
