// The particles of a scene in one block of device memory, which may be a renderer's own, and their frames.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device_session.hpp"
#include "frame.hpp"

namespace upsweep::apps {

/// Where the arrays of `capacity` particles lie in one block, each at a multiple of 256 bytes.
struct particle_layout {
  std::size_t position, velocity, id, color, order, draw, view;
  std::size_t bytes;

  explicit particle_layout(std::int64_t capacity);
  particle_arrays at(void* block) const;
};

/// What a frame has left, on the host.
struct particle_snapshot {
  frame_state state;
  draw_arguments draw;
  std::vector<vec4f> position, velocity;
  std::vector<std::uint32_t> id, color, order;  ///< order: empty where nothing is sorted
};

class particle_system {
 public:
  struct options {
    std::int64_t capacity;
    compact_method_with_scan method;
    bool sorts;
  };

  /// `block`: particle_layout(capacity).bytes of device memory, the caller's; null for memory of its own. `path`: the
  /// cameras of the frames; after the last one, the first again.
  particle_system(device_session& device, const scene& what, const options& how, const std::vector<camera_pose>& path,
                  void* block = nullptr);

  /// Enqueues a frame; the count of particles does not come to the host.
  void frame() { device_.check(program_->run(), "a frame"); }
  /// Milliseconds of each stage of the last frame (back = 0) or of that before it (1); waits for that frame alone.
  std::array<float, frame_stage_names.size()> stage_times(std::size_t back);
  /// Waits for the last frame and copies what it has left.
  particle_snapshot snapshot();
  /// Waits for the last frame and copies what is counted.
  frame_state state();

 private:
  device_session& device_;
  particle_layout layout_;
  runtime::buffer memory_, state_, path_, depth_, work_;
  frame_plan plan_;
  std::unique_ptr<frame_program> program_;
};

/// The same frames by plain loops on the host, one particle after the other.
class plain_particles {
 public:
  plain_particles(const scene& what, const particle_system::options& how, const std::vector<camera_pose>& path);
  void frame();
  /// What differs first, in words; empty where all is the same.
  std::string first_difference(const particle_snapshot& s) const;

 private:
  scene what_;
  particle_system::options how_;
  std::vector<camera_pose> path_;
  frame_state state_ = {};
  std::vector<particle> particles_;
  std::vector<std::uint32_t> order_;
};

}  // namespace upsweep::apps
