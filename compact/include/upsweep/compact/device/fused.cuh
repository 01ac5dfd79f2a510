// Compaction in one pass: each tile votes, publishes how many it keeps, looks back for what is kept before it
// (decoupled look-back, Merrill & Garland 2016), and moves its elements. Stable.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_tiles.cuh"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/device/pipelined_compact.cuh"
#include "upsweep/compact/device/register_compact.cuh"
#include "upsweep/compact/device/settle.cuh"
#include "upsweep/compact/device/tile_counts.cuh"
#include "upsweep/compact/device/word_columns.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The method, by tiles of Threads x Items elements. An array whose type is known goes by `Few` where that takes it,
/// and from PipelinedFrom bytes on by `Pipelined`, where that takes array and vote, and the device can run it. Few
/// elements of arrays that are words of 4 bytes go by `Few`, too; and, with Clusters, few tiles by a cluster.
template <int Threads = 256, int Items = 16, class Pipelined = pipelined_compact<>,
          std::int64_t PipelinedFrom = 1 << 20, class Few = register_compact<>, bool Clusters = true>
class fused {
 public:
  static constexpr std::int64_t tile_items = std::int64_t{Threads} * Items;

  /// Arrays that are compacted in place, but by `Few`, and those whose rejected elements shall stand behind the kept
  /// ones, go through the workspace: tiles are read again when they move, and others would have written over them.
  std::size_t workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                              rejected_order rejected = rejected_order::apart) const {
    return n <= 0 ? 0
                  : (std::max)({layout_plan(scratch_bytes(arrays, n, rejected), n).layout.bytes(),
                                Few::template workspace_bytes<word_row<8>>(n),
                                Few::template workspace_bytes<word_row<16>>(n)});
  }

  /// Moves element i of all arrays when vote(i), i < n. More than move_batch::capacity arrays take several passes, each
  /// of which votes.
  template <class Executor, class Count, class Vote>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count, Vote vote,
             const select_results& results, rejected_order rejected = rejected_order::apart) const {
    const std::int64_t n = bound_of(count);
    if (!are_valid(arrays, count, results, rejected, read_by(vote, n)) || !is_room_for(arrays, rejected, results)) {
      return status::invalid_value;
    }
    if (n == 0) return ex.launch(1, nothing_selected_kernel{}, results);
    if (w.data == nullptr || w.bytes < workspace_bytes(arrays, n, rejected)) return status::invalid_value;
    if (rejected == rejected_order::apart) {
      auto done = run_columns<8>(ex, w, arrays, count, vote, results);
      if (!done) done = run_columns<16>(ex, w, arrays, count, vote, results);
      if (done) return *done;
    }
    return run_tiles(ex, w, arrays, count, vote, results, rejected);
  }

  /// The same for one array whose type is known; `others` as soa_array::rejected.
  template <class T>
  std::size_t array_workspace_bytes(const T* in, const T* out, std::int64_t n, T* others = nullptr,
                                    rejected_order rejected = rejected_order::apart) const {
    if (n <= 0) return 0;
    std::size_t plain;
    if constexpr (fits_registers<T>) {
      plain = array_plan<T>(n, is_copied_behind(in, out, others, rejected)).layout.bytes();
    } else {
      const soa_array array{in, const_cast<T*>(out), sizeof(T), others};
      plain = workspace_bytes({&array, 1}, n, rejected);
    }
    return (std::max)({plain, Pipelined::template workspace_bytes<T>(n), Few::template workspace_bytes<T>(n)});
  }
  template <class T, class Executor, class Count, class Vote>
  status run_array(Executor& ex, workspace w, const T* in, T* out, Count count, const Vote& vote,
                   const select_results& results) const {
    const std::int64_t n = bound_of(count);
    constexpr T* none = nullptr;
    if (!can_run_array(w, in, out, none, count, vote, results, rejected_order::apart)) return status::invalid_value;
    if (n == 0) return ex.launch(1, nothing_selected_kernel{}, results);
    const bool aligned = aligned_to(in, alignof(T)) && aligned_to(out, alignof(T));
    if (aligned) {
      const auto done = Few::run(ex, w, one_array<T>{in, out}, count, vote, results);
      if (done) return *done;
    }
    if (aligned && n * static_cast<std::int64_t>(sizeof(T)) >= PipelinedFrom) {
      const auto done = Pipelined::template run<false>(ex, w, in, out, rejected_items<T>{}, count, vote, results);
      if (done) return *done;
    }
    if constexpr (fits_registers<T>) {
      return by_look_back(ex, w, array_plan<T>(n, false), array_anywhere<T>{in, out, aligned}, count, vote, results);
    } else {
      const soa_array array{in, out, sizeof(T)};
      return run_tiles(ex, w, {&array, 1}, count, vote, results, rejected_order::apart);
    }
  }
  /// Also the items that are not kept.
  template <class T, class Executor, class Count, class Vote>
  status partition_array(Executor& ex, workspace w, const T* in, T* out, T* others, Count count, const Vote& vote,
                         const select_results& results, rejected_order rejected) const {
    const std::int64_t n = bound_of(count);
    if (!can_run_array(w, in, out, others, count, vote, results, rejected)) return status::invalid_value;
    if (n == 0) return ex.launch(1, nothing_selected_kernel{}, results);
    const bool is_shared = others == nullptr && rejected != rejected_order::apart;
    const bool is_copied = is_copied_behind(in, out, others, rejected);
    const rejected_items<T> to = is_shared ? rejected_items<T>{out, true} : rejected_items<T>{others, false};
    const bool aligned = aligned_to(in, alignof(T)) && aligned_to(out, alignof(T)) && aligned_to(others, alignof(T));
    const bool at_once = aligned && to.first != nullptr && !is_copied;
    const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(T));
    if (at_once && bytes <= most_bytes_parted_in_registers) {
      const auto done = Few::run(ex, w, parted_array<T>{{in, out}, to}, count, vote, results);
      if (done) return *done;
    }
    if (at_once && bytes >= PipelinedFrom) {
      const auto done = Pipelined::template run<true>(ex, w, in, out, to, count, vote, results);
      if (done) return *done;
    }
    if constexpr (fits_registers<T>) {
      const array_plan<T> p(n, is_copied);
      T* const copied = p.layout.at(w, p.items);
      std::int64_t* const bounds = p.layout.at(w, p.bounds);
      const parted_array_anywhere<T> moved{
          {in, out, aligned}, is_copied ? rejected_items<T>{copied, true} : to, bounds};
      const status s = by_look_back(ex, w, p, moved, count, vote, results);
      if (s != status::success || !is_copied) return s;
      return ex.launch(ceil_div(n, copy_between_kernel::tile_items), copy_between_kernel{},
                       array_anywhere<T>{copied, out, aligned}, static_cast<const std::int64_t*>(bounds),
                       rejected == rejected_order::behind);
    } else {
      const soa_array array{in, out, sizeof(T), others};
      return run_tiles(ex, w, {&array, 1}, count, vote, results, rejected);
    }
  }

  /// The same for the items of iterators, none of them in place: `moved` is a moved_items. The workspace: that for no
  /// arrays.
  template <class Executor, class Count, class Vote, class Moved>
  status run_items(Executor& ex, workspace w, const Moved& moved, Count count, Vote vote,
                   const select_results& results) const {
    const std::int64_t n = bound_of(count);
    if (!are_valid({}, count, results, rejected_order::apart, read_by(vote, n), moved.uses(n, results.room(n)))) {
      return status::invalid_value;
    }
    if (n == 0) return ex.launch(1, nothing_selected_kernel{}, results);
    const layout_plan p(0, n);
    return p.layout.fits(w) ? pass(ex, w, p, moved, count, vote, results) : status::invalid_value;
  }

 private:
  /// Beyond, two launches take longer than the ring: their warps write two short runs each.
  static constexpr std::int64_t most_bytes_parted_in_registers = 2 << 20;

  /// A capacity is for kept elements: those that share their array with rejected ones have room for all.
  static bool is_room_for(std::span<const soa_array> arrays, rejected_order rejected, const select_results& results) {
    return rejected == rejected_order::apart || !results.is_limited() ||
           std::ranges::all_of(arrays, [](const soa_array& a) { return a.rejected != nullptr; });
  }

  template <class T, class Count, class Vote>
  bool can_run_array(workspace w, const T* in, T* out, T* others, const Count& count, const Vote& vote,
                     const select_results& results, rejected_order rejected) const {
    const soa_array array{in, out, sizeof(T), others};
    const std::int64_t n = bound_of(count);
    if (!are_valid({&array, 1}, count, results, rejected, read_by(vote, n)) ||
        !is_room_for({&array, 1}, rejected, results)) {
      return false;
    }
    return n == 0 || (w.data != nullptr && w.bytes >= array_workspace_bytes(in, out, n, others, rejected));
  }

  struct layout_plan : tile_counts_memory {
    workspace_layout::slot<compact_totals> totals;
    workspace_layout::slot<std::byte> scratch;

    layout_plan(std::size_t scratch_bytes, std::int64_t n) : tile_counts_memory(ceil_div(n, tile_items)) {
      totals = layout.add<compact_totals>(1);
      scratch = layout.add<std::byte>(scratch_bytes);
    }
  };
  /// Of one array of n items, whose tiles lie in registers, 64 bytes of a thread; and of as many rejected ones, where
  /// these are copied behind the kept ones.
  template <class T>
  struct array_plan : tile_counts_memory {
    static constexpr int items_a_thread = (std::max)(1, (std::min)(Items, static_cast<int>(64 / sizeof(T))));
    std::int64_t tiles;
    workspace_layout::slot<std::int64_t> bounds;
    workspace_layout::slot<T> items;

    array_plan(std::int64_t n, bool copies)
        : tile_counts_memory(ceil_div(n, Threads * items_a_thread)), tiles(ceil_div(n, Threads * items_a_thread)) {
      bounds = layout.add<std::int64_t>(2);
      items = layout.add<T>(copies ? static_cast<std::size_t>(n) : 0);
    }
  };

  /// Where what is not kept has its place is known when all tiles have voted; and in place it may be where others have
  /// yet to read.
  template <class T>
  static bool is_copied_behind(const T* in, const T* out, const T* others, rejected_order rejected) {
    return others == nullptr &&
           (rejected == rejected_order::behind || (rejected == rejected_order::backwards && in == out));
  }

  static bool uses_scratch(const soa_array& a, rejected_order rejected) {
    return a.in == a.out || (a.rejected == nullptr && rejected == rejected_order::behind);
  }
  static std::size_t scratch_bytes(const soa_array& a, std::int64_t n) {
    const std::size_t bytes = a.element_bytes * static_cast<std::size_t>(n);
    return (bytes + workspace_layout::alignment - 1) / workspace_layout::alignment * workspace_layout::alignment;
  }
  static std::size_t scratch_bytes(std::span<const soa_array> arrays, std::int64_t n, rejected_order rejected) {
    std::size_t bytes = 0;
    for (const soa_array& a : arrays) {
      if (uses_scratch(a, rejected)) bytes += scratch_bytes(a, n);
    }
    return bytes;
  }

  /// The way of an array's elements in the pass; that of those that remain in the scratch is in `settle`.
  static moved_array first_step(const soa_array& a, void* scratch, rejected_order rejected) {
    void* const kept = a.in == a.out ? scratch : a.out;
    if (a.rejected != nullptr || rejected == rejected_order::apart) {
      return in_words(a.in, kept, a.element_bytes, a.rejected);
    }
    moved_array m = in_words(a.in, kept, a.element_bytes, rejected == rejected_order::behind ? scratch : kept);
    m.rejects_backwards = true;
    return m;
  }

  /// Of all passes but the last.
  static select_results results_of_batch(const select_results& results) {
    select_results r;
    r.capacity = results.capacity;
    return r;
  }

  template <int Columns, class Executor, class Count, class Vote>
  static std::optional<status> run_columns(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count,
                                           const Vote& vote, const select_results& results) {
    const auto columns = word_columns<Columns>::of(arrays);
    return columns ? Few::run(ex, w, *columns, count, vote, results) : std::nullopt;
  }

  template <class Executor, class Count, class Vote>
  static status run_tiles(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count, const Vote& vote,
                          const select_results& results, rejected_order rejected) {
    const std::int64_t n = bound_of(count);
    const layout_plan p(scratch_bytes(arrays, n, rejected), n);

    // The last pass writes the results: where the count lies may be where it goes.
    moved_bytes moved;
    std::byte* scratch = p.layout.at(w, p.scratch);
    const auto needs_pass = [&](std::size_t a) {
      return moved.batch.size == move_batch::capacity && a + 1 < arrays.size();
    };
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      moved.batch.add(first_step(arrays[a], scratch, rejected));
      if (uses_scratch(arrays[a], rejected)) scratch += scratch_bytes(arrays[a], n);
      if (!needs_pass(a)) continue;
      const status s = pass(ex, w, p, moved, count, vote, results_of_batch(results));
      if (s != status::success) return s;
      moved.batch = {};
    }
    const status s = pass(ex, w, p, moved, count, vote, results);
    return s == status::success ? settle(ex, w, p, arrays, n, rejected) : s;
  }

  /// One array, by as many tiles as it has, in place or not.
  template <class T, class Executor, class Moved, class Count, class Vote>
  static status by_look_back(Executor& ex, workspace w, const array_plan<T>& p, const Moved& moved, Count count,
                             const Vote& vote, const select_results& results) {
    const status cleared = p.clear(ex, w);
    if (cleared != status::success) return cleared;
    const register_compact_kernel<Moved, Threads, array_plan<T>::items_a_thread,
                                  counts_by_look_back<tile_counts_in_place>>
        kernel;
    return ex.launch(p.tiles, kernel, moved, vote, count, results, p.by_look_back(w, moved.in_place()));
  }

  template <class Executor, class Count, class Vote, class Moved>
  static status pass(Executor& ex, workspace w, const layout_plan& p, const Moved& moved, Count count, Vote vote,
                     const select_results& results) {
    const std::int64_t tiles = ceil_div(bound_of(count), tile_items);
    compact_totals* const totals = p.scratch.count > 0 ? p.layout.at(w, p.totals) : nullptr;
    if (tiles == 1) {
      const compact_tiles_kernel<Threads, Items, counts_of_one_tile> kernel;
      return ex.launch(1, kernel, vote, count, moved, results, totals, counts_of_one_tile{});
    }
    if constexpr (Clusters) {
      if (tiles <= max_cluster_blocks && ex.has_clusters()) {
        const int blocks = static_cast<int>(std::bit_ceil(static_cast<unsigned>(tiles)));
        const compact_tiles_kernel<Threads, Items, counts_of_cluster> kernel;
        const status s =
            ex.launch(grid(blocks, 0, blocks), kernel, vote, count, moved, results, totals, counts_of_cluster{});
        if (s != status::not_supported) return s;
      }
    }
    const status cleared = p.clear(ex, w);
    if (cleared != status::success) return cleared;
    const auto counts = p.by_look_back(w);
    return ex.launch(tiles, compact_tiles_kernel<Threads, Items, counts_by_look_back<>>{}, vote, count, moved, results,
                     totals, counts);
  }

  template <class Executor>
  static status settle(Executor& ex, workspace w, const layout_plan& p, std::span<const soa_array> arrays,
                       std::int64_t n, rejected_order rejected) {
    settle_batch batch;
    const auto launch = [&] {
      const compact_totals* const totals = p.layout.at(w, p.totals);
      const status s = ex.launch(ceil_div(n, settle_kernel::tile_items), settle_kernel{}, batch, totals);
      batch.size = 0;
      return s;
    };
    const std::byte* scratch = p.layout.at(w, p.scratch);
    for (const soa_array& a : arrays) {
      if (!uses_scratch(a, rejected)) continue;
      const bool partitions = a.rejected == nullptr && rejected != rejected_order::apart;
      batch.array[batch.size++] = {in_words(scratch, a.out, a.element_bytes), a.in != a.out, partitions,
                                   rejected == rejected_order::behind};
      scratch += scratch_bytes(a, n);
      if (batch.size < move_batch::capacity) continue;
      const status s = launch();
      if (s != status::success) return s;
    }
    return batch.size > 0 ? launch() : status::success;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
