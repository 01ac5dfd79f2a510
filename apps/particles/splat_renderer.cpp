#include "splat_renderer.hpp"

#include "failure.hpp"

namespace upsweep::apps {

template <class T>
T* splat_renderer::room(std::int64_t n, const char* what) {
  memory_.push_back(device_.allocate(static_cast<std::size_t>(n) * sizeof(T), what));
  return memory_.back().as<T>();
}

splat_renderer::splat_renderer(device_session& device, const splat_cloud& splats, const std::vector<splat_view>& path,
                               int width, int height, std::int64_t capacity, rgb background)
    : device_(device) {
  const auto uploaded = [&]<class T>(const std::vector<T>& from) -> const T* {
    T* const to = room<T>(static_cast<std::int64_t>(from.size()), "splats");
    device.copy(to, from.data(), from.size() * sizeof(T));
    return to;
  };
  splat_plan& p = plan_;
  const auto n = static_cast<std::int64_t>(splats.place.size());
  p.splats = {n,
              uploaded(splats.place),
              uploaded(splats.rotation),
              uploaded(splats.scale),
              uploaded(splats.harmonics),
              splats.coefficients};
  p.path = uploaded(path);
  p.views = static_cast<std::uint32_t>(path.size());
  p.width = width;
  p.height = height;
  p.background = {background.r, background.g, background.b};
  p.capacity = capacity;
  p.state = room<splat_state>(1, "the state of a frame");
  p.flat = room<flat_splat>(n, "splats");
  p.boxes = room<tile_box>(n, "splats");
  p.seen_boxes = room<tile_box>(n, "splats");
  for (float** const depth : {&p.depth, &p.seen_depth, &p.near_depth}) *depth = room<float>(n, "depths");
  for (std::uint32_t** const a : {&p.seen, &p.near_to_far, &p.counts}) *a = room<std::uint32_t>(n, "splats");
  for (std::uint16_t** const a : {&p.tile, &p.sorted_tile}) *a = room<std::uint16_t>(capacity, "pairs");
  for (std::uint32_t** const a : {&p.splat, &p.sorted_splat}) *a = room<std::uint32_t>(capacity, "pairs");
  for (std::uint32_t** const a : {&p.begins, &p.ends}) *a = room<std::uint32_t>(p.tiles(), "tiles");
  p.picture = room<std::uint32_t>(std::int64_t{width} * height, "the picture");
  const splat_state empty = {};
  device.copy(p.state, &empty, sizeof empty);
  memory_.push_back(device.allocate(splat_workspace_bytes(p, device.stream()), "workspace"));
  p.work = memory_.back().as_workspace();
  status s = status::success;
  program_ = make_splat_program(p, device.stream(), s);
  device.check(s, "capturing a frame of splats");
}

splat_times splat_renderer::stage_times() {
  splat_times ms = {};
  device_.check(program_->times(0, ms), "a frame of splats");
  return ms;
}

splat_state splat_renderer::state() {
  splat_state s;
  device_.copy(&s, plan_.state, sizeof s);
  return s;
}

void splat_renderer::read(picture& to) {
  std::vector<std::uint32_t> pixels(to.bytes().size() / 3);
  device_.copy(pixels.data(), plan_.picture, pixels.size() * 4);
  for (std::size_t i = 0; i < to.bytes().size(); ++i) {
    to.bytes()[i] = static_cast<std::uint8_t>(pixels[i / 3] >> (i % 3 * 8) & 255);
  }
}

std::vector<std::uint32_t> splat_renderer::sorted_splats() {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(state().pairs));
  device_.copy(all.data(), plan_.sorted_splat, all.size() * 4);
  return all;
}

std::vector<std::uint32_t> splat_renderer::tile_ends() {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(plan_.tiles()));
  device_.copy(all.data(), plan_.ends, all.size() * 4);
  return all;
}

}  // namespace upsweep::apps
