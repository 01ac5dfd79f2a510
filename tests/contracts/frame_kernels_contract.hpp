// What the kernels of upsweep-particles promise, on any device: which particles come in a frame, how they move, and
// what the draw is told. The expected values are written anew here, in double, not by the functions of the kernels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "frame_kernels.cuh"
#include "support/guarded_array.hpp"
#include "support/test_device.hpp"

namespace upsweep::test {

using namespace apps;

/// What each of three emitters wants in seven frames; in frame 5 there is no room for all.
inline constexpr std::uint32_t frame_births[7][3] = {{150, 0, 0}, {150, 70, 0}, {150, 0, 0}, {0, 70, 0},
                                                     {0, 0, 0},   {0, 70, 900}, {0, 0, 0}};

inline scene three_emitters() {
  scene s = {};
  const vec3f none{0, 0, 0};
  s.emitters[0] = {{0, 0, 0}, {0.5f, 0.5f, 0.5f},        {1, 0, 0}, none, 0.15f, 0.4f, 150, 0, 3,
                   1,         {0xff0000ffu, 0xff000080u}};
  s.emitters[1] = {{100, 0, 0}, {0.5f, 0, 0}, {0, 2, 0}, none, 0.15f, 0.4f, 70, 1, 6, 2, {0xff00ff00u, 0xff008000u}};
  s.emitters[2] = {{200, 0, 0}, none, {0, 0, 3}, none, 5, 6, 900, 5, 6, 1, {0xffff0000u, 0xff800000u}};
  s.emitter_count = 3;
  s.forces.gravity = {0, -4, 0};
  s.step = 0.0625f;
  s.seed = 3;
  return s;
}

/// Particles in arrays of exactly as many as there is room for.
template <class Stream>
struct device_particles {
  device_particles(const test_device<Stream>& d, std::size_t n)
      : position(d, n), velocity(d, n), id(d, n), color(d, n), draw(d, 1), view(d, 1) {}
  particle_arrays arrays() const {
    return {position.data(), velocity.data(), id.data(), color.data(), nullptr, draw.data(), view.data()};
  }
  guarded_array<vec4f, Stream> position, velocity;
  guarded_array<std::uint32_t, Stream> id, color;
  guarded_array<draw_arguments, Stream> draw;
  guarded_array<camera_pose, Stream> view;
};

inline void expect_new_particle(const particle& p, const scene& s, int from) {
  const emitter& e = s.emitters[from];
  const auto within = [&](float at, float center, float extent, float speed) {
    const double first = double{center} - double{extent} - 1e-4, last = double{center} + double{extent} + 1e-4;
    return at >= first && at <= last + double{speed} * double{s.step};
  };
  EXPECT_TRUE(within(p.position.x, e.center.x, e.extent.x, e.velocity.x))
      << p.id << " of " << from << ": " << p.position.x;
  EXPECT_TRUE(within(p.position.y, e.center.y, e.extent.y, e.velocity.y)) << p.id;
  EXPECT_TRUE(within(p.position.z, e.center.z, e.extent.z, e.velocity.z)) << p.id;
  EXPECT_TRUE(p.velocity.x == e.velocity.x && p.velocity.y == e.velocity.y && p.velocity.z == e.velocity.z) << p.id;
  EXPECT_TRUE(p.position.w >= e.life_least && p.position.w <= e.life_most && p.velocity.w == p.position.w) << p.id;
  const std::uint32_t channel = p.color >> (8 * from) & 255;
  EXPECT_TRUE(channel >= 128 && (p.color & ~(0xffu << (8 * from))) == 0xff000000u) << p.id << std::hex << p.color;
}

/// Frames of a population that grows and overflows; the dead are taken out here, one after the other.
template <class Stream>
void expect_births_and_moves(test_device<Stream>& d) {
  constexpr std::int64_t capacity = 700;  // two blocks go over it twice
  const scene s = three_emitters();
  device_particles<Stream> at(d, capacity);
  guarded_array<frame_state, Stream> state(d, std::vector<frame_state>(1));
  const guarded_array<camera_pose, Stream> path(d, std::vector<camera_pose>(1));
  std::vector<particle> live;
  std::uint64_t wanted = 0, emitted = 0;
  bool overflowed = false;
  for (std::uint32_t f = 0; f < 7; ++f) {
    SCOPED_TRACE("frame " + std::to_string(f));
    ASSERT_EQ(d.executor().launch(1, begin_frame_kernel{}, s, capacity, static_cast<const camera_pose*>(path.data()),
                                  1u, state.data(), at.view.data()),
              status::success);
    frame_state now = state.items()[0];
    std::vector<int> of;  // the emitter of each new particle
    for (int e = 0; e < 3; ++e) {
      wanted += frame_births[f][e];
      for (std::uint32_t i = 0; i < frame_births[f][e]; ++i) {
        if (live.size() + of.size() < capacity) of.push_back(e);
      }
    }
    overflowed |= live.size() + of.size() == capacity;
    ASSERT_EQ(now.frame, f + 1);
    ASSERT_EQ(now.born, static_cast<std::int64_t>(live.size() + of.size()));
    ASSERT_EQ(now.wanted, wanted);
    ASSERT_EQ(now.first_id, emitted);
    ASSERT_EQ(now.emitted, emitted += of.size());

    ASSERT_EQ(d.executor().launch(2, advance_kernel{}, s, static_cast<const frame_state*>(state.data()), at.arrays()),
              status::success)
        << d.message();
    const auto position = at.position.items(), velocity = at.velocity.items();
    const auto id = at.id.items(), color = at.color.items();
    std::vector<particle> next;
    for (std::size_t i = 0; i < live.size() + of.size(); ++i) {
      const particle p{position[i], velocity[i], id[i], color[i]};
      if (i >= live.size()) {
        const std::size_t j = i - live.size();
        ASSERT_EQ(p.id, now.first_id + j);
        expect_new_particle(p, s, of[j]);
      } else {
        const particle& was = live[i];
        ASSERT_TRUE(p.id == was.id && p.color == was.color && p.velocity.w == was.velocity.w) << i;
        EXPECT_NEAR(p.velocity.y, was.velocity.y - 0.25, 1e-5);
        EXPECT_NEAR(p.position.x, was.position.x + 0.0625 * was.velocity.x, 1e-4);
        EXPECT_NEAR(p.position.y, was.position.y + 0.0625 * (was.velocity.y - 0.25), 1e-4);
        EXPECT_NEAR(p.position.w, was.position.w - 0.0625, 1e-5);
      }
      const is_alive alive{&p.position, &now};
      ASSERT_EQ(alive(0), p.position.w > 0);
      if (p.position.w > 0) next.push_back(p);
    }
    EXPECT_TRUE(f <= 2 || next.size() < live.size() + of.size());  // some have died
    live = next;
    now.live = static_cast<std::int64_t>(live.size());
    state.set({now});
    std::vector<vec4f> positions(capacity), velocities(capacity);
    std::vector<std::uint32_t> ids(capacity), colors(capacity);
    for (std::size_t i = 0; i < live.size(); ++i) {
      positions[i] = live[i].position;
      velocities[i] = live[i].velocity;
      ids[i] = live[i].id;
      colors[i] = live[i].color;
    }
    at.position.set(positions);
    at.velocity.set(velocities);
    at.id.set(ids);
    at.color.set(colors);
  }
  EXPECT_TRUE(overflowed);
}

/// One particle by forces that are there alone.
template <class Stream>
void expect_forces(test_device<Stream>& d) {
  const auto moved = [&](const scene& s, particle p) {
    device_particles<Stream> at(d, 1);
    at.position.set({p.position});
    at.velocity.set({p.velocity});
    at.id.set({0});
    at.color.set({0});
    frame_state one = {};
    one.live = one.born = 1;
    const guarded_array<frame_state, Stream> state(d, std::vector<frame_state>{one});
    EXPECT_EQ(d.executor().launch(1, advance_kernel{}, s, static_cast<const frame_state*>(state.data()), at.arrays()),
              status::success);
    return particle{at.position.items()[0], at.velocity.items()[0], 0, 0};
  };
  scene s = {};
  s.step = 0.5f;
  s.forces.wind = {3, 0, 0};
  s.forces.drag = 0.25f;
  const particle p{{3, 0, 4, 1}, {-1, 0, 2, 1}, 0, 0};
  particle to = moved(s, p);
  EXPECT_NEAR(to.velocity.x, -1 + (3 + 1) * 0.25 * 0.5, 1e-5);
  EXPECT_NEAR(to.velocity.z, 2 - 2 * 0.25 * 0.5, 1e-5);
  s.forces = {};
  s.forces.strength = 52;
  s.forces.softening = 12;  // with a distance of 5: 13
  to = moved(s, p);
  EXPECT_NEAR(to.velocity.x, -1 - 0.5 * 52 * 3 / 2197, 1e-5);
  EXPECT_NEAR(to.velocity.z, 2 - 0.5 * 52 * 4 / 2197, 1e-5);
  s.forces.strength = 0;
  s.forces.spin = 169;
  s.forces.axis = {0, 1, 0};
  to = moved(s, p);  // (-3, 0, -4) x (0, 1, 0) = (4, 0, -3)
  EXPECT_NEAR(to.velocity.x, -1 + 0.5 * 4, 1e-5);
  EXPECT_NEAR(to.velocity.z, 2 - 0.5 * 3, 1e-5);
  s.forces = {};
  s.box = {true, {2.75f, -1, 0}, {9, 1, 4.5f}, 0.5f};
  to = moved(s, p);  // to 2.5 and 5: out by 0.25 below, and by 0.5 above
  EXPECT_NEAR(to.position.x, 2.875, 1e-5);
  EXPECT_NEAR(to.velocity.x, 0.5, 1e-5);
  EXPECT_NEAR(to.position.z, 4.25, 1e-5);
  EXPECT_NEAR(to.velocity.z, -1, 1e-5);
  EXPECT_NEAR(to.position.w, 0.5, 1e-5);
}

/// What the draw takes: the camera of the frame, depths, and how many there are.
template <class Stream>
void expect_draws(test_device<Stream>& d) {
  std::vector<camera_pose> poses(3);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<float> words(sizeof(camera_pose) / sizeof(float));
    for (std::size_t w = 0; w < words.size(); ++w) words[w] = static_cast<float>(100 * i + w);
    std::memcpy(static_cast<void*>(&poses[i]), words.data(), sizeof(camera_pose));
  }
  const guarded_array<camera_pose, Stream> path(d, poses);
  frame_state counts = {};
  counts.frame = 7;
  counts.live = counts.born = 0;
  guarded_array<frame_state, Stream> state(d, std::vector<frame_state>{counts});
  device_particles<Stream> at(d, 301);
  ASSERT_EQ(d.executor().launch(1, begin_frame_kernel{}, scene{}, std::int64_t{301},
                                static_cast<const camera_pose*>(path.data()), 3u, state.data(), at.view.data()),
            status::success);
  const camera_pose view = at.view.items()[0];
  EXPECT_EQ(std::memcmp(&view, &poses[1], sizeof view), 0);

  counts.live = 300;
  counts.born = 301;
  state.set({counts});
  std::vector<vec4f> positions(301);
  for (std::size_t i = 0; i < 301; ++i) positions[i] = {static_cast<float>(i % 17), static_cast<float>(i % 5), 2, 1};
  at.position.set(positions);
  at.draw.set({{9, 8, 7, 6, 5}});
  guarded_array<float, Stream> depth(d, 300);
  const frame_state* const now = state.data();
  ASSERT_EQ(d.executor().launch(1, depth_kernel{}, now, at.arrays(), depth.data()), status::success) << d.message();
  const auto depths = depth.items();
  for (std::size_t i = 0; i < 300; ++i) {  // the plane's four numbers are words 16 to 19
    EXPECT_NEAR(depths[i], 116 * double{positions[i].x} + 117 * double{positions[i].y} + 118 * 2 + 119, 1e-2) << i;
  }
  ASSERT_EQ(d.executor().launch(1, draw_count_kernel{}, now, at.draw.data()), status::success);
  const draw_arguments draw = at.draw.items()[0];
  EXPECT_TRUE(draw.count == 300 && draw.instances == 8 && draw.first == 7 && draw.offset == 6 &&
              draw.first_instance == 5);
  positions.push_back({0, 0, 0, 1});
  const is_alive alive{positions.data(), &counts};
  EXPECT_TRUE(alive(0) && alive(300) && !alive(301));
}

template <class Stream>
bool add_frame_kernels_contract() {
  using device = test_device<Stream>;
  add_test<Stream>("frame_kernels", "emit_as_far_as_there_is_room_and_move",
                   [](device& d) { expect_births_and_moves(d); });
  add_test<Stream>("frame_kernels", "move_by_each_force", [](device& d) { expect_forces(d); });
  add_test<Stream>("frame_kernels", "tell_the_draw_what_it_needs", [](device& d) { expect_draws(d); });
  return true;
}

}  // namespace upsweep::test
