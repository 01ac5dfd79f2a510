// A frame of splats as something to run again and again, as frame.hpp has it for particles.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "frame.hpp"
#include "splat_scene.hpp"

namespace upsweep::apps {

enum class splat_stage { project, cull, sort_by_depth, expand, sort_by_tile, rasterise };
inline constexpr std::array<std::string_view, 6> splat_stage_names = {"project",      "cull",         "sort_by_depth",
                                                                      "expand_pairs", "sort_by_tile", "rasterise"};
using splat_times = std::array<float, splat_stage_names.size()>;

/// All memory is the device's.
struct splat_plan {
  splat_arrays splats;
  const splat_view* path;  ///< frame f is seen from view f % views
  std::uint32_t views;
  int width, height;
  vec3f background;
  std::int64_t capacity;  ///< pairs; those beyond are not drawn

  splat_state* state;
  flat_splat* flat;  // of each splat
  tile_box* boxes;
  float *depth, *seen_depth, *near_depth;  // of each; of those that are seen; sorted
  std::uint32_t *seen, *near_to_far;       // their numbers; sorted
  tile_box* seen_boxes;                    // from near to far, and how many tiles each has
  std::uint32_t* counts;
  std::uint16_t *tile, *sorted_tile;  // of each pair
  std::uint32_t *splat, *sorted_splat;
  std::uint32_t *begins, *ends;  // of each tile, its pairs
  std::uint32_t* picture;        // 0x00BBGGRR
  workspace work;

  int tiles() const { return tiles_of(width) * tiles_of(height); }
};

class splat_program {
 public:
  virtual ~splat_program() = default;
  virtual status run() = 0;
  virtual status times(std::size_t back, splat_times& ms) = 0;
};

std::size_t splat_workspace_bytes(const splat_plan& plan, runtime::stream s);
/// Null, and `s` says why, where a frame could not be captured.
std::unique_ptr<splat_program> make_splat_program(const splat_plan& plan, runtime::stream on, status& s);

/// The part that nvcc compiles.
std::unique_ptr<splat_program> make_cuda_splat_program(const splat_plan& plan, runtime::stream on, status& s);
std::size_t cuda_splat_workspace_bytes(const splat_plan& plan);

}  // namespace upsweep::apps
