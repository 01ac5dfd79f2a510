// The kernels of a frame of particles that are not this toolkit's: they emit, move, and write what the draw takes.
#pragma once

#include <cstdint>

#include "scene.hpp"

namespace upsweep::apps {

/// Thread 0 counts the new particles, the others bring the frame's camera.
struct begin_frame_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, scene s, std::int64_t capacity, const camera_pose* path,
                                 std::uint32_t poses, frame_state* state, camera_pose* view) const {
    constexpr int words = sizeof(camera_pose) / sizeof(float);
    const auto* const from = reinterpret_cast<const float*>(path + state->frame % poses);
    for (int i = block.thread_rank(); i < words; i += block_threads) reinterpret_cast<float*>(view)[i] = from[i];
    block.warp_sync();  // all have read the frame's number
    if (block.thread_rank() == 0) begin_frame(s, capacity, *state);
  }
};

/// Moves the particles that live, and puts the new ones after them.
struct advance_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, scene s, const frame_state* state,
                                 particle_arrays p) const {
    const std::int64_t live = state->live, born = state->born;
    const std::int64_t stride = block.num_blocks() * block_threads;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < born; i += stride) {
      if (i < live) {
        integrate(s, p.position[i], p.velocity[i]);
        continue;
      }
      const particle made = new_particle(s, *state, static_cast<std::uint32_t>(i - live));
      p.position[i] = made.position;
      p.velocity[i] = made.velocity;
      p.id[i] = made.id;
      p.color[i] = made.color;
    }
  }
};

/// The depth of each particle before the camera.
struct depth_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const frame_state* state, particle_arrays p,
                                 float* depth) const {
    const std::int64_t live = state->live, stride = block.num_blocks() * block_threads;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < live; i += stride) {
      depth[i] = p.view->depth(p.position[i]);
    }
  }
};

/// The arguments of the draw, of a method that gives nothing but the count.
struct draw_count_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const frame_state* state, draw_arguments* draw) const {
    if (block.thread_rank() == 0) draw->count = static_cast<std::uint32_t>(state->live);
  }
};

/// The vote of a particle. The method vote_scan_compact goes over the whole capacity, of which some is not in use.
struct is_alive {
  const vec4f* position;
  const frame_state* state;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return i < state->born && position[i].w > 0; }
};

}  // namespace upsweep::apps
