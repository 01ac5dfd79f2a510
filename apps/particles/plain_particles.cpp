#include <algorithm>
#include <cstring>
#include <numeric>

#include "failure.hpp"
#include "particle_system.hpp"

namespace upsweep::apps {
namespace {

bool is_dead(const particle& p) {
  return !(p.position.w > 0);
}

/// As hole_filling does it: what lives after the new end goes, in its order, to where the dead are before it.
void fill_holes(std::vector<particle>& all) {
  const auto live =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const particle& p) { return !is_dead(p); }));
  std::size_t hole = 0;
  for (std::size_t i = live; i < all.size(); ++i) {
    if (is_dead(all[i])) continue;
    while (!is_dead(all[hole])) ++hole;
    all[hole] = all[i];
  }
  all.resize(live);
}

}  // namespace

plain_particles::plain_particles(const scene& what, const particle_system::options& how,
                                 const std::vector<camera_pose>& path)
    : what_(what), how_(how), path_(path) {}

void plain_particles::frame() {
  const camera_pose& view = path_[state_.frame % path_.size()];
  begin_frame(what_, how_.capacity, state_);
  for (particle& p : particles_) integrate(what_, p.position, p.velocity);
  for (std::uint32_t i = 0; state_.live + i < state_.born; ++i) particles_.push_back(new_particle(what_, state_, i));
  if (is_stable(how_.method.method)) {
    std::erase_if(particles_, is_dead);
  } else {
    fill_holes(particles_);
  }
  state_.live = static_cast<std::int64_t>(particles_.size());
  if (!how_.sorts) return;
  order_.resize(particles_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return view.depth(particles_[a].position) > view.depth(particles_[b].position);
  });
}

std::string plain_particles::first_difference(const particle_snapshot& s) const {
  const auto differs = [&](const char* what, auto came, auto expected) {
    return fmt::format("frame {}: {} is {}, expected {}", state_.frame, what, came, expected);
  };
  if (s.state.frame != state_.frame) return differs("its number", s.state.frame, state_.frame);
  if (s.state.live != state_.live) return differs("the number of particles", s.state.live, state_.live);
  if (s.state.wanted != state_.wanted) return differs("the number of new ones", s.state.wanted, state_.wanted);
  if (s.state.emitted != state_.emitted) return differs("the number emitted", s.state.emitted, state_.emitted);
  if (s.draw.count != state_.live) return differs("the draw's count", s.draw.count, state_.live);
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    const particle& p = particles_[i];
    if (s.id[i] != p.id) return differs(fmt::format("the id of particle {}", i).c_str(), s.id[i], p.id);
    const particle came{s.position[i], s.velocity[i], s.id[i], s.color[i]};
    if (std::memcmp(&came.position, &p.position, sizeof(vec4f)) != 0 ||
        std::memcmp(&came.velocity, &p.velocity, sizeof(vec4f)) != 0 || came.color != p.color) {
      return fmt::format("frame {}: particle {} with id {} is at {} {} {}, expected {} {} {}, or moves otherwise",
                         state_.frame, i, p.id, came.position.x, came.position.y, came.position.z, p.position.x,
                         p.position.y, p.position.z);
    }
    if (how_.sorts && s.order[i] != order_[i]) {
      return differs(fmt::format("place {} in the order of depth", i).c_str(), s.order[i], order_[i]);
    }
  }
  return {};
}

}  // namespace upsweep::apps
