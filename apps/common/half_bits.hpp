// Floating-point numbers of 16 bits, for which C++20 has no type.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace upsweep::apps {

/// The bits of a number whose fraction has so many of them: 10 in __half, 7 in __nv_bfloat16. In plain C++, and so for
/// zero and for normal numbers that need no rounding alone; other numbers can be read, but are not made.
template <int FractionBits>
struct half_bits {
  static constexpr int bias = (1 << (14 - FractionBits)) - 1;
  static constexpr int exponents = 1 << (15 - FractionBits);

  std::uint16_t bits;

  static half_bits of(double number) {
    if (number == 0) return {0};
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(number), &exponent);  // from 0.5 and below 1
    const auto digits = static_cast<int>(std::ldexp(fraction, FractionBits + 1));
    const int magnitude = ((exponent - 2 + bias) << FractionBits) + digits;  // the leading digit adds 1 to the exponent
    return {static_cast<std::uint16_t>(magnitude | (number < 0 ? 0x8000 : 0))};
  }

  double value() const {
    const int exponent = (bits >> FractionBits) % exponents, fraction = bits % (1 << FractionBits);
    const double sign = bits >= 0x8000 ? -1 : 1;
    using limits = std::numeric_limits<double>;
    if (exponent == exponents - 1) {
      return std::copysign(fraction == 0 ? limits::infinity() : limits::quiet_NaN(), sign);
    }
    const int digits = exponent == 0 ? fraction : fraction + (1 << FractionBits);
    return sign * std::ldexp(digits, (exponent == 0 ? 1 : exponent) - bias - FractionBits);
  }

  friend half_bits operator+(half_bits a, half_bits b) { return of(a.value() + b.value()); }
};

}  // namespace upsweep::apps
