// Numbers of few digits in text, as nearly all of a file are: several times as fast as std::from_chars.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace upsweep::apps {

/// So many bytes are read from where a number begins, whatever they are.
inline constexpr std::size_t short_number_room = 24;

/// (-1)^is_negative * digits * 10^exponent, and how many characters of a text say so.
struct short_decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool is_negative = false;
  bool is_whole = false;  ///< neither a point nor an exponent was written
  std::size_t size = 0;
};

/// Bytes of text that are looked at together: bit 8 * i is the lowest one of byte i.
namespace eight_bytes {

inline constexpr std::uint64_t each = 0x0101010101010101;

/// The bytes at `from`, of digits their values.
inline std::uint64_t load(const char* from) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes ^ each * '0';
}
/// A bit for each byte that is not a digit.
inline unsigned are_no_digits(std::uint64_t v) {
  const std::uint64_t highest = ((v & each * 0x7f) + each * (0x80 - 10)) | v;
  return static_cast<unsigned>((highest & each * 0x80) * 0x0002040810204081 >> 56);
}
/// The number of eight digits, the first of them in the lowest byte. Pairs become numbers, then fours, then all.
inline std::uint64_t number_of(std::uint64_t v) {
  v = v * 10 + (v >> 8);
  constexpr std::uint64_t pairs = 0x000000ff000000ff;
  return ((v & pairs) * (100 + (std::uint64_t{1000000} << 32)) +
          (v >> 16 & pairs) * (1 + (std::uint64_t{10000} << 32))) >>
         32;
}
/// Its first `count` bytes are set.
inline std::uint64_t first(std::size_t count) {
  return count >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * count) - 1;
}

}  // namespace eight_bytes

/// Reads one of up to 15 characters, but for its sign and an exponent of one or two digits. False where there is none;
/// it may be a longer number. What follows it is the caller's to look at.
inline bool take_short_decimal(const char* text, short_decimal& taken) {
  if constexpr (std::endian::native != std::endian::little) return false;
  // Signs and how many digits there are follow no pattern, so that no branch depends on them.
  const unsigned minus = *text == '-' ? 1 : 0;
  taken.is_negative = minus != 0;
  const char* const begin = text + minus;
  std::uint64_t low = eight_bytes::load(begin), high = eight_bytes::load(begin + 8);
  constexpr unsigned behind = 1u << 16;
  unsigned ends = eight_bytes::are_no_digits(low) | eight_bytes::are_no_digits(high) << 8 | behind;
  const auto whole = static_cast<unsigned>(std::countr_zero(ends));
  unsigned end = whole, count = whole;
  if (begin[whole] == '.' && whole < 16) {
    ends &= ends - 1;
    end = static_cast<unsigned>(std::countr_zero(ends));
    count = end - 1;
    // The digits after the point move up by a place.
    const std::uint64_t of_low = eight_bytes::first(whole), of_high = whole > 8 ? eight_bytes::first(whole - 8) : 0;
    low = (low & of_low) | (eight_bytes::load(begin + 1) & ~of_low);
    high = (high & of_high) | (eight_bytes::load(begin + 9) & ~of_high);
  }
  if (end >= 16 || count == 0) return false;
  __extension__ typedef unsigned __int128 sixteen_bytes;
  const sixteen_bytes all = (sixteen_bytes{high} << 64 | low) << (128 - 8 * count);
  taken.digits = eight_bytes::number_of(static_cast<std::uint64_t>(all)) * 100000000 +
                 eight_bytes::number_of(static_cast<std::uint64_t>(all >> 64));
  taken.exponent = static_cast<int>(whole) - static_cast<int>(count);
  taken.is_whole = end == whole;
  if ((begin[end] | 0x20) == 'e') {
    const char* const sign = begin + end + 1;
    const char* const first = sign + (*sign == '-' || *sign == '+' ? 1 : 0);
    const auto digit = [first](int i) { return static_cast<unsigned>(first[i] - '0'); };
    if (digit(0) > 9) return false;
    const bool has_two = digit(1) <= 9;
    const auto power = static_cast<int>(has_two ? 10 * digit(0) + digit(1) : digit(0));
    taken.exponent += *sign == '-' ? -power : power;
    taken.is_whole = false;
    end = static_cast<unsigned>(first - begin) + (has_two ? 2 : 1);
  }
  taken.size = end + minus;
  return true;
}

/// The number of a type that is nearest; false where that takes more than one rounding, or an integer is not in the
/// range of the type or not written as one.
template <class Number>
bool number_of(const short_decimal& taken, Number& number) {
  if constexpr (std::is_floating_point_v<Number>) {
    // Powers of ten up to 10^22 are doubles; digits up to 10^15 are. So one operation rounds once.
    constexpr std::array power_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
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

/// Takes the number that a text begins with, as parse_number of text_numbers.hpp does, where it is short: returns how
/// many characters; else 0. Reads short_number_room bytes.
template <class Number>
std::size_t take_short_number(const char* text, Number& number) {
  short_decimal taken;
  return take_short_decimal(text, taken) && number_of(taken, number) ? taken.size : 0;
}

}  // namespace upsweep::apps
