// Clouds of points as pictures: which of them are kept.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frustum.hpp"
#include "picture.hpp"
#include "upsweep/compact/particles.hpp"

namespace upsweep::apps {

/// Points on the host; kept[i] says whether point i is.
struct point_cloud {
  std::array<column, 3> at;
  std::int64_t count = 0;
  std::vector<std::uint8_t> kept;
};

/// A camera that sees all of the points, from above and from one side.
camera camera_that_fits(const point_cloud& points, double aspect = 4.0 / 3);

/// What the camera sees: the kept points colored by their depth, the nearest yellow, the farthest blue, over the
/// others, which are dim; or `all` of them as if they were kept. The picture is as high as the camera's aspect says.
picture view_of(const point_cloud& points, const camera& c, int width, bool all);

/// Pictures side by side, `columns` in a row.
picture sheet_of(const std::vector<picture>& pictures, int columns);

}  // namespace upsweep::apps
