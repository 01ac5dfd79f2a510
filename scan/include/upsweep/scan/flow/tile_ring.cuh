// Tiles that pass through stages of shared memory while the warps of a block work on them in roles: one loads, one
// looks back, some sum up, the others write. A block stays for many tiles, so that loads never wait. A kernel adds what
// a stage holds, where it comes from, and what each role does with it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a stage has beside its items. The phases of a tile: its items have arrived; its sum is published; what comes
/// before it is known; all that lies in the stage has been read.
struct ring_stage {
  static constexpr std::int64_t no_tile = -1;
  std::int64_t tile;  // no_tile: there are no more
  phase_barrier loaded, summed, prefixed, free;
};

/// As many stages as the shared memory of a multiprocessor holds, but not more than `most`.
template <class Stage>
constexpr int stages_that_fit(int most) {
  constexpr int fit = static_cast<int>(220 * 1024 / sizeof(Stage));
  return fit < most ? fit : most;
}

/// Where the tiles of a ring come from. All but a few items of a tile come by bulk copies. Others have
///   bulk_items                        a bulk copy moves a multiple of it; at most 32
///   copy(stage, i, at)                stores item `at` of the arrays as item i of the stage
///   bulk(stage, first, items, load)   calls load(to, from, bytes) for each array: `items` items from `first` on
/// and may have these of their own.
struct ring_source {
  /// Lane 0 calls it before a tile is copied to the stage.
  template <class Stage>
  UPSWEEP_DEVICE void reuse(Stage&, bool /*is_first_tile*/) {}
  /// Lane 0 calls, before the bulk copies of the items from `first` on.
  template <class Stage>
  UPSWEEP_DEVICE void before_bulk(Stage&, std::int64_t /*first*/) const {}
  template <class Ctx>
  UPSWEEP_DEVICE void start(Ctx& block, void* to, const void* from, std::uint32_t bytes, phase_barrier& loaded) const {
    block.bulk_load(to, from, bytes, loaded);
  }
};

/// Stage is a ring_stage. At most Loads tiles are on their way to a block at a time.
template <class Stage, int Stages, int Loads = Stages>
class tile_ring {
 public:
  using stages = Stage[Stages];

  /// All threads call, and then meet at a barrier. `summers` and `writers`: how many arrive at `summed` and at `free`.
  template <class Ctx>
  static UPSWEEP_DEVICE void init(Ctx& block, stages& s, int summers, int writers) {
    static_assert(Stages <= Ctx::threads);
    if (block.thread_rank() >= Stages) return;
    Stage& st = s[block.thread_rank()];
    block.phase_init(st.loaded, 1);
    block.phase_init(st.summed, summers);
    block.phase_init(st.prefixed, 1);
    block.phase_init(st.free, writers);
  }

  /// The loading warp: a ticket a stage, until there are no more tiles.
  template <class Ctx, class Tiles, class Source>
  static UPSWEEP_DEVICE void load(Ctx& block, stages& s, const Tiles& tiles, ordered_tile_id ids, Source source) {
    position loading{s};
    int started = 0;
    for (position at{s};; at.next()) {
      Stage& st = at.here();
      if (!at.first_round) block.phase_wait(st.free, at.parity ^ 1);
      if (block.lane() == 0) source.reuse(st, at.first_round);
      if (started < Loads) {
        ++started;
      } else if (Loads < Stages) {
        block.phase_wait(loading.here().loaded, loading.parity);
        loading.next();
      }
      std::int64_t tile = 0;
      if (block.lane() == 0) tile = ids.take_alone(block);
      tile = block.shuffle(tile, 0);
      const bool more = tile < tiles.count();
      if (block.lane() == 0) st.tile = more ? tile : ring_stage::no_tile;
      const std::int64_t first = more ? tiles.first(tile) : 0;
      const int valid = more ? tiles.items(tile) : 0;
      const int by_bulk = valid / Source::bulk_items * Source::bulk_items, i = by_bulk + block.lane();
      if (i < valid) {
        source.copy(st, i, first + i);
        block.bulk_fence();  // later tiles of this stage come over it by bulk copies
      }
      block.warp_sync();
      if (block.lane() == 0) {
        std::uint32_t all = 0;
        source.before_bulk(st, first);
        source.bulk(st, first, by_bulk,
                    [&](void*, const void*, std::size_t bytes) { all += static_cast<std::uint32_t>(bytes); });
        block.phase_arrive_expect(st.loaded, all);
        source.bulk(st, first, by_bulk, [&](void* to, const void* from, std::size_t bytes) {
          if (bytes > 0) source.start(block, to, from, static_cast<std::uint32_t>(bytes), st.loaded);
        });
      }
      if (!more) return;
    }
  }

  /// Any other warp: body(stage, tile, parity) for each tile, when its items have arrived. `parity` is that of the
  /// round, as phase_wait takes it.
  template <class Ctx, class Body>
  static UPSWEEP_DEVICE void each(Ctx& block, stages& s, Body body) {
    for (position at{s};; at.next()) {
      Stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      const std::int64_t tile = st.tile;
      if (tile == ring_stage::no_tile) return;
      body(st, tile, at.parity);
    }
  }

  /// The looking warp: put(stage, tile, before), by lane 0, for each tile when it is known what comes before it, by a
  /// remembered_prefix of `states`; after `init`. Sums are asked for when most of them are there: those who ask in
  /// vain keep the others waiting. In place, what comes of `before` may be written over what the tiles before have
  /// read.
  template <class Prefix, class Ctx, class States, class Op, class Init, class Put>
  static UPSWEEP_DEVICE void look_back(Ctx& block, stages& s, const States& states, Op op, const Init& init,
                                       bool in_place, Put put) {
    Prefix prefix;
    each(block, s, [&](Stage& st, std::int64_t tile, int parity) {
      block.phase_wait(st.summed, parity);
      prefix.find(block, states, tile, op);
      if (in_place) block.fence();
      block.warp_sync();  // all lanes have read st.tile
      if (block.lane() != 0) return;
      const auto before = prefix.before(tile, init);
      put(st, tile, before);
      block.phase_arrive(st.prefixed);
      if (states.is_marked(tile)) states.publish_mark(block, tile, before.value, in_place);
    });
  }

  /// A writing warp has read all that it will of the stage.
  template <class Ctx>
  static UPSWEEP_DEVICE void release(Ctx& block, Stage& st) {
    block.warp_sync();
    if (block.lane() == 0) block.phase_arrive(st.free);
  }

 private:
  /// A warp's way through the stages, round after round.
  struct position {
    stages& s;
    int index = 0;
    int parity = 0;
    bool first_round = true;

    UPSWEEP_DEVICE Stage& here() const { return s[index]; }
    UPSWEEP_DEVICE void next() {
      if (++index < Stages) return;
      index = 0;
      parity ^= 1;
      first_round = false;
    }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
