// Single values of a PLY file.
#pragma once

#include <cstddef>
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

/// Room for the text of any value.
inline constexpr std::size_t longest_ply_value = 32;

/// Writes the value as text that parses back to the same value; returns its end.
char* print_ply_value(scalar_type t, const std::byte* from, char* to);

}  // namespace upsweep::apps
