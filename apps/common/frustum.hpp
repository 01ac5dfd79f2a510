// A camera and the space that it sees.
#pragma once

#include <array>

#include "upsweep/compact/particles.hpp"

namespace upsweep::apps {

using vec3 = std::array<double, 3>;

/// A perspective camera. Valid when eye and target differ, `up` does not point along them, and 0 < near < far.
struct camera {
  vec3 eye = {0, 0, 0};
  vec3 target = {0, 0, -1};
  vec3 up = {0, 1, 0};
  double fov_y_degrees = 60;
  double aspect = 16.0 / 9.0;
  double near = 0.1;
  double far = 1000;
};

/// The camera's axes, of length 1.
struct camera_axes {
  vec3 right, up, forward;
};

/// Which of a camera's vectors is why it looks nowhere.
enum class camera_fault { none, target, up };

/// Takes the axes of a camera that looks somewhere; else `axes` is untouched.
camera_fault axes_of(const camera& c, camera_axes& axes);

/// What the camera sees, as the half spaces in front of six planes: near, far, left, right, bottom, top.
std::array<half_space, 6> frustum_planes(const camera& c, const camera_axes& axes);

/// How far in front of the camera a point lies, along the forward axis.
double depth_of(const camera& c, const camera_axes& axes, double x, double y, double z);

}  // namespace upsweep::apps
