// Compaction in one pass: each tile votes, tells how many it keeps, learns how many are kept before it, by decoupled
// look-back (Merrill & Garland 2016) where there are many tiles, and moves its elements. Stable. Which kernels do so
// for one array, kernel_choice.hpp says; for others, fused::run and fused::pass.
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
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_tiles.cuh"
#include "upsweep/compact/device/copy_back.cuh"
#include "upsweep/compact/device/flagged_indices.cuh"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/device/pipelined_compact.cuh"
#include "upsweep/compact/device/register_compact.cuh"
#include "upsweep/compact/device/word_columns.cuh"
#include "upsweep/compact/kernel_choice.hpp"
#include "upsweep/compact/request.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/few_tiles.cuh"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The order of a selection, which needs no kernels for rejected items.
using no_rejected = std::integral_constant<rejected_order, rejected_order::apart>;

/// The method, by tiles of Threads x Items elements. An array whose type is known, and few elements of arrays that are
/// words of 4 bytes, go by the kernels that are chosen for them, within the limits of the Shape. Few other elements go
/// by tiles of Threads x FewItems, as larger ones would leave most of a GPU idle.
template <int Threads = 256, int Items = 16, class Shape = pipelined_compact_shape, int FewItems = Items>
class fused {
 public:
  static constexpr std::int64_t tile_items = std::int64_t{Threads} * Items;

  /// Arrays that are compacted in place, but few elements, and those whose rejected elements shall come after the
  /// kept ones, go through the workspace: tiles are read again when they move, and others would have written over them.
  std::size_t workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                              rejected_order rejected = rejected_order::apart) const {
    return n <= 0 ? 0
                  : (std::max)({tiles_plan(scratch_bytes(arrays, n, rejected), n).layout.bytes(),
                                flagged_indices::workspace_bytes(n), bytes_for_few<word_row<8>>(n),
                                bytes_for_few<word_row<16>>(n)});
  }

  /// Moves element i of all arrays when vote(i), i < n. More arrays than a batch has room for take several passes, each
  /// of which votes.
  template <class Executor, class Count, class Vote>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count, Vote vote,
             const select_results& results, rejected_order rejected = rejected_order::apart) const {
    const std::int64_t n = bound_of(count);
    const std::size_t bytes = workspace_bytes(arrays, n, rejected);
    if (!is_room_for(arrays, rejected, results)) return status::invalid_value;
    const auto answer = answer_at_once(ex, w, bytes, arrays, count, results, rejected, read_by(vote, n));
    if (answer) return *answer;
    if constexpr (votes_by_bytes<Vote>) {
      if (arrays.empty() && results.indices.wanted() && n >= flagged_indices::least_flags) {
        return flagged_indices::run(ex, w, vote, count, results);
      }
    }
    // Nothing where these are not columns, or not few.
    const auto by_columns = [&]<int Columns>(const std::optional<word_columns<Columns>>& columns) {
      constexpr array_types types = types_of<word_row<Columns>>;
      std::optional<status> s;
      if constexpr (types.may_be_few(limits)) {
        if (!columns || rejected != rejected_order::apart) return s;
        // As columns lie: aligned, and in place where one of them is.
        chosen_kernels chosen(types, {n, 0, columns->in_place() ? 0 : types.item_alignment}, limits);
        do {
          if (!is_of_few(chosen.kernels)) return std::optional<status>();
          s = register_compact::run(chosen.kernels, ex, w, *columns, count, vote, results);
        } while (*s == status::not_supported && chosen.take_others(ex.has_clusters()));
      }
      return s;
    };
    if (const auto s = by_columns(word_columns<8>::of(arrays))) return *s;
    if (const auto s = by_columns(word_columns<16>::of(arrays))) return *s;
    return run_tiles(ex, w, arrays, count, vote, results, rejected);
  }

  /// The same for one array whose type is known; `others` as soa_array::rejected.
  template <class T>
  std::size_t array_workspace_bytes(const T* in, const T* out, std::int64_t n, T* others = nullptr,
                                    rejected_order rejected = rejected_order::apart) const {
    if (n <= 0) return 0;
    std::size_t bytes = bytes_for_few<T>(n);
    if constexpr (types_of<T>.fit_ring(limits)) bytes = (std::max)(bytes, ring::template workspace_bytes<T>(n));
    if constexpr (types_of<T>.fit_registers()) {
      const array_call call{n, address(in), address(out), address(others), 0, rejected};
      return (std::max)({bytes, array_plan<T>(call).layout.bytes(), tiles_plan(0, n).layout.bytes()});
    } else {
      const soa_array array{in, const_cast<T*>(out), sizeof(T), others};
      return (std::max)(bytes, workspace_bytes({&array, 1}, n, rejected));
    }
  }
  /// A partition, unless the Order is no_rejected.
  template <class T, class Executor, class Count, class Vote, class Order = no_rejected>
  status run_array(Executor& ex, workspace w, const T* in, T* out, Count count, const Vote& vote,
                   const select_results& results, std::type_identity_t<T>* others = nullptr,
                   Order rejected = {}) const {
    constexpr bool rejects = !std::is_same_v<Order, no_rejected>;
    constexpr array_types types = types_of<T, Vote, rejects>;
    const std::int64_t n = bound_of(count);
    const soa_array array{in, out, sizeof(T), others};
    const std::size_t bytes = array_workspace_bytes(in, out, n, others, rejected);
    if (!is_room_for({&array, 1}, rejected, results)) return status::invalid_value;
    const auto answer = answer_at_once(ex, w, bytes, {&array, 1}, count, results, rejected, read_by(vote, n));
    if (answer) return *answer;

    array_call call{n, address(in), address(out), address(others), 0, rejected, results.indices.wanted()};
    if constexpr (types.votes != vote_source::other) call.stencil = address(staged_vote<Vote>::stencil(vote));
    const bool is_shared = others == nullptr && rejected != rejected_order::apart;
    const rejected_items<T> to{is_shared ? out : others, is_shared};
    chosen_kernels chosen(types, call, limits);
    status s = status::not_supported;
    do {
      if (is_of_few(chosen.kernels)) {
        if constexpr (types.may_be_few(limits)) {
          const one_array<T> kept{in, out};
          const auto run = [&](const auto& moved) {
            return register_compact::run(chosen.kernels, ex, w, moved, count, vote, results);
          };
          if constexpr (rejects) s = run(parted<one_array<T>>{kept, to, nullptr});
          if constexpr (!rejects) s = run(kept);
        }
      } else if (chosen.kernels == array_kernels::ring) {
        if constexpr (types.may_take_ring(limits)) {
          s = ring::template run<rejects>(ex, w, in, out, to, count, vote, results);
        }
      } else if (types.may_go_by_lists() && chosen.kernels == array_kernels::tiles) {
        if constexpr (types.may_go_by_lists()) {
          const moved_bytes moved({1, {in_words(in, out, sizeof(T))}});
          s = launch_tiles<Items>(ex, w, tiles_plan(0, n), moved, count, vote, results);
        }
      } else if constexpr (types.fit_registers()) {
        s = run_registers<rejects>(ex, w, in, out, to, call, count, vote, results);
      } else {
        s = run_tiles(ex, w, {&array, 1}, count, vote, results, rejected);
      }
    } while (s == status::not_supported && chosen.take_others(ex.has_clusters()));
    return s;
  }

  /// The same for the items of iterators, none of them in place: `moved` is a moved_items. The workspace: that for no
  /// arrays.
  template <class Executor, class Count, class Vote, class Moved>
  status run_items(Executor& ex, workspace w, const Moved& moved, Count count, Vote vote,
                   const select_results& results) const {
    const std::int64_t n = bound_of(count);
    const tiles_plan p(0, n);
    const auto answer = answer_at_once(ex, w, p.layout.bytes(), {}, count, results, rejected_order::apart,
                                       read_by(vote, n), moved.uses(n, results.room(n)));
    return answer ? *answer : pass<Items>(ex, w, p, moved, count, vote, results);
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

  /// Of one array of n items, whose tiles lie in registers, 64 bytes of a thread; and of as many rejected ones, where
  /// these are copied after the kept ones.
  template <class T>
  struct array_plan : tile_workspace<tile_counts> {
    static constexpr int items_a_thread = (std::max)(1, (std::min)(Items, static_cast<int>(64 / sizeof(T))));
    workspace_layout::slot<compact_totals> totals;
    workspace_layout::slot<T> items;

    explicit array_plan(const array_call& call) : tile_workspace(ceil_div(call.n, Threads * items_a_thread)) {
      totals = layout.add<compact_totals>(1);
      items = layout.add<T>(call.copies_rejected() ? static_cast<std::size_t>(call.n) : 0);
    }
  };

  /// One array, by as many tiles as it has, in place or not.
  template <bool Rejects, class T, class Executor, class Count, class Vote>
  static status run_registers(Executor& ex, workspace w, const T* in, T* out, rejected_items<T> to,
                              const array_call& call, Count count, const Vote& vote, const select_results& results) {
    const array_plan<T> p(call);
    const status cleared = p.clear(ex, w);
    if (cleared != status::success) return cleared;
    const array_anywhere<T> kept{in, out, call.is_aligned_to(alignof(T))};
    const auto launch = [&](const auto& moved) {
      using moved_type = std::remove_cvref_t<decltype(moved)>;
      using counts = counts_by_look_back<tile_counts_in_place>;
      const register_compact_kernel<moved_type, Threads, array_plan<T>::items_a_thread, counts> kernel;
      return ex.launch(p.tiles, kernel, moved, vote, count, results,
                       counts{{p.states(w), call.in_place()}, p.ticket(w)});
    };
    if constexpr (!Rejects) {
      return launch(kept);
    } else {
      T* const copied = p.layout.at(w, p.items);
      if (call.copies_rejected()) to = {copied, true};
      compact_totals* const totals = p.layout.at(w, p.totals);
      const status s = launch(parted<array_anywhere<T>>{kept, to, totals});
      if (s != status::success || !call.copies_rejected()) return s;
      const copy_batch back{1, {{in_words(copied, out, sizeof(T)), true, true, call.order == rejected_order::after}}};
      const copy_back_kernel<sizeof(T)> kernel;
      return ex.launch(ceil_div(call.n, kernel.tile_items), kernel, back, static_cast<const compact_totals*>(totals));
    }
  }

  /// The most elements that go by small tiles.
  static constexpr std::int64_t most_few = std::int64_t{1} << 18;
  /// What one block of the usual size does alone, without a look-back, it keeps, unless the elements are wide.
  static bool are_few(std::span<const soa_array> arrays, std::int64_t n) {
    constexpr std::size_t wide = 16;  // bytes, of all arrays
    if (n > tile_items) return n <= most_few;
    std::size_t bytes = 0;
    for (const soa_array& a : arrays) bytes += a.element_bytes;
    return n > Threads * FewItems && bytes >= wide;
  }

  /// Of n elements, by tiles of either size.
  struct tiles_plan : tile_workspace<tile_counts> {
    workspace_layout::slot<compact_totals> totals;
    workspace_layout::slot<std::byte> scratch;

    tiles_plan(std::size_t scratch_bytes, std::int64_t n)
        : tile_workspace((std::max)(ceil_div(n, tile_items), ceil_div((std::min)(n, most_few), Threads * FewItems))) {
      totals = layout.add<compact_totals>(1);
      scratch = layout.add<std::byte>(scratch_bytes);
    }
    /// Null where nothing is copied after the pass.
    compact_totals* totals_in(workspace w) const { return scratch.count > 0 ? layout.at(w, totals) : nullptr; }
  };

  static bool uses_scratch(const soa_array& a, rejected_order rejected) {
    return a.in == a.out || (a.rejected == nullptr && rejected == rejected_order::after);
  }
  /// Of an array that uses it.
  static std::size_t scratch_bytes(const soa_array& a, std::int64_t n) {
    const std::size_t bytes = a.element_bytes * static_cast<std::size_t>(n);
    return (bytes + workspace_layout::alignment - 1) / workspace_layout::alignment * workspace_layout::alignment;
  }
  static std::size_t scratch_bytes(std::span<const soa_array> arrays, std::int64_t n, rejected_order rejected) {
    std::size_t bytes = 0;
    for (const soa_array& a : arrays) bytes += uses_scratch(a, rejected) ? scratch_bytes(a, n) : 0;
    return bytes;
  }

  template <class Executor, class Count, class Vote>
  static status run_tiles(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count, const Vote& vote,
                          const select_results& results, rejected_order rejected) {
    const std::int64_t n = bound_of(count);
    const tiles_plan p(scratch_bytes(arrays, n, rejected), n);
    const bool by_small_tiles = FewItems != Items && are_few(arrays, n);
    select_results of_batch;  // of all passes but the last: where the count goes may be where it lies
    of_batch.capacity = results.capacity;

    std::byte* scratch = p.layout.at(w, p.scratch);
    const auto to_move = [&](const soa_array& a) {
      void* const here = scratch;
      if (uses_scratch(a, rejected)) scratch += scratch_bytes(a, n);
      void* const kept = a.in == a.out ? here : a.out;
      const bool is_shared = a.rejected == nullptr && rejected != rejected_order::apart;
      void* const others = !is_shared ? a.rejected : rejected == rejected_order::after ? here : kept;
      moved_array m = in_words(a.in, kept, a.element_bytes, others);
      m.rejects_backwards = is_shared;
      return m;
    };
    const status s = in_batches<moved_array>(arrays, to_move, [&](const move_batch& batch, bool is_last) {
      const moved_bytes moved(batch);
      const select_results& told = is_last ? results : of_batch;
      return by_small_tiles ? pass<FewItems>(ex, w, p, moved, count, vote, told)
                            : pass<Items>(ex, w, p, moved, count, vote, told);
    });
    if (s != status::success || p.scratch.count == 0) return s;

    scratch = p.layout.at(w, p.scratch);
    const auto to_copy = [&](const soa_array& a) -> std::optional<copied_array> {
      if (!uses_scratch(a, rejected)) return {};
      const bool is_shared = a.rejected == nullptr && rejected != rejected_order::apart;
      const element_array words = in_words(scratch, a.out, a.element_bytes);
      scratch += scratch_bytes(a, n);
      return copied_array{words, a.in != a.out, is_shared, rejected == rejected_order::after};
    };
    return in_batches<copied_array>(arrays, to_copy, [&](const copy_batch& batch, bool) {
      const compact_totals* const totals = p.layout.at(w, p.totals);
      const copy_back_kernel<> kernel;
      return batch.size == 0 ? status::success : ex.launch(ceil_div(n, kernel.tile_items), kernel, batch, totals);
    });
  }

  /// One pass, by tiles that look back.
  template <int TileItems, class Executor, class Count, class Vote, class Moved>
  static status launch_tiles(Executor& ex, workspace w, const tiles_plan& p, const Moved& moved, Count count,
                             const Vote& vote, const select_results& results) {
    const status cleared = p.clear(ex, w);
    if (cleared != status::success) return cleared;
    const compact_tiles_kernel<Threads, TileItems, counts_by_look_back<>> kernel;
    return ex.launch(ceil_div(bound_of(count), Threads * TileItems), kernel, vote, count, moved, results,
                     p.totals_in(w), counts_by_look_back<>{p.states(w), p.ticket(w)});
  }

  template <int TileItems, class Executor, class Count, class Vote, class Moved>
  static status pass(Executor& ex, workspace w, const tiles_plan& p, const Moved& moved, Count count, const Vote& vote,
                     const select_results& results) {
    const std::int64_t tiles = ceil_div(bound_of(count), Threads * TileItems);
    const auto launch = [&](const grid& blocks, const auto& counts) {
      const compact_tiles_kernel<Threads, TileItems, std::remove_cvref_t<decltype(counts)>> kernel;
      return ex.launch(blocks, kernel, vote, count, moved, results, p.totals_in(w), counts);
    };
    if (tiles == 1) return launch(1, counts_of_one_tile{});
    if constexpr (limits.cluster_blocks > 1) {
      if (tiles <= max_cluster_blocks && ex.has_clusters()) {
        const int blocks = static_cast<int>(std::bit_ceil(static_cast<unsigned>(tiles)));
        const status s = launch(grid(blocks, 0, blocks), counts_of_cluster{});
        if (s != status::not_supported) return s;
      }
    }
    return launch_tiles<TileItems>(ex, w, p, moved, count, vote, results);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
