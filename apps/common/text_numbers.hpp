// Numbers in text, read by one rule in every format.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace upsweep::apps {

/// How a text went as a number of some type.
enum class text_number { taken, not_one, too_large };

/// Takes all of `text` as a number, which may begin with a '+'. A float that is too small becomes the nearest
/// one of its type, in the end 0; one that is too large is refused, and an integer must be in its type's range.
template <class Number>
text_number parse_number(std::string_view text, Number& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (end != last || error == std::errc::invalid_argument) return text_number::not_one;
  if (error == std::errc()) return text_number::taken;
  if constexpr (std::is_floating_point_v<Number>) {
    // Too small or too large: from_chars does not say which.
    const std::string terminated(text);
    if constexpr (std::is_same_v<Number, float>) {
      number = std::strtof(terminated.c_str(), nullptr);
    } else {
      number = std::strtod(terminated.c_str(), nullptr);
    }
    if (number > -1 && number < 1) return text_number::taken;
  }
  return text_number::too_large;
}

}  // namespace upsweep::apps
