#include "point_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace upsweep::apps {
namespace {

constexpr rgb background{0.06f, 0.07f, 0.09f}, between{0.2f, 0.22f, 0.26f}, dropped{0.28f, 0.30f, 0.34f};
constexpr int gap = 4;

/// From yellow over green to dark blue: readable for those who do not see red, too.
rgb color_at(double share) {
  constexpr rgb stops[] = {{0.99f, 0.91f, 0.14f},
                           {0.37f, 0.79f, 0.38f},
                           {0.13f, 0.57f, 0.55f},
                           {0.25f, 0.38f, 0.62f},
                           {0.38f, 0.20f, 0.56f}};
  const auto at = static_cast<float>(std::clamp(share, 0.0, 1.0)) * 4;
  const int from = std::min(static_cast<int>(at), 3);
  const float rest = at - static_cast<float>(from);
  const rgb a = stops[from], b = stops[from + 1];
  return {a.r + (b.r - a.r) * rest, a.g + (b.g - a.g) * rest, a.b + (b.b - a.b) * rest};
}

/// Where points come to lie, and how deep.
class projection {
 public:
  projection(const camera& c, int width, int height) : camera_(c), width_(width), height_(height) {
    axes_of(c, axes_);
    scale_ = height / (2 * std::tan(c.fov_y_degrees * std::numbers::pi / 360));
  }
  /// False for what is not in the picture.
  bool operator()(const point_cloud& points, std::int64_t i, int& x, int& y, double& depth) const {
    vec3 p;
    for (std::size_t d = 0; d < 3; ++d) p[d] = points.at[d][i];
    depth = depth_of(camera_, axes_, p[0], p[1], p[2]);
    if (!(depth >= camera_.near && depth < std::numeric_limits<double>::infinity())) return false;
    const auto along = [&](const vec3& axis) {
      return axis[0] * (p[0] - camera_.eye[0]) + axis[1] * (p[1] - camera_.eye[1]) + axis[2] * (p[2] - camera_.eye[2]);
    };
    const double across = width_ / 2.0 + along(axes_.right) / depth * scale_;
    const double down = height_ / 2.0 - along(axes_.up) / depth * scale_;
    if (!(across >= 0 && across < width_ && down >= 0 && down < height_)) return false;
    x = static_cast<int>(across);
    y = static_cast<int>(down);
    return true;
  }

 private:
  camera camera_;
  camera_axes axes_;
  int width_, height_;
  double scale_;
};

}  // namespace

camera camera_that_fits(const point_cloud& points, double aspect) {
  vec3 least = {0, 0, 0}, most = {0, 0, 0};
  for (std::size_t d = 0; d < 3; ++d) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::int64_t i = 0; i < points.count; ++i) {
      const double v = points.at[d][i];
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
    if (low <= high) {
      least[d] = low;
      most[d] = high;
    }
  }
  camera c;
  c.aspect = aspect;
  c.fov_y_degrees = 35;
  double radius = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    c.target[d] = (least[d] + most[d]) / 2;
    radius = std::hypot(radius, (most[d] - least[d]) / 2);
  }
  if (!(radius > 0) || !std::isfinite(radius)) radius = 1;
  const double distance = 0.9 * radius / std::sin(c.fov_y_degrees * std::numbers::pi / 360) / std::min(aspect, 1.0);
  c.eye = {c.target[0] + distance * 0.48, c.target[1] + distance * 0.36, c.target[2] + distance * 0.8};
  c.near = distance * 1e-3;
  c.far = distance * 4;
  return c;
}

picture view_of(const point_cloud& points, const camera& c, int width, bool all) {
  const int height = std::clamp(static_cast<int>(std::lround(width / c.aspect)), 1, 4 * width);
  picture view(width, height, background);
  const projection project(c, width, height);
  const auto is_kept = [&](std::int64_t i) { return all || points.kept[static_cast<std::size_t>(i)] != 0; };
  int x = 0, y = 0;
  double depth = 0, nearest = std::numeric_limits<double>::infinity(), farthest = 0;
  for (std::int64_t i = 0; i < points.count; ++i) {
    if (!is_kept(i) || !project(points, i, x, y, depth)) continue;
    nearest = std::min(nearest, depth);
    farthest = std::max(farthest, depth);
  }
  // Few points are drawn larger.
  const double room =
      static_cast<double>(width) * height / static_cast<double>(std::max<std::int64_t>(points.count, 1));
  const int side = std::clamp(static_cast<int>(std::sqrt(room)), 1, 4);
  // The nearest point of a pixel is seen; one that is kept, before all that are not.
  std::vector<double> seen(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                           std::numeric_limits<double>::infinity());
  for (const bool kept : {false, true}) {
    if (kept) std::fill(seen.begin(), seen.end(), std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < points.count; ++i) {
      if (is_kept(i) != kept || !project(points, i, x, y, depth)) continue;
      const rgb color = kept ? color_at((depth - nearest) / std::max(farthest - nearest, 1e-30)) : dropped;
      for (int row = y; row < std::min(y + side, height); ++row) {
        for (int column = x; column < std::min(x + side, width); ++column) {
          double& there =
              seen[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
          if (depth >= there) continue;
          there = depth;
          view.set(column, row, color);
        }
      }
    }
  }
  return view;
}

picture sheet_of(const std::vector<picture>& pictures, int columns) {
  int width = 1, height = 1;
  for (const picture& p : pictures) {
    width = std::max(width, p.width());
    height = std::max(height, p.height());
  }
  const int count = static_cast<int>(pictures.size());
  columns = std::clamp(columns, 1, std::max(count, 1));
  const int rows = (std::max(count, 1) + columns - 1) / columns;
  picture sheet(columns * (width + gap) - gap, rows * (height + gap) - gap, between);
  for (int i = 0; i < count; ++i) {
    sheet.put(pictures[static_cast<std::size_t>(i)], i % columns * (width + gap), i / columns * (height + gap));
  }
  return sheet;
}

}  // namespace upsweep::apps
