// Single values of a PLY file.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "short_number.hpp"
#include "text_numbers.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::apps {

/// The value of type `t` at `from`.
double ply_value_as_double(scalar_type t, const std::byte* from);

/// Parses all of `text` as a `t` and stores it where it is one.
text_number parse_ply_value(scalar_type t, std::string_view text, std::byte* to);

/// Stores a short number as a `t`; false where that takes parse_ply_value, which then has the last word.
bool store_short_number(scalar_type t, const short_decimal& number, std::byte* to);

/// Takes all of a text as a short number and stores it as a `t`; false as above.
inline bool take_short_value(scalar_type t, const char* begin, const char* end, std::byte* to) {
  // Nearly all are floats, which come through registers.
  if (short_decimal decimal; t == scalar_type::f32 && take_plain_decimal<sixteen_bytes>(begin, end, decimal)) {
    float number = 0;
    if (!number_of(decimal, number)) return false;
    std::memcpy(to, &number, sizeof number);
    return true;
  }
  short_decimal number;
  return take_short_decimal(begin, end, number) && store_short_number(t, number, to);
}

/// Room for the text of any value.
inline constexpr std::size_t longest_ply_value = 32;

/// Writes the value as text that parses back to the same value; returns its end.
char* print_ply_value(scalar_type t, const std::byte* from, char* to);

}  // namespace upsweep::apps
