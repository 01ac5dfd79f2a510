// Splats on a device, drawn frame after frame.
#pragma once

#include "device_session.hpp"
#include "picture.hpp"
#include "splat_cloud.hpp"
#include "splat_frame.hpp"

namespace upsweep::apps {

class splat_renderer {
 public:
  /// `capacity`: for so many pairs of a splat and a tile there is room. At most 65535 tiles of 16 x 16 pixels.
  splat_renderer(device_session& device, const splat_cloud& splats, const std::vector<splat_view>& path, int width,
                 int height, std::int64_t capacity, rgb background);

  void frame() { device_.check(program_->run(), "a frame of splats"); }
  splat_times stage_times();
  splat_state state();
  /// Waits for the last frame and copies its picture.
  void read(picture& to);
  /// The pairs of the last frame in their order, and where those of each tile end.
  std::vector<std::uint32_t> sorted_splats();
  std::vector<std::uint32_t> tile_ends();

 private:
  template <class T>
  T* room(std::int64_t n, const char* what);

  device_session& device_;
  std::vector<runtime::buffer> memory_;
  splat_plan plan_ = {};
  std::unique_ptr<splat_program> program_;
};

/// By plain loops: what sorted_splats and tile_ends have, and the picture. `capacity` drops pairs as the device does.
struct plain_splats {
  std::int64_t seen;
  std::vector<std::uint32_t> sorted, ends;
  picture drawn;
};
plain_splats draw_plainly(const splat_cloud& splats, const splat_view& view, std::int64_t capacity, rgb background);

}  // namespace upsweep::apps
