// The config of upsweep-particles.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common_config.hpp"
#include "frustum.hpp"
#include "json_file.hpp"
#include "particle_system.hpp"

namespace upsweep::apps {

enum class renderer_kind { automatic, vulkan, opengl, software, none };
inline constexpr std::array<std::string_view, 5> renderer_names = {"auto", "vulkan", "opengl", "software", "none"};

struct particles_config {
  common_config common;  ///< output: a folder for the frames
  std::string video;
  bool has_window = false;
  std::string splats;         ///< the file of a cloud to draw instead of particles; empty for none
  bool has_camera = false;    ///< the config names one
  bool has_capacity = false;  ///< whether the config or an option has given it
  renderer_kind renderer = renderer_kind::automatic;
  std::int64_t frames = 240;
  std::uint16_t frames_a_second = 30;
  std::int64_t output_every = 1;
  int width = 960, height = 540;
  particle_system::options how = {100000, {}, true};
  bool needs_order = true;
  camera seen_from;
  double orbit_degrees = 0;  ///< a frame, around the target
  float diameter = 0.06f, alpha = 0.7f;
  scene what;
  ordered_json document;  ///< as --print-config has it

  bool wants_pictures() const { return !common.output.empty() || !video.empty() || has_window; }
};

void add_particles_options(command_line& line);

/// Takes the config of a parsed command line; fails with exit_code::usage where its values contradict each other.
particles_config particles_config_from(const command_line& line);

/// The cameras of the frames, which begin at `from`: as many as frames, or one where the config's does not turn.
std::vector<camera> camera_path_of(const particles_config& config, const camera& from);

/// Where the frames are seen from: as many poses as frames, or one where the camera stands still.
std::vector<camera_pose> camera_path(const particles_config& config);

}  // namespace upsweep::apps
