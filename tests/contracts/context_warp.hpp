// What the warp collectives of the block context mean, with full and partial masks.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "contracts/context_checks.hpp"
#include "support/random_items.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::test {

/// A value of any size, different in every lane.
template <int Bytes>
struct value_of_size {
  unsigned char byte[Bytes];

  static UPSWEEP_DEVICE value_of_size of_lane(int lane) {
    value_of_size v;
    for (int i = 0; i < Bytes; ++i) v.byte[i] = static_cast<unsigned char>(lane * 7 + i * 31 + 1);
    return v;
  }
  UPSWEEP_DEVICE bool is_of_lane(int lane) const {
    for (int i = 0; i < Bytes; ++i) {
      if (byte[i] != static_cast<unsigned char>(lane * 7 + i * 31 + 1)) return false;
    }
    return true;
  }
};

/// Two warps; block b uses masks[b].
struct warp_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {
    int x[64];
  };
};

template <int Bytes>
struct shuffle_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    const int lane = block.lane();
    if ((mask >> lane & 1u) == 0) return;
    using value = value_of_size<Bytes>;
    const value mine = value::of_lane(lane);
    // Only a lane of the mask has a value to give.
    const auto gives = [&](const value& got, int source) {
      return (mask >> source & 1u) == 0 || got.is_of_lane(source);
    };
    for (int source = 0; source < 32; source += 5) check.that(gives(block.shuffle(mine, source, mask), source));
    check.that(gives(block.shuffle(mine, 37, mask), 5));
    check.that(gives(block.shuffle(mine, lane * 3 + 1, mask), (lane * 3 + 1) % 32));
    for (int d : {0, 1, 2, 7, 16, 31}) {
      check.that(gives(block.shuffle_up(mine, d, mask), lane >= d ? lane - d : lane));
      check.that(gives(block.shuffle_down(mine, d, mask), lane + d < 32 ? lane + d : lane));
      check.that(gives(block.shuffle_xor(mine, d, mask), lane ^ d));
    }
  }
};

struct vote_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    const int lane = block.lane();
    if ((mask >> lane & 1u) == 0) return;
    for (const lane_mask votes : {0u, ~0u, 0x0f0f3355u, 0x80000000u, 1u, ~1u}) {
      const bool vote = (votes >> lane & 1u) != 0;
      check.that(block.ballot(vote, mask) == (votes & mask));
      check.that(block.any(vote, mask) == ((votes & mask) != 0));
      check.that(block.all(vote, mask) == ((votes & mask) == mask));
    }
  }
};

template <class T>
struct match_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    const int lane = block.lane();
    if ((mask >> lane & 1u) == 0) return;
    for (const int classes : {1, 2, 5, 32}) {
      lane_mask same = 0;
      for (int other = lane % classes; other < 32; other += classes) same |= 1u << other;
      // Values that differ in their upper half only.
      const T value = static_cast<T>(lane % classes) * static_cast<T>(sizeof(T) == 8 ? 4294967296.0 : 65536.0);
      check.that(block.match_any(value, mask) == (same & mask));
    }
  }
};

/// Values that differ in the bits from `Bits` on are the same.
template <int Bits>
struct match_low_bits_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    const int lane = block.lane();
    if ((mask >> lane & 1u) == 0) return;
    constexpr int classes = 1 << (Bits < 5 ? Bits : 5);
    lane_mask same = 0;
    for (int other = lane % classes; other < 32; other += classes) same |= 1u << other;
    const std::uint32_t class_bits = static_cast<std::uint32_t>(lane % classes) << (Bits < 5 ? 0 : Bits - 5);
    const auto value = class_bits | static_cast<std::uint32_t>(lane) << Bits;
    check.that(block.template match_low_bits<Bits>(value, mask) == (same & mask));
  }
};

template <class T>
struct reduce_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    if ((mask >> block.lane() & 1u) == 0) return;
    T sum = 0, least = of_lane(lowest_lane(mask)), most = least, conjunction = static_cast<T>(-1), disjunction = 0,
      parity = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      const T v = of_lane(lane);
      sum += v;
      least = v < least ? v : least;
      most = most < v ? v : most;
      conjunction &= v;
      disjunction |= v;
      parity ^= v;
    }
    const T mine = of_lane(block.lane());
    check.that(block.reduce_add(mine, mask) == sum);
    check.that(block.reduce_min(mine, mask) == least);
    check.that(block.reduce_max(mine, mask) == most);
    check.that(block.reduce_and(mine, mask) == conjunction);
    check.that(block.reduce_or(mine, mask) == disjunction);
    check.that(block.reduce_xor(mine, mask) == parity);
  }

 private:
  static UPSWEEP_DEVICE T of_lane(int lane) { return static_cast<T>((lane - 11) * 1234577) | static_cast<T>(0x40); }
};

/// Lanes of a mask and the lanes outside it meet apart at the same line.
struct two_masks_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    const int lane = block.lane();
    const lane_mask mine = (mask >> lane & 1u) != 0 ? mask : ~mask;
    check.that(block.ballot(true, mine) == mine);
    check.that(block.ballot(lane % 3 == 0, mine) == (mine & 0x49249249u));
    check.that(block.shuffle(lane, lowest_lane(mine), mine) == lowest_lane(mine));
    check.that(block.reduce_add(1, mine) == count_lanes(mine));
  }
};

struct warp_sync_kernel : warp_kernel {
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, const lane_mask* masks) const {
    const kernel_checks check(block, lines);
    const lane_mask mask = masks[block.block_index()];
    const int lane = block.lane(), base = block.warp() * 32;
    if ((mask >> lane & 1u) == 0) return;
    for (int round = 1; round < 5; ++round) {
      s.x[base + lane] = round * 100 + lane;
      block.warp_sync(mask);
      for (int other = 0; other < 32; ++other) {
        if ((mask >> other & 1u) != 0) check.that(s.x[base + other] == round * 100 + other);
      }
      block.warp_sync(mask);
    }
  }
};

template <class Stream>
struct context_warp {
  using device_type = test_device<Stream>;

  template <class Kernel>
  static void with_masks(device_type& device) {
    std::vector<lane_mask> masks = {full_warp,   1u,          0x80000000u, 0x80000001u, 0x55555555u,
                                    0xaaaaaaaau, 0x0000ffffu, 0xffff0000u, 0x00ffff00u, 0x7fffffffu};
    random_source random(3);
    for (int i = 0; i < 6; ++i) masks.push_back(static_cast<lane_mask>(random()) | 1u << random.below(32));
    guarded_array<lane_mask, Stream> in(device, masks);
    expect_checks_hold(device, static_cast<std::int64_t>(masks.size()), Kernel{},
                       static_cast<const lane_mask*>(in.data()));
  }

  static void shuffles(device_type& device) {
    with_masks<shuffle_kernel<1>>(device);
    with_masks<shuffle_kernel<2>>(device);
    with_masks<shuffle_kernel<3>>(device);
    with_masks<shuffle_kernel<4>>(device);
    with_masks<shuffle_kernel<8>>(device);
    with_masks<shuffle_kernel<12>>(device);
    with_masks<shuffle_kernel<20>>(device);
  }
  static void matches(device_type& device) {
    with_masks<match_kernel<std::uint32_t>>(device);
    with_masks<match_kernel<std::int32_t>>(device);
    with_masks<match_kernel<std::uint64_t>>(device);
    with_masks<match_kernel<std::int64_t>>(device);
    with_masks<match_kernel<float>>(device);
    with_masks<match_kernel<double>>(device);
    with_masks<match_low_bits_kernel<1>>(device);
    with_masks<match_low_bits_kernel<3>>(device);
    with_masks<match_low_bits_kernel<9>>(device);
  }
  static void reductions(device_type& device) {
    with_masks<reduce_kernel<std::uint32_t>>(device);
    with_masks<reduce_kernel<std::int32_t>>(device);
  }

  static void add() {
    const std::string suite = "context_warp";
    add_test<Stream>(suite, "shuffles_move_values_of_any_size", shuffles);
    add_test<Stream>(suite, "votes_combine_the_lanes_of_the_mask", with_masks<vote_kernel>);
    add_test<Stream>(suite, "matches_find_equal_values_in_the_mask", matches);
    add_test<Stream>(suite, "reductions_combine_the_lanes_of_the_mask", reductions);
    add_test<Stream>(suite, "two_masks_meet_apart_at_one_line", with_masks<two_masks_kernel>);
    add_test<Stream>(suite, "warp_sync_shows_what_lanes_wrote_before_it", with_masks<warp_sync_kernel>);
  }
};

}  // namespace upsweep::test
