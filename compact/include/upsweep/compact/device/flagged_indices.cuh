// The indices of the flags that are set, where no array moves with them: what is read are bytes, 16 of a thread at
// once, so that a tile is long and few instructions are spent on a flag. In one pass, by decoupled look-back (Merrill &
// Garland 2016).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/vote_words.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Flags of one byte each, any of which but 0 is set. A tile begins where an address is a multiple of 16 bytes, so the
/// first one may begin before the flags. Rows: a thread has so many words of 16 flags.
template <int Threads, int Rows>
struct flagged_indices_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int word_flags = 16;
  static constexpr int row_flags = warp_size * word_flags;
  static constexpr int tile_items = Threads * word_flags * Rows;
  static_assert(Rows <= 4 && tile_items <= 65536, "counts of rows and places in a tile have 16 bits");
  static constexpr bool begins_early = true;

  using word = vector_of<std::uint32_t, 4>;
  using tile_sums = counts_by_look_back<>;
  struct temp_storage {
    tile_sums::temp_storage counts;
    uninitialized_array<int, Threads / warp_size> kept;  // of each warp
    /// Places in the tile of the flags that are set, in order.
    uninitialized_array<std::uint16_t, tile_items> list;
  };

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const std::uint8_t* flags, int in_front, Count count,
                                 const select_results& results, const tile_sums& counts) const {
    const std::int64_t n = items_of(block, count);
    const std::int64_t last = n > 0 ? (n + in_front - 1) / tile_items : 0;
    if constexpr (may_be_empty<Count>) {
      if (block.block_index() > last) return;
    }
    block.wait_for_previous();
    const std::int64_t tile = counts.tile(block, s.counts);
    const std::int64_t first = tile * tile_items - in_front;
    const int mine = (block.warp() * Rows * warp_size + block.lane()) * word_flags;
    std::uint32_t set[Rows];
    if (first >= 0 && first + tile_items <= n) {
      UPSWEEP_UNROLL
      for (int r = 0; r < Rows; ++r)
        set[r] = bits_of(*reinterpret_cast<const word*>(flags + first + mine + r * row_flags));
    } else {
      for (int r = 0; r < Rows; ++r) set[r] = bits_of_some(flags, first + mine + r * row_flags, n);
    }

    // What the lanes up to this one have in each row, 16 bits a row.
    std::uint64_t own = 0;
    UPSWEEP_UNROLL
    for (int r = 0; r < Rows; ++r) own |= static_cast<std::uint64_t>(count_lanes(set[r])) << (16 * r);
    const std::uint64_t up_to = warp_inclusive_scan(block, own, plus{});
    const std::uint64_t of_rows = block.shuffle(up_to, warp_size - 1);
    int of_warp = 0;
    UPSWEEP_UNROLL
    for (int r = 0; r < Rows; ++r) of_warp += in_row(of_rows, r);
    if (block.lane() == 0) s.kept[block.warp()] = of_warp;
    block.barrier();  // s.kept is written
    const int of_lane = block.lane() < Threads / warp_size ? s.kept[block.lane()] : 0;
    const int kept = block.reduce_add(of_lane);
    const int before_warp = block.reduce_add(block.lane() < block.warp() ? of_lane : 0);

    const std::int64_t before = counts.before(block, s.counts, tile, kept, [&] {
      int row_begins = before_warp;
      UPSWEEP_UNROLL
      for (int r = 0; r < Rows; ++r) {
        list(s, row_begins + in_row(up_to - own, r), set[r], mine + r * row_flags);
        row_begins += in_row(of_rows, r);
      }
    });  // s.list is written

    const std::int64_t room = results.capacity - before;
    const int taken = room >= kept ? kept : room > 0 ? static_cast<int>(room) : 0;
    if (results.indices.integer_bytes == 4) {
      write(block, s, static_cast<std::uint32_t*>(results.indices.data) + before, taken, first);
    } else {
      write(block, s, static_cast<std::int64_t*>(results.indices.data) + before, taken, first);
    }
    if (tile == last && block.thread_rank() == 0 && results.num_selected.wanted()) results.put(block, before + kept);
  }

 private:
  static UPSWEEP_DEVICE int in_row(std::uint64_t counts, int r) {
    return static_cast<int>(counts >> (16 * r) & 0xffff);
  }

  /// Bit i: whether byte i is not 0.
  static UPSWEEP_DEVICE std::uint32_t bits_of(const word& w) {
    std::uint32_t bits = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < 4; ++i) bits |= bits_of_bytes(w.item[i]) << (4 * i);
    return bits;
  }
  /// The same of the 16 flags from `at` on, those of them that are there.
  static UPSWEEP_DEVICE std::uint32_t bits_of_some(const std::uint8_t* flags, std::int64_t at, std::int64_t n) {
    std::uint32_t bits = 0;
    for (int i = 0; i < word_flags; ++i) {
      if (at + i >= 0 && at + i < n && flags[at + i] != 0) bits |= 1u << i;
    }
    return bits;
  }

  static UPSWEEP_DEVICE void list(temp_storage& s, int to, std::uint32_t set, int place) {
    UPSWEEP_UNROLL
    for (int i = 0; i < word_flags; ++i) {
      if ((set >> i & 1u) != 0) s.list[to++] = static_cast<std::uint16_t>(place + i);
    }
  }

  /// Whole lines of 128 bytes are stored at once.
  template <class Ctx, class Index>
  static UPSWEEP_DEVICE void write(Ctx& block, const temp_storage& s, Index* to, int count, std::int64_t first) {
    constexpr int line = 128 / static_cast<int>(sizeof(Index));
    const auto in_line = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(Index) % line);
    for (int i = block.thread_rank() - in_line; i < count; i += Threads) {
      if (i >= 0) to[i] = static_cast<Index>(first + s.list[i]);
    }
  }
};

/// Whether votes are flags of one byte each.
template <class Vote>
inline constexpr bool votes_by_bytes = false;
template <class Flag>
inline constexpr bool votes_by_bytes<vote_flagged<Flag>> = std::is_integral_v<Flag> && sizeof(Flag) == 1;

/// The method, for more flags than a few tiles of other kernels hold.
struct flagged_indices {
  using kernel = flagged_indices_kernel<256, 4>;
  static constexpr std::int64_t least_flags = std::int64_t{1} << 19;

  static std::size_t workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : tile_workspace<tile_counts>(ceil_div(n + kernel::word_flags - 1, kernel::tile_items)).bytes();
  }

  template <class Executor, class Count, class Flag>
  static status run(Executor& ex, workspace w, const vote_flagged<Flag>& vote, Count count,
                    const select_results& results) {
    const auto* const flags = reinterpret_cast<const std::uint8_t*>(vote.flags);
    const auto in_front = static_cast<int>(reinterpret_cast<std::uintptr_t>(flags) % kernel::word_flags);
    const tile_workspace<tile_counts> here(ceil_div(bound_of(count) + in_front, kernel::tile_items));
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    return ex.launch(here.tiles, kernel{}, flags, in_front, count, results,
                     counts_by_look_back<>{here.states(w), here.ticket(w)});
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
