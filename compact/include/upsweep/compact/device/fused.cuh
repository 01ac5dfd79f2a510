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
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_tiles.cuh"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/device/pipelined_compact.cuh"
#include "upsweep/compact/device/register_compact.cuh"
#include "upsweep/compact/device/settle.cuh"
#include "upsweep/compact/device/word_columns.cuh"
#include "upsweep/compact/kernel_choice.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/few_tiles.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The method, by tiles of Threads x Items elements. An array whose type is known, and few elements of arrays that are
/// words of 4 bytes, go by the kernels that are chosen for them, within the limits of the Shape.
template <int Threads = 256, int Items = 16, class Shape = pipelined_compact_shape>
class fused {
 public:
  static constexpr std::int64_t tile_items = std::int64_t{Threads} * Items;

  /// Arrays that are compacted in place, but few elements, and those whose rejected elements shall stand behind the
  /// kept ones, go through the workspace: tiles are read again when they move, and others would have written over them.
  std::size_t workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                              rejected_order rejected = rejected_order::apart) const {
    return n <= 0 ? 0
                  : (std::max)({layout_plan(scratch_bytes(arrays, n, rejected), n).layout.bytes(),
                                bytes_for_few<word_row<8>>(n), bytes_for_few<word_row<16>>(n)});
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
      const auto columns = word_columns<8>::of(arrays);
      if (columns) return run_columns(ex, w, *columns, arrays, count, vote, results);
      const auto more = word_columns<16>::of(arrays);
      if (more) return run_columns(ex, w, *more, arrays, count, vote, results);
    }
    return run_tiles(ex, w, arrays, count, vote, results, rejected);
  }

  /// The same for one array whose type is known; `others` as soa_array::rejected.
  template <class T>
  std::size_t array_workspace_bytes(const T* in, const T* out, std::int64_t n, T* others = nullptr,
                                    rejected_order rejected = rejected_order::apart) const {
    if (n <= 0) return 0;
    const array_call call{n, address(in), address(out), address(others), 0, rejected};
    std::size_t bytes = bytes_for_few<T>(n);
    if constexpr (types_of<T>.fit_ring(limits)) bytes = (std::max)(bytes, ring::template workspace_bytes<T>(n));
    if constexpr (types_of<T>.fit_registers()) {
      return (std::max)(bytes, array_plan<T>(call).layout.bytes());
    } else {
      const soa_array array{in, const_cast<T*>(out), sizeof(T), others};
      return (std::max)(bytes, workspace_bytes({&array, 1}, n, rejected));
    }
  }
  template <class T, class Executor, class Count, class Vote>
  status run_array(Executor& ex, workspace w, const T* in, T* out, Count count, const Vote& vote,
                   const select_results& results) const {
    return run_one<false>(ex, w, in, out, static_cast<T*>(nullptr), count, vote, results, rejected_order::apart);
  }
  /// Also the items that are not kept.
  template <class T, class Executor, class Count, class Vote>
  status partition_array(Executor& ex, workspace w, const T* in, T* out, T* others, Count count, const Vote& vote,
                         const select_results& results, rejected_order rejected) const {
    return run_one<true>(ex, w, in, out, others, count, vote, results, rejected);
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
  using ring = pipelined_compact<Shape>;
  static constexpr kernel_limits limits = Shape::limits;

  template <class T>
  static std::size_t bytes_for_few(std::int64_t n) {
    return register_compact::workspace_bytes<T>(n, limits.few_bytes);
  }
  /// Of items alone, by any vote; or of a call.
  template <class T, class Vote = void, bool Rejects = false>
  static constexpr array_types types_of{sizeof(T), alignof(T), staged_votes<T, Vote>::source,
                                        staged_votes<T, Vote>::bytes, Rejects};

  /// A capacity is for kept elements: those that share their array with rejected ones have room for all.
  static bool is_room_for(std::span<const soa_array> arrays, rejected_order rejected, const select_results& results) {
    return rejected == rejected_order::apart || !results.is_limited() ||
           std::ranges::all_of(arrays, [](const soa_array& a) { return a.rejected != nullptr; });
  }

  /// Launches the kernels that are chosen, and where the device refuses them, those that are chosen without.
  template <class Executor, class Launch>
  static status run_chosen(const Executor& ex, const array_types& types, const array_call& call, Launch launch) {
    for (kernel_limits left = limits;;) {
      const array_kernels kernels = choose(types, call, left);
      const status s = launch(kernels);
      if (s != status::not_supported || !refuse(left, kernels, types, call, ex.has_clusters())) return s;
    }
  }

  template <bool Rejects, class T, class Executor, class Count, class Vote>
  status run_one(Executor& ex, workspace w, const T* in, T* out, T* others, Count count, const Vote& vote,
                 const select_results& results, rejected_order rejected) const {
    const std::int64_t n = bound_of(count);
    const soa_array array{in, out, sizeof(T), others};
    if (!are_valid({&array, 1}, count, results, rejected, read_by(vote, n)) ||
        !is_room_for({&array, 1}, rejected, results)) {
      return status::invalid_value;
    }
    if (n == 0) return ex.launch(1, nothing_selected_kernel{}, results);
    if (w.data == nullptr || w.bytes < array_workspace_bytes(in, out, n, others, rejected)) {
      return status::invalid_value;
    }
    constexpr array_types types = types_of<T, Vote, Rejects>;
    constexpr bool may_be_few = types.may_be_few(limits), may_take_ring = types.may_take_ring(limits);
    constexpr bool fit_registers = types.fit_registers();
    array_call call{n, address(in), address(out), address(others), 0, rejected, results.indices.wanted()};
    if constexpr (types.votes != vote_source::other) call.stencil = address(stencil_of(vote));
    const bool is_shared = others == nullptr && rejected != rejected_order::apart;
    const rejected_items<T> to = is_shared ? rejected_items<T>{out, true} : rejected_items<T>{others, false};
    return run_chosen(ex, types, call, [&](array_kernels kernels) {
      if constexpr (may_be_few) {
        if (is_of_few(kernels)) {
          const one_array<T> kept{in, out};
          if constexpr (Rejects) {
            return register_compact::run(kernels, ex, w, parted_array<T>{kept, to}, count, vote, results);
          } else {
            return register_compact::run(kernels, ex, w, kept, count, vote, results);
          }
        }
      }
      if constexpr (may_take_ring) {
        if (kernels == array_kernels::ring) {
          return ring::template run<Rejects>(ex, w, in, out, to, count, vote, results);
        }
      }
      if constexpr (fit_registers) {
        return run_registers<Rejects>(ex, w, in, out, to, call, count, vote, results);
      } else {
        return run_tiles(ex, w, {&array, 1}, count, vote, results, rejected);
      }
    });
  }

  /// One array, by as many tiles as it has, in place or not.
  template <bool Rejects, class T, class Executor, class Count, class Vote>
  static status run_registers(Executor& ex, workspace w, const T* in, T* out, const rejected_items<T>& to,
                              const array_call& call, Count count, const Vote& vote, const select_results& results) {
    const array_plan<T> p(call);
    const status cleared = p.clear(ex, w);
    if (cleared != status::success) return cleared;
    const bool aligned = call.is_aligned_to(alignof(T));
    const auto launch = [&](const auto& moved) {
      using moved_type = std::remove_cvref_t<decltype(moved)>;
      using counts = counts_by_look_back<tile_counts_in_place>;
      const register_compact_kernel<moved_type, Threads, array_plan<T>::items_a_thread, counts> kernel;
      return ex.launch(p.tiles, kernel, moved, vote, count, results,
                       counts{{p.states(w), call.in_place()}, p.ticket(w)});
    };
    const array_anywhere<T> kept{in, out, aligned};
    if constexpr (!Rejects) {
      return launch(kept);
    } else {
      std::int64_t* const bounds = p.layout.at(w, p.bounds);
      if (!call.copies_rejected()) return launch(parted_array_anywhere<T>{kept, to, bounds});
      T* const copied = p.layout.at(w, p.items);
      const status s = launch(parted_array_anywhere<T>{kept, {copied, true}, bounds});
      if (s != status::success) return s;
      return ex.launch(ceil_div(call.n, copy_between_kernel::tile_items), copy_between_kernel{},
                       array_anywhere<T>{copied, out, aligned}, static_cast<const std::int64_t*>(bounds),
                       call.order == rejected_order::behind);
    }
  }

  struct layout_plan : tile_workspace<tile_counts> {
    workspace_layout::slot<compact_totals> totals;
    workspace_layout::slot<std::byte> scratch;

    layout_plan(std::size_t scratch_bytes, std::int64_t n) : tile_workspace(ceil_div(n, tile_items)) {
      totals = layout.add<compact_totals>(1);
      scratch = layout.add<std::byte>(scratch_bytes);
    }
  };
  /// Of one array of n items, whose tiles lie in registers, 64 bytes of a thread; and of as many rejected ones, where
  /// these are copied behind the kept ones.
  template <class T>
  struct array_plan : tile_workspace<tile_counts> {
    static constexpr int items_a_thread = (std::max)(1, (std::min)(Items, static_cast<int>(64 / sizeof(T))));
    workspace_layout::slot<std::int64_t> bounds;
    workspace_layout::slot<T> items;

    explicit array_plan(const array_call& call) : tile_workspace(ceil_div(call.n, Threads * items_a_thread)) {
      bounds = layout.add<std::int64_t>(2);
      items = layout.add<T>(call.copies_rejected() ? static_cast<std::size_t>(call.n) : 0);
    }
  };

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
  static status run_columns(Executor& ex, workspace w, const word_columns<Columns>& columns,
                            std::span<const soa_array> arrays, Count count, const Vote& vote,
                            const select_results& results) {
    constexpr array_types types = types_of<word_row<Columns>>;
    constexpr bool may_be_few = types.may_be_few(limits);
    // As columns lie: aligned, and in place where one of them is.
    const array_call call{bound_of(count), 0, columns.in_place() ? 0 : types.item_alignment};
    return run_chosen(ex, types, call, [&](array_kernels kernels) {
      if constexpr (may_be_few) {
        if (is_of_few(kernels)) return register_compact::run(kernels, ex, w, columns, count, vote, results);
      }
      return run_tiles(ex, w, arrays, count, vote, results, rejected_order::apart);
    });
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

  template <class Executor, class Count, class Vote, class Moved>
  static status pass(Executor& ex, workspace w, const layout_plan& p, const Moved& moved, Count count, Vote vote,
                     const select_results& results) {
    const std::int64_t tiles = ceil_div(bound_of(count), tile_items);
    compact_totals* const totals = p.scratch.count > 0 ? p.layout.at(w, p.totals) : nullptr;
    if (tiles == 1) {
      const compact_tiles_kernel<Threads, Items, counts_of_one_tile> kernel;
      return ex.launch(1, kernel, vote, count, moved, results, totals, counts_of_one_tile{});
    }
    if constexpr (limits.cluster_blocks > 1) {
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
    const counts_by_look_back<> counts{p.states(w), p.ticket(w)};
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
