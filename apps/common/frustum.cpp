#include "frustum.hpp"

#include <cmath>
#include <numbers>

namespace upsweep::apps {
namespace {

vec3 minus(const vec3& a, const vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
vec3 plus_scaled(const vec3& a, double s, const vec3& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
vec3 scaled(const vec3& a, double s) {
  return {a[0] * s, a[1] * s, a[2] * s};
}
double dot(const vec3& a, const vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
vec3 cross(const vec3& a, const vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

bool normalize(vec3& v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!(length > 1e-12) || !std::isfinite(length)) return false;
  v = scaled(v, 1 / length);
  return true;
}

/// The half space in front of `point`, looking along `normal`.
half_space in_front_of(const vec3& normal, const vec3& point) {
  return {normal[0], normal[1], normal[2], -dot(normal, point)};
}

}  // namespace

camera_fault axes_of(const camera& c, camera_axes& axes) {
  vec3 forward = minus(c.target, c.eye);
  vec3 upward = c.up;
  if (!normalize(forward)) return camera_fault::target;
  if (!normalize(upward)) return camera_fault::up;
  vec3 right = cross(forward, upward);
  if (!normalize(right)) return camera_fault::up;
  axes = {right, cross(right, forward), forward};
  return camera_fault::none;
}

std::array<half_space, 6> frustum_planes(const camera& c, const camera_axes& axes) {
  const double half_height = std::tan(c.fov_y_degrees * std::numbers::pi / 360);
  const double half_width = half_height * c.aspect;
  const vec3& forward = axes.forward;
  return {in_front_of(forward, plus_scaled(c.eye, c.near, forward)),
          in_front_of(scaled(forward, -1), plus_scaled(c.eye, c.far, forward)),
          in_front_of(plus_scaled(axes.right, half_width, forward), c.eye),
          in_front_of(plus_scaled(scaled(axes.right, -1), half_width, forward), c.eye),
          in_front_of(plus_scaled(axes.up, half_height, forward), c.eye),
          in_front_of(plus_scaled(scaled(axes.up, -1), half_height, forward), c.eye)};
}

double depth_of(const camera& c, const camera_axes& axes, double x, double y, double z) {
  return dot(minus({x, y, z}, c.eye), axes.forward);
}

}  // namespace upsweep::apps
