// Reductions of many runs by the ring of run_ring.cuh, of others by look-back in blocks of one tile each.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/run_lookback.cuh"
#include "upsweep/compact/device/run_ring.cuh"
#include "upsweep/compact/device/run_sums.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether the ring asks such an equality: of one that can branch by what it holds, for all items alike, ptxas gives up
/// where many are asked at once (CUDA 13.0). Without members it cannot, and others say so by a member type branch_free.
template <class Equal>
inline constexpr bool may_be_asked_at_once = std::is_empty_v<Equal> || requires {
  typename Equal::branch_free;
};

/// A policy of reductions of runs. Arrays that bulk copies can move go through a ring, in tiles of Reducers warps x
/// Words words of 4 bytes of the largest of key, value and sum for each lane, for lengths LengthWords: arrays begin at
/// multiples of 16 bytes; keys of n items have `FromBytes` or more; keys, values and sums have 1, 2, 4 or 8 bytes;
/// where runs begin is asked for with lengths alone; the equality has no members; and the GPU is Hopper or later.
/// Plain, a run_lookback, does the rest.
template <class Plain, int Reducers, int Writers, int Words, int LengthWords, std::int64_t FromBytes,
          int MostStages = 6>
struct pipelined_runs {
  /// Of a lane: no more than a mask has bits.
  template <std::size_t Bytes, bool AreLengths>
  static constexpr int items = std::clamp<int>(4 * (AreLengths ? LengthWords : Words) / static_cast<int>(Bytes), 1, 32);
  /// The largest of the tiles.
  template <class T, class Key>
  static constexpr std::int64_t tile_items = (std::max)(Plain::template tile_items<T, Key>,
                                                        std::int64_t{Reducers} * warp_size *
                                                            (std::max)(items<4, true>, items<4, false>));

  template <class T, class Key>
  static std::size_t workspace_bytes(std::int64_t n) {
    if (n <= 0) return 0;
    const std::size_t of_plain = Plain::template workspace_bytes<T, Key>(n);
    // Lanes have the fewest items where these have 8 bytes.
    constexpr int fewest = (std::min)(items<8, true>, items<8, false>);
    return (std::max)(of_plain, ring_workspace<T>(ceil_div(n, Reducers * warp_size * fewest)).bytes());
  }

  /// As run_lookback.
  template <class T, class Executor, class Keys, class KeysOut, class In, class Out, class Count, class Op, class Equal>
  static status run(Executor& ex, workspace w, Keys keys, KeysOut keys_out, In in, Out out,
                    const select_results& results, Count count, Op op, Equal equal) {
    using key_type = typename std::iterator_traits<Keys>::value_type;
    const std::int64_t n = bound_of(count);
    const auto done =
        Plain::answer_early(ex, w, workspace_bytes<T, key_type>(n), keys, keys_out, in, out, results, count);
    if (done) return *done;
    constexpr bool are_lengths = std::is_same_v<In, ones<T>>;
    if constexpr (may_be_asked_at_once<Equal> && can_move<Keys, T> && (are_lengths || can_move<In, T>)) {
      using key = std::remove_cv_t<std::remove_pointer_t<Keys>>;
      using item = std::conditional_t<are_lengths, void, std::remove_cv_t<std::remove_pointer_t<In>>>;
      constexpr std::size_t largest = are_lengths ? sizeof(key) : (std::max)({sizeof(key), sizeof(T), size_of<item>});
      using kernel = pipelined_runs_kernel<key, item, T, Reducers, Writers, items<largest, are_lengths>, MostStages>;
      const typename kernel::value* values = nullptr;
      if constexpr (!are_lengths) values = in;
      if (are_lengths || !results.indices.wanted()) {
        const auto launched = launch_ring<kernel>(ex, w, keys, keys_out, values, out, results, count, op, equal);
        if (launched) return *launched;
      }
    }
    return Plain::template launch<T>(ex, w, keys, keys_out, in, out, results, count, op, equal);
  }

  template <class T, class Executor, class Keys, class Starts, class Out, class Count, class Equal>
  static status run_non_trivial(Executor& ex, workspace w, Keys keys, Starts starts, Out out,
                                const select_results& results, Count count, Equal equal) {
    using key = typename std::iterator_traits<Keys>::value_type;
    const auto done = Plain::answer_early(ex, w, workspace_bytes<T, key>(bound_of(count)), keys, starts, ones<T>{}, out,
                                          results, count);
    if (done) return *done;
    if constexpr (may_be_asked_at_once<Equal> && can_move<Keys, T>) {
      using kernel = lengths_kernel<key, T, ring_runs::repeated>;
      const auto launched = launch_ring<kernel>(ex, w, keys, starts, no_values, out, results, count, plus{}, equal);
      if (launched) return *launched;
    }
    return Plain::template launch_non_trivial<T>(ex, w, keys, starts, out, results, count, equal);
  }

  template <class Key>
  static std::size_t unique_workspace_bytes(std::int64_t n) {
    if (n <= 0) return 0;
    const std::size_t of_plain = Plain::template unique_workspace_bytes<Key>(n);
    return (std::max)(of_plain,
                      ring_workspace<std::int64_t>(ceil_div(n, Reducers * warp_size * items<8, true>)).bytes());
  }

  /// The rest of unique, in a workspace of unique_workspace_bytes: the first of each run to `out`.
  template <class Executor, class In, class Out, class Count, class Equal>
  static status launch_unique(Executor& ex, workspace w, In in, Out out, const unique_results& results, Count count,
                              bool in_place, Equal equal) {
    using T = std::int64_t;
    if constexpr (may_be_asked_at_once<Equal> && can_move<In, T>) {
      using kernel = lengths_kernel<std::remove_cv_t<std::remove_pointer_t<In>>, T, ring_runs::unique>;
      const select_results& selection = results;
      const auto launched = launch_ring<kernel>(ex, w, in, out, no_values, integers_out{results.counts}, selection,
                                                count, plus{}, equal, results.inverse, in_place);
      if (launched) return *launched;
    }
    return Plain::launch_unique(ex, w, in, out, results, count, in_place, equal);
  }

 private:
  template <class T>
  using ring_workspace = tile_workspace<remembered_runs<T>>;

  static constexpr const char* no_values = nullptr;
  template <class Key, class T, ring_runs Kind>
  using lengths_kernel =
      pipelined_runs_kernel<Key, void, T, Reducers, Writers, items<sizeof(Key), true>, MostStages, Kind>;

  /// Nothing where the ring does not take such arrays, or so few keys, or the GPU has none.
  template <class Kernel, class Executor, class Key, class KeysOut, class Value, class Out, class Count, class Op,
            class Equal>
  static std::optional<status> launch_ring(Executor& ex, workspace w, const Key* keys, KeysOut keys_out,
                                           const Value* values, Out out, const select_results& results, Count count,
                                           Op op, Equal equal, integer_array inverse = {}, bool in_place = false) {
    const std::int64_t n = bound_of(count);
    if (n < FromBytes / static_cast<std::int64_t>(sizeof(Key)) || !aligned_to(address_of(keys), 16) ||
        !aligned_to(values, 16) ||
        !ex.template can_run<Kernel, const Key*, KeysOut, const Value*, Out, Count, Op, Equal, select_results,
                             integer_array, bool, typename Kernel::states_type, ordered_tile_id>()) {
      return std::nullopt;
    }
    const std::int64_t tiles = ceil_div(n, Kernel::tile_items);
    const tile_workspace<typename Kernel::states_type> here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    return ex.launch((std::min)(tiles, ex.multiprocessors()), Kernel{}, keys, keys_out, values, out, count, op, equal,
                     results, inverse, in_place, here.states(w), here.ticket(w));
  }

  template <class V>
  static constexpr std::size_t size_of = sizeof(std::conditional_t<std::is_void_v<V>, char, V>);
  template <class V>
  static constexpr bool is_small = is_bitwise_copyable<V>&& std::has_single_bit(sizeof(V)) && sizeof(V) <= 8;
  /// Bulk copies move items as they are in memory.
  template <class In, class T>
  static constexpr bool can_move = [] {
    if constexpr (std::is_pointer_v<In>) {
      using item = std::remove_pointer_t<In>;
      return !std::is_volatile_v<item> && is_small<item> && is_small<T>;
    }
    return false;
  }();
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::pipelined_runs;
using detail::run_lookback;
/// The default reduction of runs.
using default_runs_policy = pipelined_runs<run_lookback<warp_scans<256>, 11, 5>, 10, 12, 20, 28, 8 << 20>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
