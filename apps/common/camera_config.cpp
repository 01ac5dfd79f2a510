#include "camera_config.hpp"

#include "failure.hpp"
#include "json_file.hpp"

namespace upsweep::apps {
namespace {

std::string text_of(const vec3& v) {
  return fmt::format("{} {} {}", v[0], v[1], v[2]);
}

}  // namespace

camera camera_from(const json& described, const std::string& pointer, const camera& otherwise,
                   const command_line& line) {
  camera c = otherwise;
  c.eye = described.value("eye", c.eye);
  c.target = described.value("target", c.target);
  c.up = described.value("up", c.up);
  c.fov_y_degrees = described.value("fov_y_degrees", c.fov_y_degrees);
  c.aspect = described.value("aspect", c.aspect);
  c.near = described.value("near", c.near);
  c.far = described.value("far", c.far);
  camera_axes axes;
  switch (axes_of(c, axes)) {
    case camera_fault::target:
      fail(exit_code::usage, "{}: got {}; expected a target away from the eye", line.origin(pointer + "/target"),
           text_of(c.target));
    case camera_fault::up:
      fail(exit_code::usage, "{}: got {}; expected a vector other than 0, not along the view from eye to target",
           line.origin(pointer + "/up"), text_of(c.up));
    case camera_fault::none:
      break;
  }
  if (!(c.near < c.far)) {
    fail(exit_code::usage, "{}: got {}; expected more than near, which is {}", line.origin(pointer + "/far"), c.far,
         c.near);
  }
  return c;
}

ordered_json to_json(const camera& c) {
  return {{"eye", c.eye},   {"target", c.target}, {"up", c.up}, {"fov_y_degrees", c.fov_y_degrees},
          {"near", c.near}, {"far", c.far}};
}

}  // namespace upsweep::apps
