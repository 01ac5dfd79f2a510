// Particles as a structure of arrays, and the rules by which they are kept.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/rounding.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// A column of numbers whose type is known at run time.
struct column {
  const void* data = nullptr;           ///< n numbers, of the caller
  scalar_type type = scalar_type::f32;  ///< of the numbers

  /// Element i as a double; exact except for 64-bit integers beyond 2^53. f16 and bf16 become a NaN, which no rule
  /// keeps.
  UPSWEEP_HOST_DEVICE double operator[](std::int64_t i) const {
    return as_double(i, [](auto integer) { return static_cast<double>(integer); });
  }
  /// The smallest double that is no less than element i: it is more than a double where the element is.
  UPSWEEP_HOST_DEVICE double above(std::int64_t i) const {
    return as_double(i, [](auto integer) { return detail::double_above(integer); });
  }

 private:
  /// `round` makes a double of an integer of 64 bits.
  template <class Round>
  UPSWEEP_HOST_DEVICE double as_double(std::int64_t i, Round round) const {
    switch (type) {
      case scalar_type::i8:
        return static_cast<const std::int8_t*>(data)[i];
      case scalar_type::u8:
        return static_cast<const std::uint8_t*>(data)[i];
      case scalar_type::i16:
        return static_cast<const std::int16_t*>(data)[i];
      case scalar_type::u16:
        return static_cast<const std::uint16_t*>(data)[i];
      case scalar_type::i32:
        return static_cast<const std::int32_t*>(data)[i];
      case scalar_type::u32:
        return static_cast<const std::uint32_t*>(data)[i];
      case scalar_type::i64:
        return round(static_cast<const std::int64_t*>(data)[i]);
      case scalar_type::u64:
        return round(static_cast<const std::uint64_t*>(data)[i]);
      case scalar_type::f32:
        return static_cast<const float*>(data)[i];
      case scalar_type::f64:
        return static_cast<const double*>(data)[i];
      case scalar_type::f16:
      case scalar_type::bf16:
        break;
    }
    return NAN;
  }
};

/// The half space a x + b y + c z + d >= 0.
struct half_space {
  double a = 0, b = 0, c = 0, d = 0;  ///< of the plane

  /// Signed, scaled distance. Products are fused with sums, so that GPU and CPU round alike.
  UPSWEEP_HOST_DEVICE double operator()(double x, double y, double z) const {
    return std::fma(a, x, std::fma(b, y, std::fma(c, z, d)));
  }
};

/// Which particles are kept: those that pass every rule that is switched on. Points on a bound are inside. A NaN never
/// passes a rule that looks at it. Numbers are compared exactly: 0.1f is more than 0.1, so a bound on floats should
/// itself be a float. Of 64-bit integers beyond 2^53, lifetimes are exact and positions are rounded. `x`, `y`, `z` are
/// needed by box, sphere and half spaces, `lifetime` by the lifetime rule; all columns are device memory. It is a vote
/// for the GPU, the sim and the host, with the same result on each.
struct keep_rules {
  using votes_by_index = void;  ///< see votes.hpp
  column x, y, z, lifetime;     ///< what the rules look at

  bool use_lifetime = false;  ///< whether the rule of the lifetime is on
  double lifetime_above = 0;  ///< kept when lifetime > lifetime_above

  bool use_box = false;           ///< whether the rule of the box is on
  double box_min[3] = {0, 0, 0};  ///< the least x, y and z
  double box_max[3] = {0, 0, 0};  ///< the largest x, y and z

  bool use_sphere = false;              ///< whether the rule of the sphere is on
  double sphere_center[3] = {0, 0, 0};  ///< its x, y and z
  double sphere_radius = 0;             ///< below 1e154, where its square ends

  /// Keeps what lies in all of the first `half_spaces` of these: a convex polyhedron.
  int half_spaces = 0;
  static constexpr int most_half_spaces = 6;  ///< as many as a frustum has
  half_space inside[most_half_spaces];        ///< the first `half_spaces` count

  /// Whether a rule looks at x, y and z.
  UPSWEEP_HOST_DEVICE bool use_places() const { return use_box || use_sphere || half_spaces > 0; }

  /// The columns of n particles that the rules look at.
  std::array<detail::memory_use, 4> reads(std::int64_t n) const {
    const auto of = [n](const column& c, bool used) {
      return detail::memory_use{c.data, used ? size_of(c.type) * static_cast<std::size_t>(n) : 0, false};
    };
    return {of(x, use_places()), of(y, use_places()), of(z, use_places()), of(lifetime, use_lifetime)};
  }
  /// True when particle i is kept.
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    if (use_lifetime && !(lifetime.above(i) > lifetime_above)) return false;
    if (!use_places()) return true;
    const double px = x[i], py = y[i], pz = z[i];
    if (use_box) {
      if (!(px >= box_min[0] && px <= box_max[0] && py >= box_min[1] && py <= box_max[1] && pz >= box_min[2] &&
            pz <= box_max[2])) {
        return false;
      }
    }
    if (use_sphere) {
      const double dx = px - sphere_center[0], dy = py - sphere_center[1], dz = pz - sphere_center[2];
      if (!(std::fma(dx, dx, std::fma(dy, dy, dz * dz)) <= sphere_radius * sphere_radius)) return false;
    }
    UPSWEEP_UNROLL
    for (int h = 0; h < most_half_spaces; ++h) {
      if (h < half_spaces && !(inside[h](px, py, pz) >= 0)) return false;
    }
    return true;
  }
};

}  // namespace upsweep::inline UPSWEEP_ABI
