// Compaction of one array in a single pass whose loads never wait: the ring of warps in roles of the pipelined scan
// (upsweep/scan/device/decoupled_lookback_pipelined.cuh). One warp starts bulk copies; some let the items of a tile
// that has come vote, and publish at once how many are kept; one finds how many are kept before the tile; the others
// write.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_stage.cuh"
#include "upsweep/compact/device/kept_before.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/aligned_tiles.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// `Stencil` is void for votes by the items themselves. In place is safe: a tile is published when it lies in shared
/// memory, and what is written lies before the end of the tiles that have been published; `in_place` asks for the order
/// of these accesses.
template <class Item, class Stencil, int Lookers, int Voters, int Writers, int TileItems, int Stages>
struct pipelined_compact_kernel {
  using tile_stage = compact_stage<Item, Stencil, Voters, TileItems>;
  static constexpr int tile_items = TileItems;

  // The warps of a block.
  static constexpr int loader = 0;
  static constexpr int looker = 1;
  static constexpr int first_voter = looker + Lookers;
  static constexpr int first_writer = first_voter + Voters;
  static constexpr int block_threads = warp_size * (first_writer + Writers);
  static constexpr int needs_sm = 90;  // bulk copies and phase barriers

  struct stage {
    tile_stage tile_data;
    std::int64_t before;
    std::int64_t tile;  // no_tile: there are no more
    phase_barrier loaded, voted, prefixed, free;
  };
  static constexpr std::int64_t no_tile = -1;
  struct temp_storage {
    stage stages[Stages];
  };

  template <class Ctx, class Count, class Keep>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Item* in, const Stencil* stencil, Item* out,
                                 std::int64_t in_front, Count count, const Keep& keep, const select_results& results,
                                 bool in_place, kept_counts counts, ordered_tile_id ids) const {
    const std::int64_t n = items_of(block, count);
    if (may_be_empty<Count> && n == 0) {
      if (block.block_index() == 0 && block.thread_rank() == 0) results.put(block, 0);
      return;
    }
    const aligned_tiles tiles(in_front, n, tile_items);
    if (block.thread_rank() == 0) {
      for (stage& st : s.stages) {
        block.phase_init(st.loaded, 1);
        block.phase_init(st.voted, Voters);
        block.phase_init(st.prefixed, 1);
        block.phase_init(st.free, Writers);
      }
    }
    block.barrier();  // the phase barriers are there
    const int warp = block.warp();
    if (warp == loader) {
      load(block, s, in, stencil, tiles, ids);
    } else if (warp < first_voter) {
      look_back(block, s, tiles, results, in_place, counts);
    } else if (warp < first_writer) {
      vote(block, s, tiles, keep, in_place, counts);
    } else {
      write(block, s, out, results.capacity);
    }
  }

 private:
  static constexpr int arrivals_from = 20;  // the bit of compact_stage::arrived

  /// A warp's way through the stages, round after round.
  struct ring {
    temp_storage& s;
    int index = 0;
    int parity = 0;
    bool first_round = true;

    UPSWEEP_DEVICE stage& here() const { return s.stages[index]; }
    UPSWEEP_DEVICE void next() {
      if (++index < Stages) return;
      index = 0;
      parity ^= 1;
      first_round = false;
    }
  };

  template <class Ctx>
  static UPSWEEP_DEVICE void load(Ctx& block, temp_storage& s, const Item* in, const Stencil* stencil,
                                  const aligned_tiles& tiles, ordered_tile_id ids) {
    for (ring at{s};; at.next()) {
      stage& st = at.here();
      if (!at.first_round) block.phase_wait(st.free, at.parity ^ 1);
      std::int64_t tile = 0;
      if (block.lane() == 0) tile = ids.take_alone(block);
      tile = block.shuffle(tile, 0);
      const bool more = tile < tiles.count();
      if (block.lane() == 0) {
        st.tile = more ? tile : no_tile;
        st.tile_data.arrived = 0;
      }
      const std::int64_t first = more ? tiles.first(tile) : 0;
      const int valid = more ? tiles.items(tile) : 0;
      tile_stage& to = st.tile_data;
      if (valid == tile_items) {
        if (block.lane() == 0) {
          constexpr std::uint32_t bytes = sizeof to.items, more_bytes = tile_stage::by_stencil ? sizeof to.stencil : 0;
          block.phase_arrive_expect(st.loaded, bytes + more_bytes);
          if constexpr (tile_stage::by_stencil) block.bulk_load(&to.stencil, stencil + first, more_bytes, st.loaded);
          block.bulk_load(&to.items, in + first, bytes, st.loaded);
        }
      } else {
        for (int i = block.lane(); i < valid; i += warp_size) {
          to.items[i] = in[first + i];
          if constexpr (tile_stage::by_stencil) to.stencil[i] = stencil[first + i];
        }
        block.warp_sync();
        if (block.lane() == 0) block.phase_arrive(st.loaded);
      }
      if (!more) return;
    }
  }

  template <class Ctx, class Keep>
  static UPSWEEP_DEVICE void vote(Ctx& block, temp_storage& s, const aligned_tiles& tiles, const Keep& keep,
                                  bool in_place, const kept_counts& counts) {
    const int segment = block.warp() - first_voter;
    for (ring at{s};; at.next()) {
      stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      const std::int64_t tile = st.tile;
      if (tile == no_tile) return;
      const int kept = st.tile_data.vote(block, segment, tiles.items(tile), keep);
      block.bulk_fence();  // the next tile comes by a bulk copy
      block.warp_sync();
      if (block.lane() == 0) {
        constexpr std::uint32_t one = 1u << arrivals_from;
        const std::uint32_t here = one | static_cast<std::uint32_t>(kept);
        const std::uint32_t all = here + block.atomic_add(&st.tile_data.arrived, here, block_scope);
        if (all >> arrivals_from == Voters) {
          if (in_place) block.fence();
          counts.publish(block, tile, all & (one - 1));
        }
        block.phase_arrive(st.voted);
      }
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void look_back(Ctx& block, temp_storage& s, const aligned_tiles& tiles,
                                       const select_results& results, bool in_place, const kept_counts& counts) {
    const int mine = block.warp() - looker;
    kept_before prefix;
    int turn = 0;
    for (ring at{s};; at.next()) {
      stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      const std::int64_t tile = st.tile;
      if (tile == no_tile) return;
      turn = turn + 1 < Lookers ? turn + 1 : 0;
      if (turn != mine) continue;
      const std::int64_t before = prefix.find(block, counts, tile);
      if (in_place) block.fence();
      block.phase_wait(st.voted, at.parity);
      block.warp_sync();  // all lanes have read st.tile
      if (block.lane() == 0) {
        const std::int64_t kept = st.tile_data.arrived & ((1u << arrivals_from) - 1);
        st.before = before;
        block.phase_arrive(st.prefixed);
        if (in_place) block.fence();
        counts.publish_before(block, tile, before);
        if (tile == tiles.count() - 1) results.put(block, before + kept);
      }
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void write(Ctx& block, temp_storage& s, Item* out, std::int64_t capacity) {
    for (ring at{s};; at.next()) {
      stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      if (st.tile == no_tile) return;
      block.phase_wait(st.prefixed, at.parity);
      for (int i = block.warp() - first_writer; i < Voters; i += Writers) {
        const std::int64_t to = st.before + st.tile_data.before_segment(block, i);
        const int kept = st.tile_data.kept_of_segment(i);
        const std::int64_t room = capacity - to;
        st.tile_data.write(block, i, room >= kept ? kept : room > 0 ? static_cast<int>(room) : 0, out + to);
      }
      block.warp_sync();
      if (block.lane() == 0) block.phase_arrive(st.free);
    }
  }
};

/// The shape of the kernel: tiles of about 32 KiB, as many stages as shared memory has room for.
struct pipelined_compact_shape {
  static constexpr int lookers = 1, voters = 8, writers = 8;
  static constexpr std::size_t tile_bytes = 32 * 1024, shared_bytes = 220 * 1024;
  static constexpr int most_stages = 6;

  template <class Item>
  static constexpr int tile_items = static_cast<int>(std::bit_floor(tile_bytes / sizeof(Item)));
};

/// Votes that look at one number or flag an element, which can be staged: `stencil` says where they lie, `keep` what is
/// kept.
template <class Vote>
inline constexpr bool is_staged_vote = false;
template <class T, class Predicate>
inline constexpr bool is_staged_vote<vote_if<T, Predicate>> = true;
template <class Flag>
inline constexpr bool is_staged_vote<vote_flagged<Flag>> = true;

struct is_set {
  template <class Flag>
  UPSWEEP_HOST_DEVICE bool operator()(const Flag& flag) const {
    return flag != 0;
  }
};

template <class T, class Predicate>
const T* stencil_of(const vote_if<T, Predicate>& vote) {
  return vote.in;
}
template <class Flag>
const Flag* stencil_of(const vote_flagged<Flag>& vote) {
  return vote.flags;
}
template <class T, class Predicate>
const Predicate& predicate_of(const vote_if<T, Predicate>& vote) {
  return vote.keep;
}
template <class Flag>
is_set predicate_of(const vote_flagged<Flag>&) {
  return {};
}

/// One array, in place or not, by a staged vote.
template <class Shape = pipelined_compact_shape>
class pipelined_compact {
 public:
  template <class T>
  static constexpr bool takes_items = sizeof(T) >= 4 && sizeof(T) <= 256 && Shape::template tile_items<T> % 256 == 0;

  template <class T>
  static std::size_t workspace_bytes(std::int64_t n) {
    return memory(aligned_tiles::most(n, Shape::template tile_items<T>)).bytes();
  }

  /// Nothing, when this is not for these arguments, or the device cannot run it; then nothing has happened. n > 0.
  template <class T, class Executor, class Count, class Vote>
  static std::optional<status> run(Executor& ex, workspace w, const T* in, T* out, Count count, const Vote& vote,
                                   const select_results& results) {
    if constexpr (takes_items<T> && is_staged_vote<Vote>) {
      using voted = std::remove_cvref_t<decltype(*stencil_of(vote))>;
      if constexpr (std::is_same_v<voted, T>) {
        if (stencil_of(vote) == in) return launch<T, void>(ex, w, in, nullptr, out, count, predicate_of(vote), results);
      } else if constexpr (sizeof(voted) <= sizeof(T) && std::is_trivially_copyable_v<voted>) {
        return launch<T, voted>(ex, w, in, stencil_of(vote), out, count, predicate_of(vote), results);
      }
    }
    return {};
  }

 private:
  using memory = kept_counts_memory;

  template <class T, class Stencil>
  static constexpr int stages = [] {
    using kernel = pipelined_compact_kernel<T, Stencil, Shape::lookers, Shape::voters, Shape::writers,
                                            Shape::template tile_items<T>, 1>;
    const int fit = static_cast<int>(Shape::shared_bytes / sizeof(typename kernel::stage));
    return fit < Shape::most_stages ? fit : Shape::most_stages;
  }();

  /// The first item of which all that is loaded for it lies at a multiple of 16 bytes; -1 when none does.
  template <class T, class Stencil>
  static std::int64_t items_in_front(const T* in, const Stencil* stencil) {
    if constexpr (std::is_void_v<Stencil>) {
      return aligned_tiles::items_in_front(in);
    } else {
      for (int i = 0; i < 16; ++i) {
        if (aligned_to(in + i, aligned_tiles::alignment) && aligned_to(stencil + i, aligned_tiles::alignment)) return i;
      }
      return -1;
    }
  }

  template <class T, class Stencil, class Executor, class Count, class Keep>
  static std::optional<status> launch(Executor& ex, workspace w, const T* in, const Stencil* stencil, T* out,
                                      Count count, const Keep& keep, const select_results& results) {
    constexpr int tile_items = Shape::template tile_items<T>;
    using kernel = pipelined_compact_kernel<T, Stencil, Shape::lookers, Shape::voters, Shape::writers, tile_items,
                                            stages<T, Stencil>>;
    const std::int64_t in_front = items_in_front(in, stencil);
    if (in_front < 0 || results.indices.wanted() || !kernel::tile_stage::can_write(out) ||
        !ex.template can_run<kernel, const T*, const Stencil*, T*, std::int64_t, Count, Keep, select_results, bool,
                             kept_counts, ordered_tile_id>()) {
      return {};
    }
    const std::int64_t tiles = aligned_tiles(in_front, bound_of(count), tile_items).count();
    const memory here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    return ex.launch(std::min(tiles, ex.multiprocessors()), kernel{}, in, stencil, out, in_front, count, keep, results,
                     in == out, here.counts(w), here.ticket(w));
  }
};

}  // namespace upsweep
