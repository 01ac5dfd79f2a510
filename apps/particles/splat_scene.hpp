// Gaussian splats as their kernels see them, and what one of them looks like on the screen: Zwicker et al., EWA
// splatting (2002), with the spherical harmonics of Kerbl et al., 3D Gaussian splatting (2023). Compiled without fused
// multiply-adds, so that GPU, sim and check agree on which tiles a splat touches and on the order of depth.
#pragma once

#include <cmath>
#include <cstdint>

#include "scene.hpp"

namespace upsweep::apps {

/// n splats in device memory.
struct splat_arrays {
  std::int64_t n;
  const vec4f* place;      ///< w: the opacity
  const vec4f* rotation;   ///< a quaternion of length 1, the real part first
  const vec4f* scale;      ///< the standard deviations along the rotated axes
  const float* harmonics;  ///< coefficient k of channel c of splat i is harmonics[(3 * k + c) * n + i]
  int coefficients;        ///< of each channel: 1, 4, 9 or 16
};

/// A camera: the axes have length 1, the picture is centered.
struct splat_view {
  vec3f eye, right, down, forward;
  float focal;  ///< in pixels
  float near;
  int width, height;
};

constexpr int splat_tile = 16;

/// Tiles from left to below right, and from top to below bottom.
struct alignas(8) tile_box {
  std::uint16_t left, top, right, bottom;
  UPSWEEP_HOST_DEVICE int wide() const { return right - left; }
  UPSWEEP_HOST_DEVICE std::uint32_t tiles() const { return static_cast<std::uint32_t>(wide() * (bottom - top)); }
};

/// A splat on the screen: a Gaussian around (x, y) with the inverse covariance {{a, b}, {b, c}}.
struct alignas(16) flat_splat {
  float x, y, a, b, c, opacity;
  float red, green, blue;
};

UPSWEEP_HOST_DEVICE constexpr int tiles_of(int pixels) {
  return (pixels + splat_tile - 1) / splat_tile;
}

UPSWEEP_HOST_DEVICE inline std::uint16_t tile_at(float at, int end) {
  return static_cast<std::uint16_t>(at < 0 ? 0 : at < static_cast<float>(end * splat_tile) ? at / splat_tile : end);
}

/// The color of a splat seen in direction d, of length 1.
UPSWEEP_HOST_DEVICE inline vec3f color_seen(const splat_arrays& s, std::int64_t i, vec3f d) {
  const auto of = [&](int k) {
    const float* const at = s.harmonics + 3 * k * s.n + i;
    return vec3f{at[0], at[s.n], at[2 * s.n]};
  };
  const float x = d.x, y = d.y, z = d.z;
  vec3f sum = of(0) * 0.28209479f + vec3f{0.5f, 0.5f, 0.5f};
  if (s.coefficients >= 4) sum = sum + (of(2) * z - of(1) * y - of(3) * x) * 0.48860251f;
  if (s.coefficients >= 9) {
    sum = sum + of(4) * (1.0925484f * x * y) + of(5) * (-1.0925484f * y * z) +
          of(6) * (0.31539157f * (2 * z * z - x * x - y * y)) + of(7) * (-1.0925484f * x * z) +
          of(8) * (0.54627422f * (x * x - y * y));
  }
  if (s.coefficients >= 16) {
    sum = sum + of(9) * (-0.59004359f * y * (3 * x * x - y * y)) + of(10) * (2.8906114f * x * y * z) +
          of(11) * (-0.45704579f * y * (4 * z * z - x * x - y * y)) +
          of(12) * (0.37317633f * z * (2 * z * z - 3 * x * x - 3 * y * y)) +
          of(13) * (-0.45704579f * x * (4 * z * z - x * x - y * y)) + of(14) * (1.4453057f * z * (x * x - y * y)) +
          of(15) * (-0.59004359f * x * (x * x - 3 * y * y));
  }
  const auto positive = [](float v) { return v > 0 ? v : 0; };
  return {positive(sum.x), positive(sum.y), positive(sum.z)};
}

/// Splat i on the screen, its depth, and the tiles that it touches; none where it is not seen.
UPSWEEP_HOST_DEVICE inline tile_box projected(const splat_arrays& s, const splat_view& v, std::int64_t i,
                                              flat_splat& flat, float& depth) {
  const vec4f p = s.place[i];
  const vec3f d = vec3f{p.x, p.y, p.z} - v.eye;
  const float x = dot(v.right, d), y = dot(v.down, d), z = dot(v.forward, d);
  depth = z;
  if (!(z > v.near) || !(p.w >= 1 / 255.f)) return {};
  // How the screen moves with the place, not much beyond its edge.
  const auto clamped = [&](float at, int size) {
    const float most = 0.65f * static_cast<float>(size) / v.focal, slope = at / z;
    return slope < -most ? -most : slope > most ? most : slope;
  };
  const float f = v.focal / z;
  const vec3f across = (v.right - v.forward * clamped(x, v.width)) * f;
  const vec3f down = (v.down - v.forward * clamped(y, v.height)) * f;
  // The splat's axes, as long as its standard deviations.
  const vec4f q = s.rotation[i], scale = s.scale[i];
  const float w = q.x, a = q.y, b = q.z, c = q.w;
  const vec3f axes[3] = {
      vec3f{1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)} * scale.x,
      vec3f{2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a)} * scale.y,
      vec3f{2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b)} * scale.z,
  };
  float xx = 0.3f, xy = 0, yy = 0.3f;  // a third of a pixel, at least
  for (const vec3f& axis : axes) {
    const float h = dot(across, axis), k = dot(down, axis);
    xx += h * h;
    xy += h * k;
    yy += k * k;
  }
  const float determinant = xx * yy - xy * xy;
  if (!(determinant > 0)) return {};
  const float middle = (xx + yy) / 2, beside = middle * middle - determinant;
  const float radius = 3 * std::sqrt(middle + std::sqrt(beside > 0.1f ? beside : 0.1f));
  flat.x = x * f + static_cast<float>(v.width) / 2;
  flat.y = y * f + static_cast<float>(v.height) / 2;
  flat.a = yy / determinant;
  flat.b = -xy / determinant;
  flat.c = xx / determinant;
  flat.opacity = p.w;
  const int wide = tiles_of(v.width), high = tiles_of(v.height);
  const tile_box box{tile_at(flat.x - radius, wide), tile_at(flat.y - radius, high),
                     tile_at(flat.x + radius + splat_tile, wide), tile_at(flat.y + radius + splat_tile, high)};
  if (box.tiles() == 0) return {};
  const vec3f color = color_seen(s, i, d * (1 / std::sqrt(dot(d, d))));
  flat.red = color.x;
  flat.green = color.y;
  flat.blue = color.z;
  return box;
}

/// A pixel in front of which splats are laid, from near to far.
struct splat_pixel {
  float red = 0, green = 0, blue = 0, rest = 1;
  UPSWEEP_HOST_DEVICE bool is_opaque() const { return rest < 1e-4f; }
  UPSWEEP_HOST_DEVICE void lay(const flat_splat& s, float x, float y) {
    const float dx = x - s.x, dy = y - s.y;
    const float power = -0.5f * (s.a * dx * dx + s.c * dy * dy) - s.b * dx * dy;
    if (power > 0) return;
    const float opacity = s.opacity * std::exp(power), a = opacity < 0.99f ? opacity : 0.99f;
    if (a < 1 / 255.f) return;
    red += s.red * (a * rest);
    green += s.green * (a * rest);
    blue += s.blue * (a * rest);
    rest *= 1 - a;
  }
  UPSWEEP_HOST_DEVICE std::uint32_t over(vec3f background) const {
    const auto byte = [](float v) { return static_cast<std::uint32_t>((v > 1 ? 1 : v) * 255 + 0.5f); };
    return byte(red + rest * background.x) | byte(green + rest * background.y) << 8 |
           byte(blue + rest * background.z) << 16;
  }
};

/// What the device knows of a frame.
struct splat_state {
  std::int64_t seen;    ///< splats that touch a tile
  std::int64_t pairs;   ///< of a splat and a tile
  std::int64_t wanted;  ///< pairs without a capacity
  std::uint32_t frame;
};

}  // namespace upsweep::apps
