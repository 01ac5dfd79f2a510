#include "particle_system.hpp"

#include <cstring>

namespace upsweep::apps {

particle_layout::particle_layout(std::int64_t capacity) {
  const auto n = static_cast<std::size_t>(capacity);
  upsweep::detail::workspace_layout l;
  // First: Mesa's software driver 22.3 draws by the wrong indices where these begin elsewhere in their buffer.
  order = l.add<std::uint32_t>(n).offset;
  position = l.add<vec4f>(n).offset;
  velocity = l.add<vec4f>(n).offset;
  id = l.add<std::uint32_t>(n).offset;
  color = l.add<std::uint32_t>(n).offset;
  draw = l.add<draw_arguments>(1).offset;
  view = l.add<camera_pose>(1).offset;
  bytes = l.used();
}

particle_arrays particle_layout::at(void* block) const {
  auto* const b = static_cast<std::byte*>(block);
  return {reinterpret_cast<vec4f*>(b + position),      reinterpret_cast<vec4f*>(b + velocity),
          reinterpret_cast<std::uint32_t*>(b + id),    reinterpret_cast<std::uint32_t*>(b + color),
          reinterpret_cast<std::uint32_t*>(b + order), reinterpret_cast<draw_arguments*>(b + draw),
          reinterpret_cast<camera_pose*>(b + view)};
}

particle_system::particle_system(device_session& device, const scene& what, const options& how,
                                 const std::vector<camera_pose>& path, void* block)
    : device_(device), layout_(how.capacity) {
  if (block == nullptr) {
    memory_ = device.allocate(layout_.bytes, "particles");
    block = memory_.data();
  }
  state_ = device.allocate(sizeof(frame_state), "the state of a frame");
  path_ = device.allocate(path.size() * sizeof(camera_pose), "the camera's path");
  if (how.sorts) depth_ = device.allocate(static_cast<std::size_t>(how.capacity) * sizeof(float), "depths");
  plan_ = {what,
           how.capacity,
           how.method,
           how.sorts,
           layout_.at(block),
           state_.as<frame_state>(),
           path_.as<camera_pose>(),
           static_cast<std::uint32_t>(path.size()),
           depth_.as<float>(),
           {}};
  work_ = device.allocate(frame_workspace_bytes(plan_, device.stream()), "workspace");
  plan_.work = work_.as_workspace();

  const frame_state empty = {};
  const draw_arguments nothing = {0, 1, 0, 0, 0};
  device.copy(plan_.state, &empty, sizeof empty);
  device.copy(plan_.particles.draw, &nothing, sizeof nothing);
  device.copy(path_.data(), path.data(), path.size() * sizeof(camera_pose));
  status s = status::success;
  program_ = make_frame_program(plan_, device.stream(), s);
  device.check(s, "capturing a frame");
}

std::array<float, frame_stage_names.size()> particle_system::stage_times(std::size_t back) {
  std::array<float, frame_stage_names.size()> ms = {};
  device_.check(program_->times(back, ms), "a frame");
  return ms;
}

frame_state particle_system::state() {
  frame_state s;
  device_.copy(&s, plan_.state, sizeof s);
  return s;
}

particle_snapshot particle_system::snapshot() {
  particle_snapshot s;
  s.state = state();
  const particle_arrays& p = plan_.particles;
  device_.copy(&s.draw, p.draw, sizeof s.draw);
  const auto copy = [&](auto& to, const auto* from) {
    to.resize(static_cast<std::size_t>(s.state.live));
    device_.copy(to.data(), from, to.size() * sizeof to[0]);
  };
  copy(s.position, p.position);
  copy(s.velocity, p.velocity);
  copy(s.id, p.id);
  copy(s.color, p.color);
  if (plan_.sorts) copy(s.order, p.order);
  return s;
}

}  // namespace upsweep::apps
