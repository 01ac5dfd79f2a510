// Lower and upper bounds of many needles in a sorted array, quickly where the needles are sorted too: then those of a
// tile have their bounds between that of the first and that of the last, a stretch that is about as long as the tile is
// where both arrays are, and fits shared memory. A needle that is not between those two is looked for in all of the
// array, so that the answers are right for needles in any order.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

enum class bound_kind { lower, upper };

/// Block t looks for the needles of tile t.
template <class Key, bound_kind Kind, int Threads, int Items>
struct sorted_bounds_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  /// So many keys of the array are brought to shared memory; half of that is to be expected where it is as long as the
  /// needles are.
  static constexpr int stretch_items = 2 * tile_items;

  struct temp_storage {
    std::int64_t end[2];
    uninitialized_array<Key, stretch_items> key;
    uninitialized_array<Key, tile_items> needle;
  };

  template <class Ctx, class Keys, class Needles, class Out, class CountKeys, class CountNeedles, class Less>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Keys keys, Needles needles, Out out, CountKeys count_keys,
                                 CountNeedles count_needles, Less given) const {
    const std::int64_t n = items_of(count_keys), first = block.block_index() * tile_items;
    const std::int64_t left = items_of(count_needles) - first;
    if (left <= 0) return;
    const int valid = static_cast<int>(left < tile_items ? left : tile_items);
    auto&& less = callable<const Key&, const Key&>(given);
    const auto in_all = [&](const Key& needle) {
      return [&](std::int64_t i) { return stands_before(less, static_cast<Key>(keys[i]), needle); };
    };

    const Key least = static_cast<Key>(needles[first]), most = static_cast<Key>(needles[first + valid - 1]);
    UPSWEEP_NO_UNROLL
    for (int end = 0; end < 2; ++end) {
      if (block.warp() != (end == 0 ? 0 : Ctx::warps - 1)) continue;
      const std::int64_t bound = partition_point_by_warp(block, 0, n, in_all(end == 0 ? least : most));
      if (block.lane() == 0) s.end[end] = bound;
    }
    take(block, valid, s.needle, needles, first);
    block.barrier();  // s.end is written
    const std::int64_t low = s.end[0], high = s.end[1];
    const bool fits = low <= high && high - low <= stretch_items;
    const int stretch = fits ? static_cast<int>(high - low) : 0;
    take(block, stretch, s.key, keys, low);
    block.barrier();  // s.key is written

    UPSWEEP_NO_UNROLL
    for (int at = block.thread_rank(); at < valid; at += Threads) {
      const Key needle = s.needle[at];  // the thread's own
      const bool outside = static_cast<bool>(less(needle, least)) || static_cast<bool>(less(most, needle));
      std::int64_t bound;
      if (fits && !outside) {
        bound = low + partition_point(0, stretch, [&](int i) { return stands_before(less, s.key[i], needle); });
      } else {
        bound = partition_point(outside ? 0 : low, outside ? n : high, in_all(needle));
      }
      put(out, first + at, bound);
    }
  }

 private:
  /// Whether the bound of the needle lies after the key.
  template <class Less>
  static UPSWEEP_DEVICE bool stands_before(Less& less, const Key& key, const Key& needle) {
    if constexpr (Kind == bound_kind::lower) {
      return static_cast<bool>(less(key, needle));
    } else {
      return !static_cast<bool>(less(needle, key));
    }
  }

  /// Brings the `count` items of `in` from `first` on to shared memory; a thread takes those that are Threads apart.
  template <class Ctx, int Size, class In>
  static UPSWEEP_DEVICE void take(Ctx& block, int count, uninitialized_array<Key, Size>& to, const In& in,
                                  std::int64_t first) {
    constexpr int most = Size / Threads;
    Key item[most];
    UPSWEEP_UNROLL
    for (int k = 0; k < most; ++k) {
      const int at = k * Threads + block.thread_rank();
      if (at < count) item[k] = static_cast<Key>(in[first + at]);
    }
    UPSWEEP_UNROLL
    for (int k = 0; k < most; ++k) {
      const int at = k * Threads + block.thread_rank();
      if (at < count) to[at] = item[k];
    }
  }

  template <class Out>
  static UPSWEEP_DEVICE void put(const Out& out, std::int64_t i, std::int64_t bound) {
    using index = typename place_type<Out>::type;
    if constexpr (std::is_arithmetic_v<index>) {
      out[i] = static_cast<index>(bound);
    } else {
      out[i] = bound;
    }
  }
};

/// The method. Threads and Items of a tile of needles; 0: by the size of the keys.
template <int Threads = 0, int Items = 0>
struct tiled_bounds {
  template <class Key>
  static constexpr int tile_threads = Threads > 0         ? Threads
                                      : sizeof(Key) <= 64 ? 256
                                                          : 64;
  template <class Key>
  static constexpr int thread_items = Items > 0           ? Items
                                      : sizeof(Key) <= 4  ? 8
                                      : sizeof(Key) <= 32 ? static_cast<int>(32 / sizeof(Key))
                                                          : 1;

  template <class Key>
  static constexpr int tile_items = tile_threads<Key>* thread_items<Key>;

  /// Of at most `most_needles` needles, more than none.
  template <bound_kind Kind, class Key, class Executor, class Keys, class Needles, class Out, class CountKeys,
            class CountNeedles, class Less>
  static status run(Executor& ex, Keys keys, Needles needles, Out out, const CountKeys& n, const CountNeedles& m,
                    std::int64_t most_needles, const Less& less) {
    using kernel = sorted_bounds_kernel<Key, Kind, tile_threads<Key>, thread_items<Key>>;
    return ex.launch(ceil_div(most_needles, kernel::tile_items), kernel{}, keys, needles, out, n, m, less);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
