// A particle system as its kernels see it: plain numbers only. The same functions move a particle on the GPU, on the
// sim and in the check. They are compiled without fused multiply-adds, so that all three agree in every bit.
#pragma once

#include <cmath>
#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::apps {

struct alignas(16) vec4f {
  float x, y, z, w;
};
struct vec3f {
  float x, y, z;
};

UPSWEEP_HOST_DEVICE inline vec3f operator+(vec3f a, vec3f b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
UPSWEEP_HOST_DEVICE inline vec3f operator-(vec3f a, vec3f b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
UPSWEEP_HOST_DEVICE inline vec3f operator*(vec3f a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
UPSWEEP_HOST_DEVICE inline vec3f times(vec3f a, vec3f b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
UPSWEEP_HOST_DEVICE inline float dot(vec3f a, vec3f b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
UPSWEEP_HOST_DEVICE inline vec3f cross(vec3f a, vec3f b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Where particles come from. In frames [from, until), every `every` frames, `rate` of them.
struct emitter {
  vec3f center, extent;    ///< a box, by half of its sides
  vec3f velocity, spread;  ///< the mean, and the scale of what is added to it, in every direction alike
  float life_least, life_most;
  std::uint32_t rate, from, until, every;
  std::uint32_t colors[2];  ///< 0xAABBGGRR; each particle has one between them

  UPSWEEP_HOST_DEVICE std::uint32_t in_frame(std::uint32_t frame) const {
    return frame >= from && frame < until && (frame - from) % every == 0 ? rate : 0;
  }
};

/// What changes the velocity of all particles.
struct force_field {
  vec3f gravity, wind;
  float drag;          ///< the share of the difference to the wind that is lost a second
  vec3f center, axis;  ///< of the attraction, and what particles are turned around
  float strength, spin, softening;
};

struct collision_box {
  bool used;
  vec3f least, most;
  float bounce;  ///< the share of the speed that is left
};

struct scene {
  static constexpr int most_emitters = 8;
  emitter emitters[most_emitters];
  int emitter_count;
  force_field forces;
  collision_box box;
  float step;  ///< seconds of a frame
  std::uint32_t seed;
};

/// A camera as shaders take it: std140 of one uniform block.
struct camera_pose {
  float clip[16];     ///< from the world to clip space, column by column; y points downwards, depth is 0 to 1
  vec4f depth_plane;  ///< the depth of a place is x * p.x + y * p.y + z * p.z + w
  float pixels;       ///< the diameter of a particle at depth 1
  float alpha;        ///< the opacity of a particle that has all of its life in front of it
  float additive;     ///< 1 where light is added up, 0 where particles cover what is behind them
  float near;

  UPSWEEP_HOST_DEVICE float depth(vec4f p) const {
    return p.x * depth_plane.x + p.y * depth_plane.y + p.z * depth_plane.z + depth_plane.w;
  }
};

/// What the device knows of a frame. The count of particles is here, and the host does not look at it.
struct frame_state {
  std::int64_t live;     ///< before the frame, and after it
  std::int64_t born;     ///< with the new ones, before the dead are taken out
  std::uint64_t wanted;  ///< new particles of all frames, with those for which there was no room
  std::uint64_t emitted;
  std::uint32_t frame;
  std::uint32_t first_id;                    ///< of the new particles; after 2^32 ids begin again
  std::uint32_t ends[scene::most_emitters];  ///< where the new particles of each emitter end
};

/// The arguments of an indirect draw: those of VkDrawIndexedIndirectCommand and glDrawElementsIndirect, and its first
/// four those of a draw without indices.
struct draw_arguments {
  std::uint32_t count, instances, first, offset, first_instance;
};

/// One particle.
struct particle {
  vec4f position;  ///< w: seconds left to live
  vec4f velocity;  ///< w: seconds of its whole life
  std::uint32_t id, color;
};

/// The arrays of all particles. All but `position`, `velocity`, `color`, `order` and `draw` are of no use for a draw.
struct particle_arrays {
  vec4f *position, *velocity;
  std::uint32_t *id, *color;
  std::uint32_t* order;  ///< the particles from the farthest to the nearest
  draw_arguments* draw;
  camera_pose* view;
};

/// A number in [0, 1) with 24 bits that depends on nothing but its arguments.
UPSWEEP_HOST_DEVICE inline float random_unit(std::uint32_t seed, std::uint32_t id, std::uint32_t which) {
  std::uint64_t z = (std::uint64_t{id} << 32 | which) + seed * 0xd1342543de82ef95u + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<float>(static_cast<std::uint32_t>((z ^ (z >> 31)) >> 40)) * 0x1p-24f;
}

/// About normally distributed, with variance 1/3: no direction is preferred.
UPSWEEP_HOST_DEVICE inline float random_bell(std::uint32_t seed, std::uint32_t id, std::uint32_t which) {
  float sum = -2;
  for (std::uint32_t k = 0; k < 4; ++k) sum += random_unit(seed, id, which + k);
  return sum;
}

/// The color between two, channel by channel.
UPSWEEP_HOST_DEVICE inline std::uint32_t mixed(std::uint32_t a, std::uint32_t b, float share) {
  std::uint32_t color = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto from = static_cast<float>(a >> shift & 255), to = static_cast<float>(b >> shift & 255);
    color |= static_cast<std::uint32_t>(from + (to - from) * share + 0.5f) << shift;
  }
  return color;
}

/// The particle of that number as its emitter gives it.
UPSWEEP_HOST_DEVICE inline particle emitted_by(const emitter& e, const scene& s, std::uint32_t id) {
  const auto unit = [&](std::uint32_t which) { return random_unit(s.seed, id, which); };
  const auto bell = [&](std::uint32_t which) { return random_bell(s.seed, id, which); };
  const vec3f corner{2 * unit(0) - 1, 2 * unit(1) - 1, 2 * unit(2) - 1};
  const vec3f v = e.velocity + times(e.spread, {bell(16), bell(20), bell(24)});
  // Some of the frame has passed, so that frames do not show as rings.
  const vec3f p = e.center + times(e.extent, corner) + v * (s.step * unit(3));
  const float life = e.life_least + (e.life_most - e.life_least) * unit(4);
  return {{p.x, p.y, p.z, life}, {v.x, v.y, v.z, life}, id, mixed(e.colors[0], e.colors[1], unit(5))};
}

/// Turns back what has left the range, with a share of its speed.
UPSWEEP_HOST_DEVICE inline void bounce_back(float& at, float& speed, float least, float most, float bounce) {
  if (at < least) {
    at = least + (least - at) * bounce;
    speed = -speed * bounce;
  } else if (at > most) {
    at = most - (at - most) * bounce;
    speed = -speed * bounce;
  }
}

/// Moves a particle on by one frame.
UPSWEEP_HOST_DEVICE inline void integrate(const scene& s, vec4f& position, vec4f& velocity) {
  const force_field& f = s.forces;
  vec3f p{position.x, position.y, position.z}, v{velocity.x, velocity.y, velocity.z};
  const vec3f inward = f.center - p;
  const float square = dot(inward, inward) + f.softening * f.softening;
  const vec3f pull = inward * (f.strength / (square * std::sqrt(square)));
  const vec3f turn = cross(inward, f.axis) * (f.spin / square);
  v = v + (f.gravity + (f.wind - v) * f.drag + pull + turn) * s.step;
  p = p + v * s.step;
  if (s.box.used) {
    bounce_back(p.x, v.x, s.box.least.x, s.box.most.x, s.box.bounce);
    bounce_back(p.y, v.y, s.box.least.y, s.box.most.y, s.box.bounce);
    bounce_back(p.z, v.z, s.box.least.z, s.box.most.z, s.box.bounce);
  }
  position = {p.x, p.y, p.z, position.w - s.step};
  velocity = {v.x, v.y, v.z, velocity.w};
}

/// Says how many particles each emitter gives in the next frame, as far as there is room.
UPSWEEP_HOST_DEVICE inline void begin_frame(const scene& s, std::int64_t capacity, frame_state& state) {
  const auto room = static_cast<std::uint64_t>(capacity - state.live);
  std::uint64_t end = 0;
  for (int e = 0; e < scene::most_emitters; ++e) {
    const std::uint32_t wanted = e < s.emitter_count ? s.emitters[e].in_frame(state.frame) : 0;
    state.wanted += wanted;
    end = end + wanted < room ? end + wanted : room;
    state.ends[e] = static_cast<std::uint32_t>(end);
  }
  state.first_id = static_cast<std::uint32_t>(state.emitted);
  state.emitted += end;
  state.born = state.live + static_cast<std::int64_t>(end);
  ++state.frame;
}

/// New particle number i of the frame.
UPSWEEP_HOST_DEVICE inline particle new_particle(const scene& s, const frame_state& state, std::uint32_t i) {
  int e = 0;
  while (i >= state.ends[e]) ++e;
  return emitted_by(s.emitters[e], s, state.first_id + i);
}

}  // namespace upsweep::apps
