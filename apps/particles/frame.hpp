// A frame of the particle system as something to run again and again: on a GPU a captured graph, on the sim the calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "scene.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// The parts of a frame that are timed.
enum class frame_stage { advance, compact, sort };
inline constexpr std::array<std::string_view, 3> frame_stage_names = {"emit_and_move", "compact", "sort"};

/// What a frame works on and by; all memory is the device's.
struct frame_plan {
  scene what;
  std::int64_t capacity;  ///< particles, below 2^32
  compact_method_with_scan method;
  bool sorts;  ///< by depth, the farthest first

  particle_arrays particles;
  frame_state* state;
  const camera_pose* path;  ///< frame f is seen from pose f % poses
  std::uint32_t poses;
  float* depth;
  workspace work;
};

/// Bytes that plan.work needs. A host formula.
std::size_t frame_workspace_bytes(const frame_plan& plan, runtime::stream s);

class frame_program {
 public:
  virtual ~frame_program() = default;
  /// Enqueues the next frame.
  virtual status run() = 0;
  /// Milliseconds of each stage of the last frame (back = 0) or of that before it (1); waits for that frame alone.
  virtual status times(std::size_t back, std::array<float, frame_stage_names.size()>& ms) = 0;
};

/// Null, and `s` says why, where a frame could not be captured.
std::unique_ptr<frame_program> make_frame_program(const frame_plan& plan, runtime::stream on, status& s);

/// The part that nvcc compiles.
std::unique_ptr<frame_program> make_cuda_frame_program(const frame_plan& plan, runtime::stream on, status& s);
std::size_t cuda_frame_workspace_bytes(const frame_plan& plan, runtime::stream s);

}  // namespace upsweep::apps
