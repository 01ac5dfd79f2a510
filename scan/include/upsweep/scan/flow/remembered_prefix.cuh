// What comes before a tile where a block stays for many tiles: decoupled look-back (Merrill & Garland 2016) by blocks
// that remember. A tile publishes its own sum alone, once. A block keeps what comes before its last tile and adds what
// the tiles since then have published. Every 32nd tile also tells what comes before it, its mark, for a block that has
// fallen far after the others. Marks are few and kept apart: stores to lines that all blocks read delay them all.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/flow/tile_pieces.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What tiles publish: their sums, tile 0 that after init; and mark k, what comes before tile 32 k.
template <class Sums, class Marks = Sums>
struct remembered_states {
  static constexpr int tiles_a_mark = warp_size;

  Sums sums;
  Marks marks;

  struct state_slots {
    typename Sums::state_slots sums;
    typename Marks::state_slots marks;
    constexpr std::size_t end_to_clear() const { return marks.end_to_clear(); }
  };
  static constexpr state_slots add_to(workspace_layout& layout, std::int64_t tiles) {
    const auto sums = Sums::add_to(layout, tiles);
    return {sums, Marks::add_to(layout, tiles / tiles_a_mark + 1)};
  }

  remembered_states(const workspace_layout& layout, workspace w, const state_slots& s)
      : sums(layout, w, s.sums), marks(layout, w, s.marks) {}

  static UPSWEEP_HOST_DEVICE constexpr bool is_marked(std::int64_t tile) {
    return tile > 0 && tile % tiles_a_mark == 0;
  }
  /// One thread tells what comes before a tile that is marked. With `in_place`, who goes on from there may write over
  /// all that the tiles before have read, as far as the caller knows that they have.
  template <class Ctx, class T>
  UPSWEEP_DEVICE void publish_mark(Ctx& block, std::int64_t tile, const T& before, bool in_place = false) const {
    if (in_place) block.fence();
    marks.publish(block, tile / tiles_a_mark, tile_status::inclusive, before);
  }
  /// The last tile after `after`, and not after `tile`, whose mark can be seen, and what it says; `after` when there is
  /// none. All lanes of one warp call. Does not wait.
  template <class Ctx, class T>
  UPSWEEP_DEVICE std::int64_t last_mark(Ctx& block, std::int64_t after, std::int64_t tile, T& before) const {
    for (std::int64_t nearest = tile / tiles_a_mark;; nearest -= warp_size) {
      const std::int64_t mine = nearest - block.lane(), marked = mine * tiles_a_mark;
      decltype(marks.read(block, mine)) r;
      if (marked > after) r = marks.read(block, mine);
      const lane_mask seen = block.ballot(r.is_there());
      if (seen != 0) {
        before = block.shuffle(r.get(), lowest_lane(seen));
        return block.shuffle(marked, lowest_lane(seen));
      }
      if (block.any(marked <= after)) return after;
    }
  }
};

/// Of a scan that combines values of type T.
template <class T>
using remembered_sums = remembered_states<typename states_of_one_sum<T>::type>;

/// What comes before the tiles of a block. One warp keeps it. The sums of T that 32 tiles each publish are combined in
/// one order only, that of the tiles: those of whole groups one after the other, and that of the tiles before a tile in
/// its own group after them, both by warp_reduce. AreCounts: of numbers of items, which have narrower words of their
/// own and can be added in any order, each is read once. Groups: how many are read at once, those between two tiles of
/// a block, which are as far apart as there are blocks.
template <class T, bool AreCounts = false, int Groups = 6>
class remembered_prefix {
 public:
  /// Finds what comes before `tile`, which lies after all those before. All lanes call. Waits for smaller tiles.
  template <class Ctx, class States, class Op>
  UPSWEEP_DEVICE void find(Ctx& block, const States& states, std::int64_t tile, Op op) {
    static_assert(States::tiles_a_mark == group_tiles);
    if (tile - next_ > Groups * group_tiles) {
      next_ = states.last_mark(block, next_, tile, kept_.value);
      kept_.present = next_ > 0;
    }
    before_ = kept_;
    for (std::int64_t first = next_; first < tile; first += Groups * group_tiles) {
      sum_type sum[Groups];
      read(block, states, first, tile, sum);
      if constexpr (AreCounts) {
        for (int g = 1; g < Groups; ++g) sum[0] += sum[g];
        before_.value += block.reduce_add(sum[0]);
        before_.present = true;
      } else {
        combine(block, sum, first, tile, op);
      }
    }
    if constexpr (AreCounts) {
      kept_ = before_;
      next_ = tile;
    }
  }

  /// What it is, for lane 0.
  template <class Init>
  UPSWEEP_DEVICE carry<T> before(std::int64_t tile, const Init& init) const {
    return tile == 0 ? carry_of<T>(init, true) : before_;
  }

 private:
  using sum_type = std::conditional_t<AreCounts, std::uint32_t, T>;
  static constexpr int group_tiles = warp_size;  // a lane for each tile

  template <class Ctx, class Op>
  UPSWEEP_DEVICE void combine(Ctx& block, T (&sum)[Groups], std::int64_t first, std::int64_t tile, Op op) {
    const auto tiles_of = [&](int group) {
      const std::int64_t left = tile - first - group * group_tiles;
      return left >= group_tiles ? group_tiles : left < 0 ? 0 : static_cast<int>(left);
    };
    UPSWEEP_UNROLL
    for (int g = 0; g < Groups; ++g) sum[g] = warp_reduce(block, sum[g], op, tiles_of(g));
    UPSWEEP_UNROLL
    for (int g = 0; g < Groups; ++g) {
      const int tiles = tiles_of(g);
      if (tiles == 0) continue;
      if (block.lane() == 0) before_.value = before_.then(sum[g], op);
      before_.present = true;
      if (tiles == group_tiles) {
        kept_ = before_;
        next_ += group_tiles;
      }
    }
  }

  /// The sums of the tiles from `first` on and before `tile`, one a lane of each group. All loads are on their way
  /// before the first is looked at.
  template <class Ctx, class States>
  static UPSWEEP_DEVICE void read(Ctx& block, const States& states, std::int64_t first, std::int64_t tile,
                                  sum_type (&sum)[Groups]) {
    constexpr int most = Groups * group_tiles;
    const int left = static_cast<int>(tile - first < most ? tile - first : most) - block.lane();
    decltype(states.sums.read(block, first)) r[Groups];
    for (;;) {
      UPSWEEP_UNROLL
      for (int g = 0; g < Groups; ++g) {
        if (g * group_tiles < left && !r[g].is_there()) {
          r[g] = states.sums.read(block, first + block.lane() + g * group_tiles);
        }
      }
      bool all = true;
      UPSWEEP_UNROLL
      for (int g = 0; g < Groups; ++g) all &= r[g].is_there() || g * group_tiles >= left;
      if (block.all(all)) break;
      block.back_off();
    }
    UPSWEEP_UNROLL
    for (int g = 0; g < Groups; ++g) sum[g] = g * group_tiles < left ? r[g].get() : sum_type{};
  }

  std::int64_t next_ = 0;  // the first tile that is not in kept_: of sums, the first of a group
  carry<T> kept_{};        // what comes before it; of sums, the values here and below are those of lane 0
  carry<T> before_{};
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
