// Compaction of one array in a single pass whose loads never wait: a ring of warps in roles
// (upsweep/scan/flow/tile_ring.cuh). One warp starts bulk copies; some let the items of a tile that has arrived vote,
// and publish at once how many are kept; one finds how many are kept before the tile; the others write.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_stage.cuh"
#include "upsweep/compact/device/rejected_items.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/flow/tile_ring.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// `Stencil` is void for votes by the items themselves. In place is safe: a tile is published when it lies in shared
/// memory, and what is written lies before the end of the tiles that have been published; `in_place` asks for the order
/// of these accesses. Rejects: items that are not kept go somewhere, too.
/// Loads: as many tiles are on their way to a block at once, at most.
template <class Item, class Stencil, bool Rejects, int Voters, int Writers, int TileItems, int MostStages, int Loads>
struct pipelined_compact_kernel {
  using tile_stage = compact_stage<Item, Stencil, Rejects, Voters, TileItems>;
  static constexpr int tile_items = TileItems;

  // The warps of a block.
  static constexpr int loader = 0;
  static constexpr int looker = 1;
  static constexpr int first_voter = 2;
  static constexpr int first_writer = first_voter + Voters;
  static constexpr int block_threads = warp_size * (first_writer + Writers);
  static constexpr int needs_sm = 90;  // bulk copies and phase barriers
  static constexpr bool begins_early = true;

  struct stage : ring_stage {
    tile_stage tile_data;
    std::int64_t before;
  };
  using ring = tile_ring<stage, stages_that_fit<stage>(MostStages), Loads>;
  struct temp_storage {
    typename ring::stages stages;
    std::int64_t n;  // where it comes from device memory
  };

  template <class Ctx, class Count, class Keep>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Item* in, const Stencil* stencil, Item* out,
                                 rejected_items<Item> rejected, std::int64_t in_front, Count count, const Keep& keep,
                                 const select_results& results, bool in_place, kept_counts counts,
                                 ordered_tile_id ids) const {
    ring::init(block, s.stages, Voters, Writers);
    prefetch_tile(block, in, count);
    block.wait_for_previous();
    const std::int64_t n = items_of_block(block, s, count);
    if constexpr (may_be_empty<Count>) {
      if (n == 0) {
        // There are no items; or none was kept, the count says so already, and all tiles have been taken.
        if (block.thread_rank() == 0 && ids.take_alone(block) == 0) results.put(block, 0);
        return;
      }
    }
    const aligned_tiles tiles(in_front, n, tile_items);
    block.barrier();  // the phase barriers are there
    const int warp = block.warp();
    if (warp == loader) {
      ring::load(block, s.stages, tiles, ids, source{{}, in, stencil});
    } else if (warp == looker) {
      look_back(block, s, tiles, results, in_place, counts);
    } else if (warp < first_writer) {
      vote(block, s, tiles, keep, in_place, counts);
    } else {
      write(block, s, out, rejected, tiles, n, results.capacity);
    }
  }

 private:
  static constexpr int arrivals_from = 20;  // the bit of compact_stage::arrived

  /// Of the tile that has voted in the stage.
  static UPSWEEP_DEVICE int kept_of(const stage& st) {
    return static_cast<int>(st.tile_data.arrived & ((1u << arrivals_from) - 1));
  }
  /// Where fewer than one in so many items are kept, loads are streaming: the L2 then need not write back what lies in
  /// it from before. Where more is written, DRAM takes longer by them.
  static constexpr int one_in = 4;

  /// n, the same in all threads: another block may be writing the count where it lies.
  template <class Ctx, class Count>
  static UPSWEEP_DEVICE std::int64_t items_of_block(Ctx& block, temp_storage& s, const Count& count) {
    if constexpr (may_be_empty<Count>) {
      if (block.thread_rank() == 0) s.n = items_of(block, count);
      block.barrier();  // s.n is written
      return s.n;
    } else {
      return count;
    }
  }

  /// Asks the L2 for a tile while the launch before ends: that of the block's number, as some block will take it.
  template <class Ctx, class Count>
  static UPSWEEP_DEVICE void prefetch_tile(Ctx& block, const Item* in, const Count& count) {
    if constexpr (!may_be_empty<Count>) {
      constexpr int line_items = static_cast<int>(sizeof(Item) < 128 ? 128 / sizeof(Item) : 1);
      const std::int64_t first = block.block_index() * tile_items;
      for (int i = block.thread_rank() * line_items; i < tile_items; i += block_threads * line_items) {
        if (first + i < count) block.prefetch(in + first + i);
      }
    }
  }

  struct source : ring_source {
    static constexpr std::size_t stencil_bytes = sizeof(typename tile_stage::stencil_type);
    static constexpr int bulk_items = aligned_tiles::items_of_aligned_bytes(sizeof(Item), stencil_bytes);
    const Item* in;
    const Stencil* stencil;
    bool keeps_few = !Rejects;

    UPSWEEP_DEVICE void reuse(stage& st, bool is_first_tile) {
      if (!is_first_tile) keeps_few = !Rejects && kept_of(st) < tile_items / one_in;
      st.tile_data.arrived = 0;
    }
    UPSWEEP_DEVICE void copy(stage& st, int i, std::int64_t at) const {
      st.tile_data.items[i] = in[at];
      if constexpr (tile_stage::by_stencil) st.tile_data.stencil[i] = stencil[at];
    }
    template <class Load>
    UPSWEEP_DEVICE void bulk(stage& st, std::int64_t first, int items, Load load) const {
      if constexpr (tile_stage::by_stencil) load(&st.tile_data.stencil, stencil + first, items * stencil_bytes);
      load(&st.tile_data.items, in + first, items * sizeof(Item));
    }
    template <class Ctx>
    UPSWEEP_DEVICE void start(Ctx& block, void* to, const void* from, std::uint32_t bytes,
                              phase_barrier& loaded) const {
      if (keeps_few) {
        block.bulk_load_streaming(to, from, bytes, loaded);
      } else {
        block.bulk_load(to, from, bytes, loaded);
      }
    }
  };

  template <class Ctx, class Keep>
  static UPSWEEP_DEVICE void vote(Ctx& block, temp_storage& s, const aligned_tiles& tiles, const Keep& keep,
                                  bool in_place, const kept_counts& counts) {
    const int segment = block.warp() - first_voter;
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int) {
      const int kept = st.tile_data.vote(block, segment, tiles.items(tile), keep);
      block.bulk_fence();  // the next tile comes by a bulk copy
      block.warp_sync();
      if (block.lane() == 0) {
        constexpr std::uint32_t one = 1u << arrivals_from;
        const std::uint32_t here = one | static_cast<std::uint32_t>(kept);
        const std::uint32_t all = here + block.atomic_add(&st.tile_data.arrived, here, block_scope);
        if (all >> arrivals_from == Voters) {
          if (in_place) block.fence();
          counts.sums.publish(block, tile, tile_status::partial, all & (one - 1));
        }
        block.phase_arrive(st.summed);
      }
    });
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void look_back(Ctx& block, temp_storage& s, const aligned_tiles& tiles,
                                       const select_results& results, bool in_place, const kept_counts& counts) {
    const auto put = [&](stage& st, std::int64_t tile, const carry<std::int64_t>& before) {
      st.before = before.value;
      if (tile == tiles.count() - 1) results.put(block, before.value + kept_of(st));
    };
    ring::template look_back<kept_before>(block, s.stages, counts, plus{}, carry<std::int64_t>{0, true}, in_place, put);
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void write(Ctx& block, temp_storage& s, Item* out, const rejected_items<Item>& rejected,
                                   const aligned_tiles& tiles, std::int64_t n, std::int64_t capacity) {
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int parity) {
      block.phase_wait(st.prefixed, parity);
      for (int i = block.warp() - first_writer; i < Voters; i += Writers) {
        const std::int64_t to = st.before + st.tile_data.before_segment(block, i);
        const int kept = st.tile_data.kept_of_segment(i);
        const std::int64_t room = capacity - to;
        st.tile_data.write(block, i, room >= kept ? kept : room > 0 ? static_cast<int>(room) : 0, out + to);
        if constexpr (Rejects) {
          const int others = st.tile_data.rejected_of_segment(i, tiles.items(tile));
          const std::int64_t before = tiles.first(tile) + i * tile_stage::segment_items - to;
          Item* const first = rejected.first + (rejected.backwards ? n - 1 - before : before);
          st.tile_data.write_rejected(block, i, others, first, rejected.backwards);
        }
      }
      ring::release(block, st);
    });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
