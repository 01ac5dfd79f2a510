// Scan along an axis of wide arrays in a single pass. A warp has a group of rows of at most 32 columns, a lane the rows
// of one column, in registers: whether rows begin at vectors does not matter, and all of a tile is on its way at once.
// Sums of groups meet in shared memory, those of tiles by look-back of each column by itself
// (flow/column_lookback.cuh). 2n items moved; O(n) work.
//
// Where rows begin anywhere in the sectors of 32 bytes of global memory, a store that has a part of one takes as long
// as several whole ones. So a strip stores the sectors that begin in it: a lane stores its item in those rows where the
// item's sector does. What of these lies in the next strip is scanned here, too: the halo, at most 7 of 32 lanes where
// items have 4 bytes. Halos are read from the input while the next strip may be written, so the output must be another
// array; in place, strips end where they end.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/axis_launch.cuh"
#include "upsweep/scan/device/axis_tiles.hpp"
#include "upsweep/scan/flow/column_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Items of It, of which a thread meets every `step`-th.
template <class It>
class item_walk {
 public:
  UPSWEEP_DEVICE item_walk(It items, std::int64_t first, std::int64_t step) : items_(items), at_(first), step_(step) {
    if constexpr (std::is_pointer_v<It>) items_ += first;
  }
  UPSWEEP_DEVICE decltype(auto) operator*() const {
    if constexpr (std::is_pointer_v<It>) {
      return *items_;
    } else {
      return items_[at_];
    }
  }
  UPSWEEP_DEVICE void next() {
    if constexpr (std::is_pointer_v<It>) {
      items_ += step_;
    } else {
      at_ += step_;
    }
  }

 private:
  It items_;
  std::int64_t at_, step_;
};

/// Items of an array `It` in a sector of 32 bytes; 1 where that is none, or no whole number of items.
template <class It>
inline constexpr int sector_items = [] {
  if constexpr (std::is_pointer_v<It>) {
    constexpr std::size_t bytes = sizeof(std::remove_pointer_t<It>);
    if constexpr (std::has_single_bit(bytes) && bytes < 32) return static_cast<int>(32 / bytes);
  }
  return 1;
}();

/// How many columns a tile's warps scan.
UPSWEEP_DEVICE int lanes_of(const axis_tiling& tiling, const axis_tile& tile) {
  const std::int64_t behind = tiling.axis.inner - tile.column - tile.columns;
  return tile.columns + (behind < tiling.halo ? static_cast<int>(behind) : tiling.halo);
}
/// The items of a lane: the first one, in the order of the scan, `step` before the next; `count` of them, maybe none.
struct strip_lane {
  std::int64_t first, step;
  int count;

  UPSWEEP_DEVICE strip_lane(const axis_tiling& tiling, const axis_tile& tile, int lane, int rows_before,
                            int most_rows) {
    const std::int64_t pitch = tiling.axis.inner;
    const bool is_backward = tiling.axis.is_backward;
    const int rows_left = lane < lanes_of(tiling, tile) ? tile.rows - rows_before : 0;
    count = rows_left < 0 ? 0 : rows_left < most_rows ? rows_left : most_rows;
    step = is_backward ? -pitch : pitch;
    first = tile.first + lane + (is_backward ? tile.rows - 1 - rows_before : rows_before) * pitch;
  }
};

/// What a lane does with up to MostRows rows of a column.
template <scan_kind Kind, class T, int MostRows>
struct column_rows {
  /// In lanes without rows, too, rather than where it is known that there are some: then all loads come before the
  /// first wait, which is a fifth of the speed.
  template <class In>
  static UPSWEEP_DEVICE void load(In in, const strip_lane& mine, T (&item)[MostRows]) {
    item_walk<In> from(in, mine.first, mine.step);
    UPSWEEP_UNROLL
    for (int i = 0; i < MostRows; ++i, from.next()) {
      if (i < mine.count) item[i] = static_cast<T>(*from);
    }
  }

  /// Scans the items, of which there are some; their sum.
  template <class Op>
  static UPSWEEP_DEVICE T scan(const strip_lane& mine, T (&item)[MostRows], Op op) {
    T sum = item[0];
    UPSWEEP_UNROLL
    for (int i = 1; i < MostRows; ++i) {
      if (i < mine.count) item[i] = sum = op(sum, item[i]);
    }
    return sum;
  }

  /// Stores them, after `before`, in the rows in which this strip has to.
  template <class Out, class Op>
  static UPSWEEP_DEVICE void store(Out out, const axis_tiling& tiling, const axis_tile& tile, int lane,
                                   const strip_lane& mine, const T (&item)[MostRows], const carry<T>& before, Op op) {
    const std::uint32_t rows = stored_rows(out, tiling, tile, lane, mine);
    item_walk<Out> to(out, mine.first, mine.step);
    UPSWEEP_UNROLL
    for (int i = 0; i < MostRows; ++i, to.next()) {
      const std::uint32_t from_row = rows >> (i % sector_items<Out>);
      if (i >= mine.count || (from_row & 1) == 0) continue;
      if constexpr (Kind == scan_kind::inclusive) {
        *to = before.then(item[i], op);
      } else {
        *to = i == 0 ? before.value : before.then(item[i > 0 ? i - 1 : 0], op);
      }
    }
  }

 private:
  /// Bit i: whether this strip has to store the lane's item in rows i, i + sector_items, ..., which begin at the same
  /// place of a sector.
  template <class Out>
  static UPSWEEP_DEVICE std::uint32_t stored_rows(Out out, const axis_tiling& tiling, const axis_tile& tile, int lane,
                                                  const strip_lane& mine) {
    constexpr int items = sector_items<Out>;
    if (tiling.halo == 0) return lane < tile.columns ? ~0u : 0;
    std::uint32_t rows = 0;
    if constexpr (items > 1) {
      const std::int64_t place =
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(*out)) + mine.first;
      // The first strip has the sectors that begin before its rows do, too.
      const int begin = tile.column == 0 ? -items : 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < items && i < MostRows; ++i) {
        const int sector = lane - static_cast<int>((place + i * mine.step) & (items - 1));  // where it begins, in lanes
        if (begin <= sector && sector < tile.columns) rows |= 1u << i;
      }
    }
    return rows;
  }
};

/// A block has a tile: each warp GroupRows rows.
template <scan_kind Kind, class T, int Threads, int GroupRows, int BlocksAtOnce, int AtOnce>
struct axis_strip_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = BlocksAtOnce;
  static constexpr bool begins_early = true;
  static constexpr int groups = Threads / warp_size;
  using rows_of_lane = column_rows<Kind, T, GroupRows>;
  using in_columns = column_lookback<T, Threads, AtOnce>;

  struct temp_storage {
    uninitialized_array<T, Threads> sums;      ///< of each group of rows of each column; then of those before, too
    uninitialized_array<T, warp_size> before;  ///< the tile, of each column
    typename in_columns::temp_storage lookback;
    axis_tile tile;
  };

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, axis_tiling tiling, Op op, carry<T> init,
                                 tile_states<T> states, ordered_tile_id ids) const {
    block.wait_for_previous();
    const int me = block.thread_rank(), lane = block.lane(), group = block.warp();
    if (me == 0) s.tile = tiling.tile(tiling.is_chained() ? ids.take_alone(block) : block.block_index());
    block.barrier();  // s.tile is written
    const axis_tile& tile = s.tile;
    const strip_lane mine(tiling, tile, lane, group * GroupRows, GroupRows);
    T item[GroupRows];
    rows_of_lane::load(in, mine, item);
    if (mine.count > 0) s.sums[me] = rows_of_lane::scan(mine, item, op);
    block.barrier();  // s.sums is written
    const bool is_first = tile.chunk == 0, has_column = me < lanes_of(tiling, tile);
    T sum{};
    if (has_column) {
      const int filled = (tile.rows + GroupRows - 1) / GroupRows;
      sum = s.sums[me];
      UPSWEEP_UNROLL
      for (int g = 1; g < groups; ++g) {
        if (g < filled) s.sums[g * warp_size + me] = sum = op(sum, s.sums[g * warp_size + me]);
      }
    }
    carry<T> before = init;
    if (tiling.is_chained()) {
      const bool publishes = me < tile.columns;
      if (publishes && is_first) {
        states.publish(block, tile.first_state + me, tile_status::inclusive, init.then(sum, op));
      } else if (publishes) {
        states.publish(block, tile.first_state + me, tile_status::partial, sum);
      }
      if (!is_first) {
        const column_tile here{tile.chunk, tile.first_state, tiling.axis.inner, lanes_of(tiling, tile)};
        before = {in_columns::look_back(block, s.lookback, states, here, op), true};
        if (publishes) states.publish(block, tile.first_state + me, tile_status::inclusive, op(before.value, sum));
      }
    }
    if (has_column && before.present) s.before[me] = before.value;
    block.barrier();  // s.before is written, and s.sums those of groups before
    if (mine.count == 0) return;
    carry<T> rows{T{}, !is_first || init.present};
    if (rows.present) rows.value = s.before[lane];
    if (group > 0) rows = {rows.then(s.sums[me - warp_size], op), true};
    rows_of_lane::store(out, tiling, tile, lane, mine, item, rows, op);
  }
};

/// A block has tiles of whole lines, as many as it has warps for: each warp up to MostRows rows.
template <scan_kind Kind, class T, int Threads, int MostRows, int BlocksAtOnce>
struct short_strips_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = BlocksAtOnce;
  static constexpr bool begins_early = true;
  static constexpr int warps = Threads / warp_size;
  using rows_of_lane = column_rows<Kind, T, MostRows>;

  struct temp_storage {
    uninitialized_array<T, Threads> sums;  ///< of each group of rows of each column
  };

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, axis_tiling tiling, Op op,
                                 carry<T> init) const {
    block.wait_for_previous();
    const int me = block.thread_rank(), lane = block.lane(), tiles = warps / tiling.groups;
    const int tile_of_block = block.warp() / tiling.groups, group = block.warp() - tile_of_block * tiling.groups;
    const std::int64_t number = block.block_index() * tiles + tile_of_block;
    const bool has_tile = tile_of_block < tiles && number < tiling.tiles;
    const axis_tile tile = tiling.tile(has_tile ? number : 0);
    strip_lane mine(tiling, tile, lane, group * tiling.group_rows, tiling.group_rows);
    if (!has_tile) mine.count = 0;
    T item[MostRows];
    rows_of_lane::load(in, mine, item);
    if (mine.count > 0) s.sums[me] = rows_of_lane::scan(mine, item, op);
    block.barrier();  // all groups have their sums
    if (mine.count == 0) return;
    carry<T> rows = init;
    for (int g = group; g > 0; --g) rows = {rows.then(s.sums[me - g * warp_size], op), true};
    rows_of_lane::store(out, tiling, tile, lane, mine, item, rows, op);
  }
};

/// A policy of scans along an axis: blocks of Threads. A thread has up to GroupBytes bytes of items in registers, or
/// ShortBytes where so much for all of its warps holds whole lines; a multiprocessor shall have registers for
/// BlocksAtOnce blocks, or ShortBlocksAtOnce. A thread reads AtOnce states of look-back at the same time.
template <int Threads = 256, int GroupBytes = 352, int BlocksAtOnce = 2, int AtOnce = 1, int ShortBytes = 128,
          int ShortBlocksAtOnce = 4>
struct axis_strips {
  /// Whether sums are of a size that suits registers.
  template <class T>
  static constexpr bool takes = sizeof(T) >= 4 && sizeof(T) <= 16;
  /// Whether they are, and most lanes have columns, of some rows.
  template <class T>
  static constexpr bool suits(const array_axis& axis) {
    if (!takes<T> || axis.length < 16) return false;
    return axis.inner >= (sizeof(T) > 4 ? 24 : 96) || 8 * axis.inner >= 7 * warp_size * tiling<T>(axis).strips;
  }

  /// Of an axis of items() > 0 items, for arrays of T that begin at sectors.
  template <class T>
  static constexpr axis_tiling tiling(const array_axis& axis) {
    return tiling_of<T>(axis, {sector_items<T*>, 0});
  }
  template <class T, class In, class Out>
  static std::size_t workspace_bytes(const array_axis& axis) {
    return axis_workspace_bytes<T>(tiling<T>(axis));
  }

  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, const array_axis& axis, Op op, carry<T> init) {
    const axis_tiling t = tiling_of<T>(axis, sectors_of(in, out));
    if (has_short_lines<T>(axis)) {
      if (t.tiles > max_tiles) return status::not_supported;
      using kernel = short_strips_kernel<Kind, T, Threads, short_rows<T>, ShortBlocksAtOnce>;
      return ex.launch(ceil_div(t.tiles, warps / t.groups), kernel{}, in, out, t, op, init);
    }
    using kernel = axis_strip_kernel<Kind, T, Threads, most_rows<T>, BlocksAtOnce, AtOnce>;
    return launch_axis_tiles<kernel>(ex, w, in, out, t, op, init);
  }

 private:
  static constexpr int warps = Threads / warp_size;
  template <class T>
  static constexpr int rows_of(int bytes) {
    return bytes > static_cast<int>(sizeof(T)) ? bytes / static_cast<int>(sizeof(T)) : 1;
  }
  template <class T>
  static constexpr int most_rows = rows_of<T>(GroupBytes);
  template <class T>
  static constexpr int short_rows = rows_of<T>(ShortBytes);
  template <class T>
  static constexpr bool has_short_lines(const array_axis& axis) {
    return axis.length <= warps * short_rows<T>;
  }

  /// How many items of the output a sector has, 1 where no strip may store others' columns; and how many of the first
  /// item's sector lie before it.
  struct sectors {
    int items, before;
  };
  template <class T>
  static constexpr axis_tiling tiling_of(const array_axis& axis, const sectors& s) {
    return tile_strips(axis, warps, has_short_lines<T>(axis) ? short_rows<T> : most_rows<T>, s.items, s.before);
  }
  /// Only arrays can be known to be two.
  template <class In, class Out>
  static sectors sectors_of(In in, Out out) {
    if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
      constexpr unsigned items = sector_items<Out>;
      if (static_cast<const volatile void*>(in) != static_cast<const volatile void*>(out)) {
        return {items, static_cast<int>(reinterpret_cast<std::uintptr_t>(out) / sizeof(*out) % items)};
      }
    }
    return {1, 0};
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
