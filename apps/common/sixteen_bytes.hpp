// Sixteen bytes of text that are looked at together: by SSE2, which every x86-64 has, or as two integers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace upsweep::apps {

/// On a machine whose lowest byte comes first. In a mask, bit i is of byte i.
class two_integers {
 public:
  static constexpr bool is_available = std::endian::native == std::endian::little;

  explicit two_integers(const char* from) {
    std::memcpy(&low_, from, sizeof low_);
    std::memcpy(&high_, from + sizeof low_, sizeof high_);
  }
  /// Which ones are `c`, a character of ASCII.
  unsigned are(char c) const { return are_between(c, c); }
  /// Which ones are in a range of ASCII.
  unsigned are_between(char least, char most) const {
    return mask_of(low_, least, most) | mask_of(high_, least, most) << 8;
  }
  /// The number of the digits from byte `first` on, without byte `point`; `point` is first - 1 where there is none.
  std::uint64_t number(unsigned first, unsigned point) const {
    const wide all = wide{high_} << 64 | low_;
    const wide zeros = wide{each * '0'} << 64 | each * '0';
    const wide digits = all ^ zeros;
    const wide behind = ~wide{0} << 8 * point << 8, from_first = ~wide{0} << 8 * first;
    // The digits in front of the point move up by a byte.
    const wide closed = (digits & behind) | ((digits & from_first) << 8 & ~behind);
    return eight_digits(static_cast<std::uint64_t>(closed)) * 100000000 +
           eight_digits(static_cast<std::uint64_t>(closed >> 64));
  }

 private:
  __extension__ typedef unsigned __int128 wide;
  static constexpr std::uint64_t each = 0x0101010101010101, highest = each * 0x80;

  static unsigned mask_of(std::uint64_t v, char least, char most) {
    const std::uint64_t low_bits = v & ~highest;
    const std::uint64_t not_less = low_bits + each * (0x80 - static_cast<std::uint64_t>(least));
    const std::uint64_t greater = low_bits + each * (0x7f - static_cast<std::uint64_t>(most));
    return static_cast<unsigned>((not_less & ~greater & ~v & highest) * 0x0002040810204081 >> 56);
  }
  /// The first of them is the lowest byte. Pairs become numbers, then fours, then all.
  static std::uint64_t eight_digits(std::uint64_t v) {
    v = v * 10 + (v >> 8);
    constexpr std::uint64_t pairs = 0x000000ff000000ff;
    return ((v & pairs) * (100 + (std::uint64_t{1000000} << 32)) +
            (v >> 16 & pairs) * (1 + (std::uint64_t{10000} << 32))) >>
           32;
  }

  std::uint64_t low_, high_;
};

#ifdef __SSE2__
/// The same in a register.
class one_register {
 public:
  static constexpr bool is_available = true;

  explicit one_register(const char* from) : bytes_(load(from)) {}
  unsigned are(char c) const { return mask_of(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c))); }
  unsigned are_between(char least, char most) const {
    const __m128i above = _mm_sub_epi8(bytes_, _mm_set1_epi8(least));
    const __m128i width = _mm_set1_epi8(static_cast<char>(most - least));
    return mask_of(_mm_cmpeq_epi8(_mm_min_epu8(above, width), above));
  }
  std::uint64_t number(unsigned first, unsigned point) const {
    const __m128i digits = _mm_sub_epi8(bytes_, _mm_set1_epi8('0'));
    const __m128i behind = from_byte(point + 1), of_number = from_byte(first + (point >= first ? 1 : 0));
    const __m128i closed =
        _mm_or_si128(_mm_and_si128(behind, digits), _mm_andnot_si128(behind, _mm_slli_si128(digits, 1)));
    const __m128i all = _mm_and_si128(closed, of_number);
    const __m128i twos = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(all, _mm_set1_epi16(0xff)), _mm_set1_epi16(10)),
                                       _mm_srli_epi16(all, 8));
    const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
    const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
    return (both & 0xffffffff) * 100000000 + (both >> 32);
  }

 private:
  static __m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  static unsigned mask_of(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }
  /// Ones from byte `first`, up to 16, on.
  static __m128i from_byte(unsigned first) { return load(zeros_and_ones.data() + 16 - first); }
  static constexpr auto zeros_and_ones = [] {
    std::array<unsigned char, 32> bytes{};
    for (std::size_t i = 16; i < bytes.size(); ++i) bytes[i] = 0xff;
    return bytes;
  }();

  __m128i bytes_;
};
using sixteen_bytes = one_register;
#else
using sixteen_bytes = two_integers;
#endif

}  // namespace upsweep::apps
