// What sorts the segments of each length, and from which numbers of items on.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/device/block_code_sort.cuh"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What sorts segments of each length: parts of a warp of up to short_lanes, `small_block`, `middle_block` and
/// `wide_block`, sorts by one block, and `tile`, of the passes. wide_block, which a GPU may have too little shared
/// memory for, may be middle_block. Keys of which codes are enough, by all their bits, have `code_block` of 0 to 3
/// instead of the three. `wide_tile` is that of passes by all bits of keys that tell their order by themselves, where
/// there is a third block, too.
struct segments_tuned {
  static constexpr int short_lanes = warp_size;
  static constexpr int threads = 256;  // of a block that looks at segments, sorts rows, or counts digits
  /// Of a launch of a pass: what a look-back can count.
  static constexpr std::int64_t portion_items = std::int64_t{1} << 30;
  static constexpr int warps_per_multiprocessor = 64;        // more segments or tiles go over as many
  static constexpr int short_warps_per_multiprocessor = 16;  // before a warp takes more than one short segment
  static constexpr std::int64_t items_of_a_warp = 1536;      // before it takes more segments than it has lanes
  static constexpr std::int64_t average_in_rows = 4;         // of items of a segment with values
  static constexpr std::int64_t items_of_more_launches = std::int64_t{1} << 24;  // before rows and wide blocks pay
  static constexpr std::int64_t warps_of_few_segments = 8192;  // that do not get as many as they have lanes
  /// Whether all passes over the large segments are one launch. In long segments tiles wait for one another, pass by
  /// pass.
  static constexpr bool are_one_launch(std::int64_t n, std::int64_t segments, int passes) {
    return n <= std::int64_t{1} << 22 && n / segments * passes < std::int64_t{1} << 19;
  }
  template <class Key>
  static constexpr int middle_items = sizeof(Key) <= 8    ? 8
                                      : sizeof(Key) <= 16 ? 4
                                                          : 1;
  template <class Key, class Value>
  using small_block = single_block_sort_kernel<Key, Value, 256, sizeof(Key) <= 16 ? 4 : 1, sizeof(Key) <= 16 ? 2 : 1>;
  template <class Key, class Value>
  using middle_block = single_block_sort_kernel<Key, Value, 512, middle_items<Key>, sizeof(Key) <= 16 ? 4 : 1>;
  template <class Key, class Value>
  using wide_block =
      std::conditional_t<sizeof(Key) <= 4, single_block_sort_kernel<Key, Value, 512, 24, 4>, middle_block<Key, Value>>;
  template <class Key>
  using code_blocks =
      std::tuple<small_block<Key, no_value>, block_code_sort_kernel<Key, 512, 8, 4, 3>,
                 block_code_sort_kernel<Key, 512, 40, 4, 2>, block_code_sort_kernel<Key, 1024, 32, 4, 1>>;
  static constexpr std::int64_t items_of_wide_tiles = std::int64_t{1} << 22;
  /// Whether block number l has a launch, which costs all others 1.5 us. Of few items, where one launch after the other
  /// ends with few blocks at work, it has if most segments are likely to be its own, by their `average` length, or are
  /// so long that the wide tiles that come with it are worth it.
  static constexpr bool has_block(int l, std::int64_t n, std::int64_t average, bool by_codes) {
    if (l < 2 || n >= items_of_more_launches) return true;
    return by_codes && l == 2 &&
           ((average >= 1 << 10 && average <= 10 << 10) || (n >= items_of_wide_tiles && average >= 1 << 17));
  }
  template <class Key>
  using wide_tile = onesweep_tuned::tile<Key, no_value, true>;
  /// One that fits any GPU, and looks back from tile to tile.
  template <class Key, class Value>
  using tile = onesweep_tile<256, onesweep_tuned::items(40 << 10, 256, onesweep_tuned::width<Key, Value>, 16), 8, 2>;
};

/// The same limits for everything.
template <int ShortLanes, int SmallThreads, int SmallItems, int MiddleThreads, int MiddleItems, class Tile>
struct segments_fixed {
  static constexpr int short_lanes = ShortLanes;
  static constexpr int threads = 256;
  static constexpr std::int64_t portion_items = std::int64_t{1} << 30;
  static constexpr int warps_per_multiprocessor = 1;
  static constexpr int short_warps_per_multiprocessor = 1;
  static constexpr std::int64_t items_of_a_warp = 1536;
  static constexpr std::int64_t average_in_rows = 24;
  static constexpr std::int64_t items_of_more_launches = 0;
  static constexpr std::int64_t warps_of_few_segments = 8192;
  static constexpr bool are_one_launch(std::int64_t n, std::int64_t, int) { return n <= 4096; }
  template <class Key, class Value>
  using small_block = single_block_sort_kernel<Key, Value, SmallThreads, SmallItems, 1>;
  template <class Key, class Value>
  using middle_block = single_block_sort_kernel<Key, Value, MiddleThreads, MiddleItems, 1>;
  template <class Key, class Value>
  using wide_block = single_block_sort_kernel<Key, Value, MiddleThreads, 2 * MiddleItems, 1>;
  template <class Key>
  using code_blocks =
      std::tuple<small_block<Key, no_value>, block_code_sort_kernel<Key, 256, MiddleThreads * MiddleItems / 256, 1, 1>,
                 block_code_sort_kernel<Key, 256, 2 * MiddleThreads * MiddleItems / 256, 1, 1>,
                 block_code_sort_kernel<Key, 512, 2 * MiddleThreads * MiddleItems / 512, 1, 1>>;
  static constexpr bool has_block(int, std::int64_t, std::int64_t, bool) { return true; }
  static constexpr std::int64_t items_of_wide_tiles = 0;
  template <class Key>
  using wide_tile = onesweep_tile<Tile::block_threads, 2 * Tile::items_per_thread>;
  template <class Key, class Value>
  using tile = Tile;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
