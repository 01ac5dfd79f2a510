// What the blocks of the ring of runs (run_ring.cuh) are: which warps do what, and what a tile holds while it is there.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/compact/device/run_sums.cuh"
#include "upsweep/scan/flow/tile_ring.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What is written of runs: the last key and the reduction of each; the first key, and of each item the number of its
/// run; or where those of more than one item start, and their lengths.
enum class ring_runs { all, unique, repeated };

/// Tiles of Reducers stretches, each of Items items for each lane of a warp, begin with the arrays, which lie at
/// multiples of 16 bytes. Item is void where values are ones: what is left of a run then is the place of its head. It
/// is where runs are unique, whose keys may be written over themselves, as unique_lookback.cuh says, or repeated.
template <class Key, class Item, class T, int Reducers, int Writers, int Items, ring_runs Kind>
struct run_ring_shape {
  static constexpr bool are_lengths = std::is_void_v<Item>;
  static constexpr bool is_unique = Kind == ring_runs::unique, is_repeated = Kind == ring_runs::repeated;
  static_assert(are_lengths || !(is_unique || is_repeated));
  static constexpr int stretch_items = warp_size * Items;
  static constexpr int tile_items = Reducers * stretch_items;
  static_assert(Reducers <= warp_size && Items <= warp_size, "a lane for each stretch, a bit for each item of a lane");
  static_assert(tile_items <= 65536, "places are of 16 bits");

  // The warps of a block.
  static constexpr int loader = 0;
  static constexpr int looker = 1;
  static constexpr warp_group reducers{1, 2, Reducers};
  static constexpr int first_writer = reducers.first_warp + reducers.num_warps;
  static constexpr int block_threads = warp_size * (first_writer + Writers);

  using value = std::conditional_t<are_lengths, char, Item>;
  using ended = std::conditional_t<are_lengths, std::uint16_t, T>;
  /// The runs that end lie where the values were.
  static constexpr bool reuses_values = !are_lengths && sizeof(T) == sizeof(value);
  static constexpr int bulk_unit = 16;
  static constexpr int keys_in_front = bulk_unit / static_cast<int>(sizeof(Key));
  static_assert(keys_in_front * sizeof(Key) == bulk_unit && keys_in_front >= 2);

  struct stage : ring_stage {
    alignas(128) uninitialized_array<Key, tile_items> keys;
    alignas(128) uninitialized_array<value, (are_lengths ? 1 : tile_items)> values;
    alignas(16) uninitialized_array<Key, keys_in_front> front;  // those before the tile, unless it is the first
    alignas(16) uninitialized_array<ended, (reuses_values ? 1 : tile_items)> more;
    /// Of each item, how many heads there are in the stretch up to it; or of each head, how many items before it there
    /// equal the one before them.
    alignas(16) uninitialized_array<std::uint16_t, (is_unique || is_repeated ? tile_items : 1)> ranks;
    /// Of each stretch; then, but for the first, what comes before it in the tile.
    uninitialized_array<run_sum<T, std::uint32_t>, Reducers> sums;
    uninitialized_array<std::uint32_t, Reducers> heads;  // twice their number, and 1 more where the first item is one
    uninitialized_array<run_sum<T, std::uint32_t>, 1> all;
    uninitialized_array<run_sum<T, std::int64_t>, 1> before;

    UPSWEEP_DEVICE ended* runs() {
      if constexpr (reuses_values) {
        return reinterpret_cast<T*>(values.data());
      } else {
        return more.data();
      }
    }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
