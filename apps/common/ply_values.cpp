#include "ply_values.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

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

}  // namespace

double ply_value_as_double(scalar_type t, const std::byte* from) {
  return with_type(t, [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return static_cast<double>(value);
  });
}

text_number parse_ply_value(scalar_type t, std::string_view text, std::byte* to) {
  return with_type(t, [&](auto value) {
    const text_number how = parse_number(text, value);
    if (how == text_number::taken) std::memcpy(to, &value, sizeof(value));
    return how;
  });
}

bool store_short_number(scalar_type t, const short_decimal& number, std::byte* to) {
  return with_type(t, [&](auto value) {
    if (!number_of(number, value)) return false;
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
