// Numbers of few digits in text, as nearly all of a file are: several times as fast as std::from_chars.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "sixteen_bytes.hpp"

namespace upsweep::apps {

/// So many bytes in front of a number are read, whatever they are.
inline constexpr std::ptrdiff_t short_number_room = 16;

/// (-1)^is_negative * digits * 10^exponent.
struct short_decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool is_negative = false;
  bool is_whole = false;  ///< neither a point nor an exponent was written
};

/// Takes all of a text that is a number of up to 15 characters and a sign. False where it is none; it may be another
/// number.
template <class Sixteen>
[[gnu::always_inline]] inline bool take_plain_decimal(const char* begin, const char* end, short_decimal& taken) {
  // Signs and how many digits there are follow no pattern, so that no branch depends on them.
  const unsigned minus = *begin == '-' ? 1 : 0;
  const std::size_t size = static_cast<std::size_t>(end - begin) - minus;
  if (size - 1 >= 15) return false;
  // The last character is byte 15, the first one byte `first`. The byte in front of it is taken for no digit.
  const unsigned first = 16 - static_cast<unsigned>(size);
  const Sixteen bytes(end - 16);
  const unsigned no_digits = (bytes.are_between('0', '9') ^ 0xffff) | 1u << (first - 1), inside = no_digits >> first;
  const unsigned point = 31 - static_cast<unsigned>(std::countl_zero(no_digits));
  const unsigned has_point = inside != 0 ? 1 : 0;
  if ((inside & (inside - 1)) != 0 || first + has_point == 16) return false;
  if (has_point != 0 && *(end - (16 - point)) != '.') return false;
  taken.digits = bytes.number(first, point);
  taken.exponent = has_point != 0 ? static_cast<int>(point) - 15 : 0;
  taken.is_negative = minus != 0;
  taken.is_whole = has_point == 0;
  return true;
}

/// The same of a number with an exponent of one or two digits.
template <class Sixteen>
[[gnu::noinline]] bool take_exponential(const char* begin, const char* end, short_decimal& taken) {
  int power = 0;
  const char* at = end;
  for (int ten = 1; at > begin && ten < 100 && at[-1] >= '0' && at[-1] <= '9'; ten *= 10) power += ten * (*--at - '0');
  if (at == end || at == begin) return false;
  if (at[-1] == '-') power = -power;
  if (at[-1] == '-' || at[-1] == '+') --at;
  if (at == begin || (at[-1] | 0x20) != 'e' || !take_plain_decimal<Sixteen>(begin, at - 1, taken)) return false;
  taken.exponent += power;
  taken.is_whole = false;
  return true;
}

/// Takes all of a text that is a number of up to 15 characters, but for its sign and an exponent of one or two digits.
/// False where it is none; it may be a longer number. The character at `begin` is read even where there is no text.
template <class Sixteen = sixteen_bytes>
[[gnu::always_inline]] inline bool take_short_decimal(const char* begin, const char* end, short_decimal& taken) {
  if constexpr (!Sixteen::is_available) return false;
  return take_plain_decimal<Sixteen>(begin, end, taken) || take_exponential<Sixteen>(begin, end, taken);
}

/// Those that a double holds. Not in a function, where each call would make a copy.
inline constexpr std::array power_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The number of a type that is nearest; false where that takes more than one rounding, or an integer is not in the
/// range of the type or not written as one.
template <class Number>
[[gnu::always_inline]] inline bool number_of(const short_decimal& taken, Number& number) {
  if constexpr (std::is_floating_point_v<Number>) {
    // Powers of ten up to 10^22 are doubles; digits up to 10^15 are. So one operation rounds once.
    const auto power = static_cast<std::size_t>(taken.exponent < 0 ? -taken.exponent : taken.exponent);
    if (power >= power_of_ten.size()) return false;
    const auto digits = static_cast<double>(static_cast<std::int64_t>(taken.digits));
    double value = taken.exponent < 0 ? digits / power_of_ten[power] : digits * power_of_ten[power];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | std::uint64_t{taken.is_negative} << 63);
    if constexpr (std::same_as<Number, float>) {
      // The double is on the same side of every middle of two floats as what is written, unless it is one.
      constexpr std::uint64_t behind_a_float = (std::uint64_t{1} << 29) - 1, middle = std::uint64_t{1} << 28;
      if ((std::bit_cast<std::uint64_t>(value) & behind_a_float) == middle) return false;
    }
    number = static_cast<Number>(value);
    return true;
  } else {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    if (!taken.is_whole || taken.digits > most) return false;
    if (!taken.is_negative) {
      number = static_cast<Number>(taken.digits);
      return true;
    }
    if constexpr (std::is_unsigned_v<Number>) return false;
    number = static_cast<Number>(-static_cast<std::int64_t>(taken.digits));
    return true;
  }
}

/// Takes all of a text as a number, as parse_number of text_numbers.hpp does, where it is short. Reads what is in front
/// of it, too: short_number_room.
template <class Number, class Sixteen = sixteen_bytes>
bool take_short_number(std::string_view text, Number& number) {
  short_decimal taken;
  return take_short_decimal<Sixteen>(text.data(), text.data() + text.size(), taken) && number_of(taken, number);
}

}  // namespace upsweep::apps
