// A particle system whose frames are enqueued and never waited for: emit, integrate, cull the dead, list the visible,
// sort them by depth. How many there are is known to the device alone. Beside it, what must come out: positions are
// small multiples of 1/16, so that every sum is exact and a particle's whole life follows from its number.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::test {

/// A particle is its number; the rest follows from it and the frame of its birth.
struct particle_birth {
  UPSWEEP_HOST_DEVICE static std::uint32_t hash(std::uint32_t id, std::uint32_t salt) {
    std::uint64_t z = (std::uint64_t{id} << 8 | salt) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::uint32_t>(z >> 33);
  }
  UPSWEEP_HOST_DEVICE static float at(std::uint32_t id) { return static_cast<float>(hash(id, 1) % 16000) / 16; }
  UPSWEEP_HOST_DEVICE static float speed(std::uint32_t id) {
    return static_cast<float>(static_cast<int>(hash(id, 2) % 200) - 100) / 16;
  }
  UPSWEEP_HOST_DEVICE static float depth(std::uint32_t id) { return static_cast<float>(hash(id, 3) % 5000); }
  /// In how many frames it is integrated, if nothing else ends it.
  UPSWEEP_HOST_DEVICE static std::uint32_t life(std::uint32_t id, std::uint32_t longest) {
    return 1 + hash(id, 4) % longest;
  }
};

/// Where particles may be, and where they are seen.
struct particle_world {
  static constexpr float low = -50, high = 1050, seen_from = 200, seen_to = 500;
};

/// What a frame emits, by phases of a tenth of all frames: the population grows, overflows, shrinks, is empty for a
/// while, comes back at once, and so on.
struct emission {
  std::uint32_t capacity, frames;

  UPSWEEP_HOST_DEVICE std::uint32_t longest_life() const { return frames / 16; }
  UPSWEEP_HOST_DEVICE std::uint32_t of_frame(std::uint32_t frame) const {
    const std::uint32_t phase = frame * 10 / frames, in_phase = frame - (phase * frames + 9) / 10;
    const std::uint32_t lively = capacity / longest_life();  // somewhat less than half of the capacity live
    switch (phase) {
      case 0:
        return lively + frame % 7;
      case 1:
      case 2:
        return 4 * lively;
      case 3:
      case 4:
        return frame % 5;
      case 5:
        return 0;
      case 6:
        return in_phase == 0 ? capacity * 2 : 0;
      case 7:
        return frame % 3 == 0 ? 4 * lively : 0;
      default:
        return lively * 3 / 2 + frame % 11;
    }
  }
};

/// What the device knows of a frame, and says of it.
struct frame_state {
  std::uint32_t frame;    // its number
  std::uint32_t emitted;  // particles that were to be emitted before it
  std::uint32_t dropped;  // of which had no room
  std::uint32_t live;     // after the cull; before it as many as born
  std::uint32_t born;     // live ones and those emitted: before the cull
  std::uint32_t visible;
  std::uint32_t wanted;  // visible ones without a capacity
  std::uint32_t draw;    // the draw's instances
  std::uint32_t dispatch[3];
};

struct particle_arrays {
  float *x, *speed, *depth;
  std::uint32_t *id, *life;
};

/// Appends this frame's particles, as far as there is room, and says how many there are then.
struct emit_kernel {
  static constexpr int block_threads = 128;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const frame_state* now, frame_state* next,
                                 particle_arrays p, emission source) const {
    const std::uint32_t wanted = source.of_frame(now->frame), live = now->live;
    const std::uint32_t room = source.capacity - live, born = wanted < room ? wanted : room;
    const auto first = static_cast<std::uint32_t>(block.block_index() * block_threads + block.thread_rank());
    const auto stride = static_cast<std::uint32_t>(block.num_blocks() * block_threads);
    for (std::uint32_t i = first; i < born; i += stride) {
      const std::uint32_t id = now->emitted + i, at = live + i;
      p.id[at] = id;
      p.x[at] = particle_birth::at(id);
      p.speed[at] = particle_birth::speed(id);
      p.depth[at] = particle_birth::depth(id);
      p.life[at] = particle_birth::life(id, source.longest_life());
    }
    if (first == 0) {
      next->frame = now->frame + 1;
      next->emitted = now->emitted + wanted;
      next->dropped = now->dropped + (wanted - born);
      next->born = next->live = live + born;
    }
  }
};

struct integrate_kernel {
  static constexpr int block_threads = 128;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const frame_state* next, particle_arrays p) const {
    const auto first = static_cast<std::uint32_t>(block.block_index() * block_threads + block.thread_rank());
    const auto stride = static_cast<std::uint32_t>(block.num_blocks() * block_threads);
    for (std::uint32_t i = first; i < next->born; i += stride) {
      p.x[i] += p.speed[i];
      p.life[i] -= 1;
    }
  }
};

/// Depths after the visible ones sort after them.
struct pad_depths_kernel {
  static constexpr int block_threads = 128;
  static constexpr float behind_all = std::numeric_limits<float>::infinity();
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const frame_state* next, float* depths,
                                 std::uint32_t capacity) const {
    const auto first = static_cast<std::uint32_t>(block.block_index() * block_threads + block.thread_rank());
    const auto stride = static_cast<std::uint32_t>(block.num_blocks() * block_threads);
    for (std::uint32_t i = next->visible + first; i < capacity; i += stride) {
      depths[i] = behind_all;
    }
  }
};

/// The next frame's state is this frame's.
struct end_frame_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const frame_state* next, frame_state* now) const {
    if (block.thread_rank() == 0) *now = *next;
  }
};

struct is_live {
  particle_arrays p;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    return p.life[i] > 0 && p.x[i] >= particle_world::low && p.x[i] <= particle_world::high;
  }
};
struct is_seen {
  particle_arrays p;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    return p.x[i] >= particle_world::seen_from && p.x[i] < particle_world::seen_to;
  }
};

/// What the device holds after some frame.
struct frame_snapshot {
  frame_state state;
  std::vector<std::uint32_t> ids, lives, drawn;
  std::vector<float> xs, depths;
};

/// The particle system of a device. Cull: the policy of the cull, in place.
template <class Cull, class Stream>
class frame_loop {
 public:
  static constexpr std::uint32_t group_size = 48;

  /// `over_n`: the cull's count goes where its n lies.
  frame_loop(test_device<Stream>& device, std::uint32_t capacity, std::uint32_t visible, std::uint32_t frames,
             bool over_n)
      : device_(device),
        executor_(device.executor()),
        source_{capacity, frames},
        visible_(visible),
        over_n_(over_n),
        now_(device, std::vector<frame_state>(1)),
        next_(device, std::vector<frame_state>(1)),
        x_(device, capacity),
        speed_(device, capacity),
        depth_(device, capacity),
        id_(device, capacity),
        life_(device, capacity),
        seen_depth_(device, visible),
        sorted_depth_(device, visible),
        seen_(device, visible),
        drawn_(device, visible),
        work_(device, workspace_bytes()) {}

  /// Enqueues one frame, always by the same calls and arguments.
  status frame() {
    const particle_arrays p = particles();
    frame_state* const now = now_.data();
    frame_state* const next = next_.data();
    const workspace w{work_.data(), work_.size()};
    const std::int64_t blocks = ceil_div(source_.capacity, 128 * 8);
    status s = executor_.launch(blocks, emit_kernel{}, static_cast<const frame_state*>(now), next, p, source_);
    if (s != status::success) return s;
    s = executor_.launch(blocks, integrate_kernel{}, static_cast<const frame_state*>(next), p);
    if (s != status::success) return s;

    const auto all = in_place();
    s = static_cast<status>(select_arrays<Cull>(w, all, &next->live, born(), by_index{is_live{p}}, device_.stream()));
    if (s != status::success) return s;

    const soa_array depths = seen_depths();
    s = static_cast<status>(
        select_arrays(w, {&depths, 1}, seen_results(), live(), by_index{is_seen{p}}, device_.stream()));
    if (s != status::success) return s;
    s = executor_.launch(ceil_div(visible_, 128 * 8), pad_depths_kernel{}, static_cast<const frame_state*>(next),
                         seen_depth_.data(), visible_);
    if (s != status::success) return s;
    s = static_cast<status>(sort_pairs(w, static_cast<const float*>(seen_depth_.data()), sorted_depth_.data(),
                                       static_cast<const std::uint32_t*>(seen_.data()), drawn_.data(),
                                       std::int64_t{visible_}, sort_order::ascending, bit_range{}, device_.stream()));
    if (s != status::success) return s;
    return executor_.launch(1, end_frame_kernel{}, static_cast<const frame_state*>(next), now);
  }

  /// Waits, and copies what there is.
  frame_snapshot snapshot() {
    frame_snapshot s{now_.items()[0], id_.items(), life_.items(), drawn_.items(), x_.items(), sorted_depth_.items()};
    s.ids.resize(s.state.live);
    s.lives.resize(s.state.live);
    s.xs.resize(s.state.live);
    s.drawn.resize(s.state.visible);
    s.depths.resize(s.state.visible);
    work_.expect_guards();
    return s;
  }

 private:
  particle_arrays particles() const { return {x_.data(), speed_.data(), depth_.data(), id_.data(), life_.data()}; }
  std::vector<soa_array> in_place() const {
    return {{x_.data(), x_.data(), 4},
            {speed_.data(), speed_.data(), 4},
            {depth_.data(), depth_.data(), 4},
            {id_.data(), id_.data(), 4},
            {life_.data(), life_.data(), 4}};
  }
  device_count<std::uint32_t> born() const {
    return {over_n_ ? &next_.data()->live : &next_.data()->born, source_.capacity};
  }
  device_count<std::uint32_t> live() const { return {&next_.data()->live, source_.capacity}; }
  soa_array seen_depths() const { return {depth_.data(), seen_depth_.data(), sizeof(float)}; }
  select_results seen_results() const {
    frame_state* const next = next_.data();
    select_results results(&next->visible);
    results.wanted = &next->wanted;
    results.indices = seen_.data();
    results.capacity = visible_;
    results.indirect.draw = &next->draw;
    results.indirect.dispatch = next->dispatch;
    results.indirect.group_size = group_size;
    return results;
  }
  std::size_t workspace_bytes() const {
    const soa_array depths = seen_depths();
    const particle_arrays p = particles();
    return std::max({select_arrays_workspace_bytes<Cull>(in_place(), &next_.data()->live, born(), by_index{is_live{p}}),
                     select_arrays_workspace_bytes({&depths, 1}, seen_results(), live(), by_index{is_seen{p}}),
                     sort_pairs_workspace_bytes(seen_depth_.data(), sorted_depth_.data(), seen_.data(), drawn_.data(),
                                                std::int64_t{visible_}, sort_order::ascending, bit_range{})});
  }

  test_device<Stream>& device_;
  decltype(executor_of(Stream{})) executor_;
  emission source_;
  std::uint32_t visible_;
  bool over_n_;
  guarded_array<frame_state, Stream> now_, next_;
  guarded_array<float, Stream> x_, speed_, depth_;
  guarded_array<std::uint32_t, Stream> id_, life_;
  guarded_array<float, Stream> seen_depth_, sorted_depth_;
  guarded_array<std::uint32_t, Stream> seen_, drawn_;
  guarded_array<unsigned char, Stream> work_;
};

/// The same on the CPU, frame after frame, of which it keeps who lives.
class frame_oracle {
 public:
  frame_oracle(std::uint32_t capacity, std::uint32_t visible, std::uint32_t frames)
      : source_{capacity, frames}, visible_(visible), deaths_(frames + source_.longest_life() + 1) {}

  void frame() {
    const std::uint32_t wanted = source_.of_frame(frame_), born = std::min(wanted, source_.capacity - live_);
    first_ids_.push_back(emitted_);
    for (std::uint32_t id = emitted_; id < emitted_ + born; ++id) {
      const std::uint32_t dies = frame_ + frames_alive(id);
      ++deaths_[dies];
      particles_.push_back({id, dies});
    }
    emitted_ += wanted;
    dropped_ += wanted - born;
    live_ += born;
    live_ -= deaths_[frame_++];
    overflowed_ |= born < wanted;
  }

  /// `ordered`: particles keep the order in which they were emitted. group_size: of the dispatch.
  void check(const frame_snapshot& s, bool ordered, std::uint32_t group_size) {
    SCOPED_TRACE("frame " + std::to_string(frame_));
    std::erase_if(particles_, [&](const particle& p) { return p.dies < frame_; });
    EXPECT_EQ(s.state.frame, frame_);
    EXPECT_EQ(s.state.emitted, emitted_);
    EXPECT_EQ(s.state.dropped, dropped_);
    ASSERT_EQ(particles_.size(), live_);
    ASSERT_EQ(s.state.live, live_);
    const std::uint32_t lowest = live_ == 0 ? 0 : particles_.front().id;
    std::vector<bool> lives(live_ == 0 ? 0 : particles_.back().id - lowest + 1);
    for (const particle& p : particles_) lives[p.id - lowest] = true;
    // Who is drawn: the first that are seen, in the order of the particles, sorted by depth.
    std::vector<std::uint32_t> expected;
    std::uint32_t seen = 0;
    for (std::uint32_t i = 0; i < live_; ++i) {
      const std::uint32_t id = s.ids[i];
      ASSERT_TRUE(!ordered || id == particles_[i].id) << "particle " << i << " is number " << id;
      ASSERT_TRUE(id - lowest < lives.size() && lives[id - lowest]) << "particle " << i << ", number " << id;
      lives[id - lowest] = false;  // once
      const std::uint32_t age = age_of(id);
      const float x = particle_birth::at(id) + static_cast<float>(age) * particle_birth::speed(id);
      ASSERT_EQ(s.xs[i], x) << "particle " << i;
      ASSERT_EQ(s.lives[i], particle_birth::life(id, source_.longest_life()) - age) << "particle " << i;
      if (x < particle_world::seen_from || x >= particle_world::seen_to) continue;
      if (seen++ < visible_) expected.push_back(i);
    }
    EXPECT_EQ(s.state.wanted, seen);
    EXPECT_EQ(s.state.draw, std::min(seen, visible_));
    EXPECT_EQ(s.state.dispatch[0], (std::min(seen, visible_) + group_size - 1) / group_size);
    EXPECT_EQ(s.state.dispatch[1], 1u);
    EXPECT_EQ(s.state.dispatch[2], 1u);
    ASSERT_EQ(s.state.visible, expected.size());
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
      return particle_birth::depth(s.ids[a]) < particle_birth::depth(s.ids[b]);
    });
    EXPECT_TRUE(same_items(s.drawn, expected));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(s.depths[i], particle_birth::depth(s.ids[expected[i]]));
    }
    was_empty_ |= live_ == 0 && frame_ > source_.frames / 2;
    more_than_seen_ |= seen > visible_;
  }

  /// The run was worth it: the population was too large, and when it was looked at, it was empty once, and more were
  /// seen than there is room for.
  bool has_seen_everything() const { return was_empty_ && overflowed_ && more_than_seen_; }

 private:
  /// `dies`: the frame whose cull it does not pass.
  struct particle {
    std::uint32_t id, dies;
  };

  /// How many culls a particle passes.
  std::uint32_t frames_alive(std::uint32_t id) const {
    const auto sixteenths = [](float v) { return static_cast<std::int64_t>(v * 16); };
    const std::int64_t at = sixteenths(particle_birth::at(id)), speed = sixteenths(particle_birth::speed(id));
    std::int64_t inside = std::numeric_limits<std::int64_t>::max();
    if (speed > 0) inside = (sixteenths(particle_world::high) - at) / speed;
    if (speed < 0) inside = (at - sixteenths(particle_world::low)) / -speed;
    const std::uint32_t life = particle_birth::life(id, source_.longest_life()) - 1;
    return inside < life ? static_cast<std::uint32_t>(inside) : life;
  }
  /// How often it has been integrated.
  std::uint32_t age_of(std::uint32_t id) const {
    const auto born = std::upper_bound(first_ids_.begin(), first_ids_.end(), id) - first_ids_.begin() - 1;
    return frame_ - static_cast<std::uint32_t>(born);
  }

  emission source_;
  std::uint32_t visible_;
  std::vector<std::uint32_t> deaths_;     // in each frame
  std::vector<std::uint32_t> first_ids_;  // of each frame
  std::vector<particle> particles_;       // those that lived when they were last looked at, and since
  std::uint32_t frame_ = 0, emitted_ = 0, dropped_ = 0, live_ = 0;
  bool was_empty_ = false, overflowed_ = false, more_than_seen_ = false;
};

}  // namespace upsweep::test
