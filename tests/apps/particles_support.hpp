// What the tests of the particle system share.
#pragma once

#include <string>
#include <vector>

#include "failure.hpp"
#include "particle_system.hpp"
#include "renderer.hpp"

namespace upsweep::test {

using namespace apps;

/// Particles that rise in front of the camera, in a population that grows and overflows, shrinks, is empty, and comes
/// back at once.
inline scene changing_scene() {
  const vec3f none{0, 0, 0}, up{0, 5, 0}, spread{2, 1, 2};
  scene s = {};
  s.emitters[0] = {none, {0.5f, 0, 0.5f}, up, spread, 0.5f, 1.5f, 11, 0, 40, 1, {0xff7ad2ffu, 0xff1f5affu}};
  s.emitters[1] = {none, none, up, spread, 0.5f, 3, 60, 40, 60, 1, {0xffffffffu, 0xffffb27fu}};
  s.emitters[2] = {none, none, up, spread, 0.5f, 2, 900, 140, 141, 1, {0xff00ff00u, 0xff0000ffu}};
  s.emitters[3] = {none, none, up, spread, 0.2f, 0.6f, 200, 150, 400, 20, {0xffffffffu, 0xffffffffu}};
  s.emitter_count = 4;
  s.forces = {{0, -6, 0}, {1, 0, 0}, 0.1f, {0, 2, 0}, {0, 1, 0}, 1, 0.5f, 1};
  s.box = {true, {-2, -1, -2}, {2, 4, 2}, 0.5f};
  s.step = 0.0625f;
  s.seed = 7;
  return s;
}

/// One camera in front, then one from above.
inline std::vector<camera_pose> two_poses(bool sorts) {
  camera_pose front = {
      {1.5f, 0, 0, 0, 0, -2, 0, 0, 0, 0, -1, -1, 0, 2, 9.9f, 10}, {0, 0, -1, 10}, 100, 0.8f, sorts ? 0.f : 1.f, 0.1f};
  camera_pose above = front;
  above.depth_plane = {0, -1, 0, 10};
  return {front, above};
}

inline particle_system::options options_of(compact_method m, bool sorts) {
  return {600, m, sorts};
}

/// Of all pictures of the tests.
inline renderer_options small_pictures(bool sorts) {
  return {600, 160, 120, sorts, {26 / 255.f, 26 / 255.f, 51 / 255.f}};
}

inline picture empty_picture(const renderer_options& how) {
  return {how.width, how.height, how.background};
}

/// Whether a renderer has failed since its driver is not installed.
inline bool is_missing_driver(const failure& why) {
  const std::string words = why.what();
  for (const char* const missing :
       {"not installed", "no driver", "there are none", "no device with the UUID", "built without", "EGL: "}) {
    if (words.find(missing) != words.npos) return true;
  }
  return false;
}

}  // namespace upsweep::test
