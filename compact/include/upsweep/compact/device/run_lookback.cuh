// Reduction of runs in a single pass: decoupled look-back (Merrill & Garland 2016) over tiles of items, whose sums are
// pairs of how many runs begin in a stretch and what has been reduced since the last of them began. A run's last key
// and its reduction are written by the tile in which the next run begins, or by the last tile. They are neighbours for
// each tile, and where they lie or what they are is gathered in shared memory first.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/non_trivial_runs.cuh"
#include "upsweep/compact/device/run_sums.cuh"
#include "upsweep/compact/device/unique_lookback.cuh"
#include "upsweep/compact/request.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segment_heads.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether heads are the second items of their runs, and the places of the first ones are written for last keys. Then
/// the first of all items need not be a head.
template <class Heads>
inline constexpr bool begins_with_second = false;
template <class Keys, class Equal>
inline constexpr bool begins_with_second<second_heads<Keys, Equal>> = true;

/// Reduces the runs of `count` items whose heads are those of `heads`.
template <class T, class Block, int Items, int BlocksAtOnce>
struct reduce_runs_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr int blocks_per_multiprocessor = BlocksAtOnce;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = block_io<T, block_threads, Items>;
  using in_tile = run_sum<T, std::uint32_t>;
  using total = run_sum<T, std::int64_t>;

  struct temp_storage {
    union {
      typename tile_io::temp_storage io;
      typename Block::template temp_storage<in_tile> scan;
      uninitialized_array<std::uint32_t, tile_items> begin;  // of the tile's runs, in the tile
      uninitialized_array<T, tile_items> ended;              // reductions of the runs that end before those
    };
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<total, 1> before;
  };

  template <class Ctx, class Heads, class In, class KeysOut, class Out, class Count, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Heads heads, In in, KeysOut keys_out, Out out,
                                 Count count, Op op, select_results results, tile_states<total> tiles,
                                 ordered_tile_id ids) const {
    const std::int64_t tile = ids.take(block, s.ticket);
    const std::int64_t n = items_of(block, count), first = tile * tile_items, left = n - first;
    if (left > tile_items) {
      reduce_tile<true, false>(block, s, heads, in, keys_out, out, tile_items, op, results, tiles, tile);
    } else if (left > 0) {
      reduce_tile<false, true>(block, s, heads, in, keys_out, out, static_cast<int>(left), op, results, tiles, tile);
    } else if (n == 0 && tile == 0 && block.thread_rank() == 0) {
      results.put(block, 0);
    }
  }

 private:
  template <bool Full, bool Last, class Ctx, class Heads, class In, class KeysOut, class Out, class Op>
  static UPSWEEP_DEVICE void reduce_tile(Ctx& block, temp_storage& s, const Heads& heads, In in, KeysOut keys_out,
                                         Out out, int valid, Op op, const select_results& results,
                                         const tile_states<total>& tiles, std::int64_t tile) {
    const std::int64_t first = tile * tile_items;
    const auto loaded = heads.template load<Full, Items>(block, first, valid);
    T item[Items];
    tile_io::template load<Full>(block, s.io, in + first, valid, item);
    const lane_mask bits = heads_of_thread<Items>(block, heads.template word<Full, Items>(block, loaded, first, valid));
    block.barrier();  // s.io has been read; s.scan may begin

    const int threads = Full ? block_threads : (valid + Items - 1) / Items;
    const int mine = Full ? Items : valid - block.thread_rank() * Items;
    const thread_segments<scan_kind::inclusive, T, Op> segments{bits, item[0], op};
    const in_tile of_thread{segments.reduce(item, mine).value, static_cast<std::uint32_t>(count_lanes(bits))};
    const auto sum = Block::scan(block, s.scan, of_thread, run_op<Op>{op}, threads);
    const int runs = static_cast<int>(sum.aggregate.heads);
    if (block.warp() == 0) {
      const total of_tile{sum.aggregate.value, sum.aggregate.heads};
      const total all = look_back_runs(block, tiles, tile, of_tile, op, s.before[0]);
      if (Last && block.lane() == 0) {
        if (all.heads <= results.capacity && (!begins_with_second<Heads> || all.heads > 0)) {
          if constexpr (!begins_with_second<Heads>) keys_out[all.heads - 1] = heads.keys[first + valid - 1];
          out[all.heads - 1] = all.value;
        }
        results.put(block, all.heads);
      }
    }
    block.barrier();  // s.before is written, s.scan has been read

    const std::int64_t runs_before = s.before[0].heads;
    const int run = block.thread_rank() == 0 ? 0 : static_cast<int>(sum.exclusive.heads);
    if (mine > 0) {
      int at = run;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if ((bits >> i & 1) != 0) s.begin[at++] = static_cast<std::uint32_t>(block.thread_rank() * Items + i);
      }
    }
    block.barrier();  // s.begin is written
    for (int i = block.thread_rank(); i < runs; i += block_threads) {
      const std::int64_t run_here = runs_before + i, from = first + s.begin[i];
      if (run_here > results.capacity) break;
      if constexpr (begins_with_second<Heads>) {
        if (run_here < results.capacity) keys_out[run_here] = from - 1;
      } else if (run_here > 0) {
        keys_out[run_here - 1] = heads.keys[from - 1];
      }
      if (results.indices.wanted() && run_here < results.capacity) {
        results.indices.put(run_here, begins_with_second<Heads> ? from - 1 : from);
      }
    }
    block.barrier();  // s.begin has been read; s.ended may begin

    if (mine > 0) {
      T so_far = item[0];  // before the first item of all nothing is
      if (block.thread_rank() == 0) {
        if (tile > 0) so_far = s.before[0].value;
      } else {
        so_far =
            sum.exclusive.heads != 0 ? sum.exclusive.value : static_cast<T>(op(s.before[0].value, sum.exclusive.value));
      }
      int at = run;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i >= mine) continue;
        if ((bits >> i & 1) != 0) {
          s.ended[at++] = so_far;
          so_far = item[i];
        } else {
          so_far = op(so_far, item[i]);
        }
      }
    }
    block.barrier();  // s.ended is written
    for (int i = block.thread_rank(); i < runs; i += block_threads) {
      const std::int64_t to = runs_before + i - 1;
      if (to >= results.capacity) break;
      if (to >= 0) out[to] = s.ended[i];
    }
  }
};

/// A policy of reductions of runs: tiles of Block::threads x Items, or as many as fit. BlocksAtOnce: for how many of
/// its blocks a multiprocessor shall have registers; 0: the compiler decides.
template <class Block, int Items, int BlocksAtOnce = 0>
struct run_lookback {
  template <class T, class Key>
  static constexpr int items =
      items_that_fit<std::conditional_t<(sizeof(Key) > sizeof(T)), Key,
                                        std::conditional_t<(sizeof(T) > sizeof(std::uint32_t)), T, std::uint32_t>>,
                     Block::threads, Items>();
  template <class T, class Key>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T, Key>;

  template <class T, class Key>
  static std::size_t workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : plan<T, Key>(n).bytes();
  }

  /// What a reduction of runs that needs so many bytes of workspace answers without a look at its items.
  template <class Executor, class Keys, class KeysOut, class In, class Out, class Count>
  static std::optional<status> answer_early(Executor& ex, workspace w, std::size_t bytes, Keys keys, KeysOut keys_out,
                                            In in, Out out, const select_results& results, const Count& count) {
    const std::int64_t n = bound_of(count), room = results.room(n);
    const std::array uses{use_of(keys, n, false), use_of(in, n, false), use_of(keys_out, room, true),
                          use_of(out, room, true)};
    return answer_at_once(ex, w, bytes, std::span<const soa_array>{}, count, results, rejected_order::apart, uses);
  }

  template <class T, class Executor, class Keys, class KeysOut, class In, class Out, class Count, class Op, class Equal>
  static status run(Executor& ex, workspace w, Keys keys, KeysOut keys_out, In in, Out out,
                    const select_results& results, Count count, Op op, Equal equal) {
    using key = typename std::iterator_traits<Keys>::value_type;
    const std::int64_t n = bound_of(count);
    const auto done = answer_early(ex, w, workspace_bytes<T, key>(n), keys, keys_out, in, out, results, count);
    return done ? *done : launch<T>(ex, w, keys, keys_out, in, out, results, count, op, equal);
  }

  /// The rest of run, in a workspace of workspace_bytes.
  template <class T, class Executor, class Keys, class KeysOut, class In, class Out, class Count, class Op, class Equal>
  static status launch(Executor& ex, workspace w, Keys keys, KeysOut keys_out, In in, Out out,
                       const select_results& results, Count count, Op op, Equal equal) {
    using key = typename std::iterator_traits<Keys>::value_type;
    return launch_heads<T, key>(ex, w, key_heads<Keys, Equal>{keys, equal, bound_of(count), nullptr}, keys_out, in, out,
                                results, count, op);
  }

  /// The places and lengths of runs of more than one item.
  template <class T, class Executor, class Keys, class Starts, class Out, class Count, class Equal>
  static status run_non_trivial(Executor& ex, workspace w, Keys keys, Starts starts, Out out,
                                const select_results& results, Count count, Equal equal) {
    using key = typename std::iterator_traits<Keys>::value_type;
    const auto done =
        answer_early(ex, w, workspace_bytes<T, key>(bound_of(count)), keys, starts, ones<T>{}, out, results, count);
    return done ? *done : launch_non_trivial<T>(ex, w, keys, starts, out, results, count, equal);
  }

  /// The rest of run_non_trivial, in a workspace of workspace_bytes.
  template <class T, class Executor, class Keys, class Starts, class Out, class Count, class Equal>
  static status launch_non_trivial(Executor& ex, workspace w, Keys keys, Starts starts, Out out,
                                   const select_results& results, Count count, Equal equal) {
    using key = typename std::iterator_traits<Keys>::value_type;
    const second_heads<Keys, Equal> heads{{keys, equal, bound_of(count), nullptr}};
    return launch_heads<T, key>(ex, w, heads, starts, counted_from_second<T, Keys, Equal>{keys, equal}, out, results,
                                count, plus{});
  }

  template <class Key>
  static std::size_t unique_workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : unique_plan<Key>(n).bytes();
  }
  template <class Executor, class In, class Out, class Count, class Equal>
  static status launch_unique(Executor& ex, workspace w, In in, Out out, const unique_results& results, Count count,
                              bool in_place, Equal equal) {
    using key = typename std::iterator_traits<In>::value_type;
    const std::int64_t n = bound_of(count);
    const unique_plan<key> p(n);
    const status s = p.clear(ex, w);
    if (s != status::success) return s;
    return ex.launch(p.tiles, unique_kernel<key>{}, key_heads<In, Equal>{in, equal, n, nullptr}, out, results, count,
                     in_place, p.states(w), p.ticket(w));
  }

 private:
  template <class T, class Key, class Executor, class Heads, class KeysOut, class In, class Out, class Count, class Op>
  static status launch_heads(Executor& ex, workspace w, const Heads& heads, KeysOut keys_out, In in, Out out,
                             const select_results& results, Count count, Op op) {
    const plan<T, Key> p(bound_of(count));
    const status s = p.clear(ex, w);
    if (s != status::success) return s;
    return ex.launch(p.tiles, reduce_runs_kernel<T, Block, items<T, Key>, BlocksAtOnce>{}, heads, in, keys_out, out,
                     count, op, results, p.states(w), p.ticket(w));
  }

  /// Keys stay in registers: at most 48 bytes of them a thread.
  template <class Key>
  using unique_kernel =
      unique_runs_kernel<Block::threads, std::clamp<int>(48 / static_cast<int>(sizeof(Key)), 1, Items)>;
  template <class Key>
  struct unique_plan : tile_workspace<tile_states<run_sum<std::int64_t, std::int64_t>>> {
    explicit unique_plan(std::int64_t n)
        : tile_workspace<tile_states<run_sum<std::int64_t, std::int64_t>>>(
              ceil_div(n, unique_kernel<Key>::tile_items)) {}
  };
  template <class T, class Key>
  struct plan : tile_workspace<tile_states<run_sum<T, std::int64_t>>> {
    explicit plan(std::int64_t n)
        : tile_workspace<tile_states<run_sum<T, std::int64_t>>>(ceil_div(n, tile_items<T, Key>)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
