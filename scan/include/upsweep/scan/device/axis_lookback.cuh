// Scan along an axis in a single pass. A block has a tile in shared memory, in the order of global memory, which is
// read and written side by side there. A thread scans some rows of a column. What comes before them is published by the
// threads that have the rows before, and before those by look-back (decoupled_lookback.cuh) of each column by itself,
// where a slice has more rows than a tile; or by groups of tiles in one order. 2n items moved; O(n) work.
//
// Lanes side by side have columns side by side, then the rows after those of the first one. Since a thread has an odd
// number of rows, for items of 4 bytes and more one more than a multiple of what the banks serve at once, such lanes
// meet in no bank, or in few, whatever the number of columns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/axis_launch.cuh"
#include "upsweep/scan/device/axis_tile_io.cuh"
#include "upsweep/scan/device/axis_tiles.hpp"
#include "upsweep/scan/flow/column_groups.cuh"
#include "upsweep/scan/flow/column_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <scan_kind Kind, class T, int Threads, int GroupRows, int BlocksAtOnce, class InColumns>
struct axis_scan_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = BlocksAtOnce;
  static constexpr bool begins_early = true;
  static constexpr int tile_items = Threads * GroupRows;
  static_assert(tile_items < 1 << 15, "small_divider divides less than that");
  /// Items that a thread scans at once, and moves.
  static constexpr int batch = GroupRows < 11 ? GroupRows : 11, moved = sizeof(T) > 4    ? batch
                                                                        : GroupRows < 20 ? GroupRows
                                                                                         : 20;
  using tile_io = axis_tile_io<T, Threads, moved>;
  /// Groups of which one thread scans the sums.
  static constexpr int run_groups = 16;

  struct temp_storage {
    alignas(16) uninitialized_array<T, tile_items> items;
    uninitialized_array<T, Threads> sums;  ///< of each group of rows of each line; then of the groups of its run, too
    union {
      uninitialized_array<T, Threads> before;  ///< each run of groups of each line
      typename InColumns::temp_storage lookback;
    };
    axis_tile tile;
  };

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, axis_tiling tiling, Op op, carry<T> init,
                                 tile_states<T> states, ordered_tile_id ids) const {
    block.wait_for_previous();
    if (block.thread_rank() == 0) {
      s.tile = tiling.tile(tiling.is_chained() ? ids.take_alone(block) : block.block_index());
    }
    block.barrier();  // s.tile is written
    tile_io::load(block, s.tile, in, s.items.data());
    block.barrier();  // s.items is written
    scan_tile(block, s, tiling, op, init, states);
    block.barrier();  // s.items is scanned
    tile_io::store(block, s.tile, out, s.items.data());
  }

 private:
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE void scan_tile(Ctx& block, temp_storage& s, const axis_tiling& tiling, Op op,
                                       const carry<T>& init, const tile_states<T>& states) {
    const axis_tile& tile = s.tile;
    const bool is_backward = tiling.axis.is_backward;
    const small_divider by_columns(tile.columns);
    const int step = is_backward ? -tile.columns : tile.columns;
    // Where row `row`, in the order of the scan, of a line lies.
    const auto place_of = [&](int line, int row) {
      const int slice = by_columns.quotient(line);
      const int memory_row = is_backward ? tile.rows - 1 - row : row;
      return slice * tile.slice_pitch + (line - slice * tile.columns) + memory_row * tile.columns;
    };
    const int lines = tile.lines();
    if (tiling.groups == 1 && !tiling.is_chained()) {  // there may be more lines than threads
      for (int line = block.thread_rank(); line < lines; line += Threads) {
        scan_rows(s, place_of(line, 0), step, tile.rows, op, init);
      }
      return;
    }

    const int me = block.thread_rank();
    const int group = small_divider(lines).quotient(me), line = me - group * lines;
    const int rows_before = group * tiling.group_rows, rows_left = tile.rows - rows_before;
    const int count = rows_left < tiling.group_rows ? rows_left : tiling.group_rows;  // of the thread; may be below 0
    const int filled = (tile.rows + tiling.group_rows - 1) / tiling.group_rows;       // groups
    const int runs = (filled + run_groups - 1) / run_groups;
    if (count > 0) s.sums[me] = sum_of_rows(s, place_of(line, rows_before), step, count, op);
    block.barrier();  // s.sums is written
    if (group < runs) {
      const int end = filled < (group + 1) * run_groups ? filled : (group + 1) * run_groups;
      T sum = s.sums[group * run_groups * lines + line];
      for (int g = group * run_groups + 1; g < end; ++g) {
        sum = op(sum, s.sums[g * lines + line]);
        s.sums[g * lines + line] = sum;
      }
    }
    block.barrier();  // s.sums has those of the run
    const auto sum_of_run = [&](int run) -> const T& {
      const int end = filled < (run + 1) * run_groups ? filled : (run + 1) * run_groups;
      return s.sums[(end - 1) * lines + line];
    };
    const bool is_first = tile.chunk == 0;
    carry<T> before = init;
    T sum{};
    if (tiling.is_chained()) {
      const column_tile here{tile.chunk, tile.first_state, tiling.axis.inner, lines};
      if (me < lines) {
        sum = sum_of_run(0);
        for (int run = 1; run < runs; ++run) sum = op(sum, sum_of_run(run));
        if (is_first) {
          states.publish(block, here.first_state + line, tile_status::inclusive, init.then(sum, op));
        } else if (InColumns::publishes_sum(tile.chunk)) {
          states.publish(block, here.first_state + line, tile_status::partial, sum);
        }
      }
      if (!is_first) {
        before = {InColumns::look_back(block, s.lookback, states, here, op), true};
        if (me < lines && InColumns::publishes_prefix(tile.chunk)) {
          states.publish(block, here.first_state + line, tile_status::inclusive, op(before.value, sum));
        }
      }
    }
    if (me < lines) {
      for (int run = 0; run < runs; ++run) {
        if (before.present) s.before[run * lines + line] = before.value;
        if (run + 1 < runs) before = {before.then(sum_of_run(run), op), true};
      }
    }
    block.barrier();  // s.before is written
    if (count > 0) {
      const int run = group / run_groups;
      carry<T> rows{T{}, run > 0 || !is_first || init.present};
      if (rows.present) rows.value = s.before[run * lines + line];
      if (group % run_groups > 0) rows = {rows.then(s.sums[me - lines], op), true};
      scan_rows(s, place_of(line, rows_before), step, count, op, rows);
    }
  }

  /// The sum of `count` > 0 items, `step` apart.
  template <class Op>
  static UPSWEEP_DEVICE T sum_of_rows(const temp_storage& s, int at, int step, int count, Op op) {
    T sum = s.items[at];
    in_batches(count - 1, [&](auto is_there) {
      T item[batch];
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) {
        if (is_there(i)) item[i] = s.items[at += step];
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) {
        if (is_there(i)) sum = op(sum, item[i]);
      }
    });
    return sum;
  }

  /// Scans as many items where they are.
  template <class Op>
  static UPSWEEP_DEVICE void scan_rows(temp_storage& s, int at, int step, int count, Op op, carry<T> before) {
    in_batches(count, [&](auto is_there) {
      T item[batch];
      int from = at;
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) {
        if (!is_there(i)) continue;
        item[i] = s.items[from];
        from += step;
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) {
        if (!is_there(i)) continue;
        const T sum = before.then(item[i], op);
        s.items[at] = Kind == scan_kind::exclusive ? before.value : sum;
        before = {sum, true};
        at += step;
      }
    });
  }

  /// Calls f(is_there) for each batch of `count` items; is_there(i) says whether it has an i-th one.
  template <class F>
  static UPSWEEP_DEVICE void in_batches(int count, F f) {
    for (; count >= batch; count -= batch) f([](int) { return true; });
    if (count > 0) f([count](int i) { return i < count; });
  }
};

/// A policy of scans along an axis: blocks of Threads, each thread of which has about GroupBytes bytes of items, and
/// BlocksAtOnce of which a multiprocessor shall have registers for. Where tiles wait for one another, a thread reads
/// AtOnce states at the same time; or, with GroupTiles, tiles are combined in groups of so many, and results have the
/// same bits in every run. LinedBytes, LooseBytes and WholeBytes: of a row, see tile_axis.
template <int Threads = 192, int GroupBytes = 256, int LinedBytes = 128, int BlocksAtOnce = 4, int AtOnce = 2,
          int LooseBytes = 512, int WholeBytes = 768, int GroupTiles = 0>
struct axis_lookback {
  /// Odd, and at most 97.
  template <class T>
  static constexpr int group_rows =
      (GroupBytes < 96 * static_cast<int>(sizeof(T)) ? GroupBytes / static_cast<int>(sizeof(T)) : 96) | 1;
  /// Fewer where a block would take more than the 64 KiB of shared memory that every GPU can give it.
  template <class T>
  static constexpr int threads = [] {
    int count = Threads;
    while (count > 32 && sizeof(T) * static_cast<std::size_t>(count * (group_rows<T> + 2)) > 63 * 1024) count -= 32;
    return count;
  }();
  /// The most items of a tile.
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{threads<T>} * group_rows<T>;

  /// Of an axis of items() > 0 items.
  template <class T>
  static constexpr axis_tiling tiling(const array_axis& axis) {
    return tile_axis(axis, threads<T>, group_rows<T>, LinedBytes, LooseBytes, WholeBytes, sizeof(T));
  }
  template <class T, class In, class Out>
  static std::size_t workspace_bytes(const array_axis& axis) {
    return axis_workspace_bytes<T>(tiling<T>(axis));
  }

  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, const array_axis& axis, Op op, carry<T> init) {
    using kernel = axis_scan_kernel<Kind, T, threads<T>, group_rows<T>, BlocksAtOnce, in_columns<T>>;
    return launch_axis_tiles<kernel>(ex, w, in, out, tiling<T>(axis), op, init);
  }

 private:
  /// As many bytes of larger sums.
  template <class T>
  static constexpr int at_once = sizeof(T) <= 4 || AtOnce == 1 ? AtOnce : AtOnce / 2;
  template <class T>
  using in_columns = std::conditional_t<GroupTiles == 0, column_lookback<T, threads<T>, at_once<T>>,
                                        column_groups<T, (GroupTiles > 1 ? GroupTiles : 2)>>;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
