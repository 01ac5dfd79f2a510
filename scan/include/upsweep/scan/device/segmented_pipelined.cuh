// Scans by key of many items by the ring of by_key_ring.cuh; everything else by look-back in blocks of one tile each,
// larger ones for many items.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/by_key_ring.cuh"
#include "upsweep/scan/device/segmented_lookback.cuh"
#include "upsweep/scan/device/segmented_reduce_then_scan.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A policy of scans by key and of segmented scans. By key, arrays that bulk copies can move go through a ring, in
/// tiles of `Words` words of 4 bytes of sums, or of keys where those are larger, for each of `Threads` scanning
/// threads: both arrays begin at multiples of 16 bytes; as many of the larger of key and sum have `FromBytes` or more;
/// keys, items and sums have 1, 2, 4 or 8 bytes, but not more than `MostBytes`; `out` is not `keys`; and the GPU is
/// Hopper or later. From as many bytes on, Large scans sums of up to 4 bytes by offsets, and Wide by key what the ring
/// does not take and of which the larger of key and sum has 8 bytes. Plain does the rest; all three are a
/// segmented_lookback. By offsets, what Few takes, a
/// segmented_reduce_then_scan, goes by that.
template <class Plain, int Threads, int Words, int Reducers, int MostBytes = 8, std::int64_t FromBytes = 0,
          class Large = Plain, class Wide = Plain, class Few = void>
struct segmented_pipelined {
  template <class T, class Key>
  static constexpr std::size_t largest = (std::max)(sizeof(T), sizeof(Key));
  /// Of a scanning thread: no more than a mask has bits.
  template <class T, class Key>
  static constexpr int items = std::clamp<int>(4 * Words / static_cast<int>(largest<T, Key>), 1, 32);
  /// The largest of the tiles.
  template <class T, class Key = T>
  static constexpr std::int64_t tile_items = (std::max)({Plain::template tile_items<T, Key>,
                                                         Large::template tile_items<T, Key>,
                                                         Wide::template tile_items<T, Key>,
                                                         std::int64_t{Threads} * items<T, Key>});

  template <class T, class Key>
  static constexpr std::size_t by_key_workspace_bytes(std::int64_t n) {
    const std::size_t of_plain = Plain::template by_key_workspace_bytes<T, Key>(n);
    const std::size_t of_tiles =
        has_wide<T, Key> ? (std::max)(of_plain, Wide::template by_key_workspace_bytes<T, Key>(n)) : of_plain;
    if constexpr (!can_move<Key, T, T>) return of_tiles;
    return (std::max)(of_tiles, ring_workspace<T>(tiles_of<T, Key>(n)).bytes());
  }
  template <class T>
  static constexpr std::size_t segmented_workspace_bytes(std::int64_t n) {
    std::size_t of_plain = Plain::template segmented_workspace_bytes<T>(n);
    if constexpr (has_few) of_plain = (std::max)(of_plain, Few::template segmented_workspace_bytes<T>(n));
    return has_large<T> ? (std::max)(of_plain, Large::template segmented_workspace_bytes<T>(n)) : of_plain;
  }

  /// As segmented_lookback.
  template <scan_kind Kind, class T, class Executor, class Keys, class In, class Out, class Op, class Equal>
  static status by_key(Executor& ex, workspace w, Keys keys, In in, Out out, std::int64_t n, Op op, T init,
                       Equal equal) {
    using key_type = typename std::iterator_traits<Keys>::value_type;
    if (w.bytes < by_key_workspace_bytes<T, key_type>(n)) return status::invalid_value;
    if constexpr (are_arrays<Keys, In>) {
      using key = std::remove_cv_t<std::remove_pointer_t<Keys>>;
      using item = std::remove_cv_t<std::remove_pointer_t<In>>;
      if constexpr (can_move<key, item, T>) {
        using kernel = pipelined_by_key_kernel<Kind, key, item, T, Threads, items<T, key>, Reducers>;
        if (are_many<T, key>(n) && ring_takes(keys, in, out) &&
            ex.template can_run<kernel, const key*, const item*, Out, std::int64_t, Op, T, Equal,
                                typename kernel::states_type, ordered_tile_id>()) {
          const std::int64_t tiles = tiles_of<T, key>(n);
          const ring_workspace<T> here(tiles);
          const status cleared = here.clear(ex, w);
          if (cleared != status::success) return cleared;
          return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, static_cast<const key*>(keys),
                           static_cast<const item*>(in), out, n, op, init, equal, here.states(w), here.ticket(w));
        }
      }
    }
    if constexpr (has_wide<T, key_type>) {
      if (are_many<T, key_type>(n)) {
        return Wide::template by_key<Kind, T>(ex, w, keys, in, out, n, op, init, equal);
      }
    }
    return Plain::template by_key<Kind, T>(ex, w, keys, in, out, n, op, init, equal);
  }

  template <scan_kind Kind, class T, class Executor, class In, class Out, class Offsets, class Op>
  static status segmented(Executor& ex, workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                          std::int64_t segments, Op op, T init) {
    if (w.bytes < segmented_workspace_bytes<T>(n)) return status::invalid_value;
    if constexpr (has_few) {
      if (Few::template takes<T>(n, segments)) {
        return Few::template segmented<Kind, T>(ex, w, in, out, n, offsets, segments, op, init);
      }
    }
    if constexpr (has_large<T>) {
      if (are_many<T, T>(n)) {
        return Large::template segmented<Kind, T>(ex, w, in, out, n, offsets, segments, op, init);
      }
    }
    return Plain::template segmented<Kind, T>(ex, w, in, out, n, offsets, segments, op, init);
  }

 private:
  static constexpr bool has_few = !std::is_void_v<Few>;
  template <class T, class Key>
  static constexpr bool are_many(std::int64_t n) {
    return n >= FromBytes / static_cast<std::int64_t>(largest<T, Key>);
  }
  template <class T>
  static constexpr bool has_large = sizeof(T) <= 4 && !std::is_same_v<Large, Plain>;
  template <class T, class Key>
  static constexpr bool has_wide = largest<T, Key> == 8 && !std::is_same_v<Wide, Plain>;

  template <class T>
  using ring_workspace = tile_workspace<remembered_sums<segment_sum<T>>>;

  template <class T, class Key>
  static constexpr std::int64_t tiles_of(std::int64_t n) {
    return ceil_div(n, std::int64_t{Threads} * items<T, Key>);
  }
  template <class Keys, class In>
  static constexpr bool are_arrays =
      std::is_pointer_v<Keys>&& std::is_pointer_v<In> && !std::is_volatile_v<std::remove_pointer_t<Keys>> &&
      !std::is_volatile_v<std::remove_pointer_t<In>>;
  template <class V>
  static constexpr bool is_small = is_bitwise_copyable<V>&& std::has_single_bit(sizeof(V)) && sizeof(V) <= MostBytes;
  template <class Key, class Item, class T>
  static constexpr bool can_move = is_small<Key>&& is_small<Item>&& is_small<T> && sizeof(Item) <= largest<T, Key>;

  /// As far as the addresses tell. An iterator does not tell whether it writes over the keys.
  template <class Out>
  static bool ring_takes(const void* keys, const void* in, Out out) {
    const auto bits = reinterpret_cast<std::uintptr_t>(keys) | reinterpret_cast<std::uintptr_t>(in);
    if (bits % 16 != 0) return false;
    if constexpr (std::is_pointer_v<Out>) return keys != address_of(out);
    return false;
  }
};

/// The default policy. With 8 bytes the ring is slower where runs are short.
using default_segments_policy =
    segmented_pipelined<segmented_lookback<warp_scans<256>, 16, 0, 4096>, 384, 16, 6, 4, 32 << 20,
                        segmented_lookback<warp_scans<256>, 32, 3>, segmented_lookback<warp_scans<256>, 16, 4>,
                        segmented_reduce_then_scan<warp_scans<256>, 16, 4 << 20, 768>>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
