// The tiles of onesweep, by the sizes of keys and values and by how many there are.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A tile of a pass. Tiles look back by groups of LookbackGroup tiles, at most LookbackGroups groups at a time; tile by
/// tile where LookbackGroup is 0.
template <int Threads, int Items, int RadixBits = 8, int Blocks = 1, int LookbackGroup = 0,
          int LookbackGroups = LookbackGroup>
struct onesweep_tile {
  static_assert(RadixBits >= 1 && RadixBits <= 8, "digits of 1 to 8 bits");
  static constexpr int block_threads = Threads;
  static constexpr int items_per_thread = Items;
  static constexpr int radix_bits = RadixBits;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int lookback_group = LookbackGroup;
  static constexpr int lookback_groups = LookbackGroups;
};

/// A tile for From to UpTo keys; whether a GPU may have too little memory for it.
template <class Tile, std::int64_t From, std::int64_t UpTo, bool MayNotFit = false>
struct onesweep_choice {
  using tile = Tile;
  static constexpr std::int64_t from = From, up_to = UpTo;
  static constexpr bool may_not_fit = MayNotFit;
};

/// The same tile for everything.
template <class Tile>
struct onesweep_fixed {
  static constexpr int radix_bits = Tile::radix_bits;
  template <class Key, class Value, bool ByKeys>
  using choices = std::tuple<onesweep_choice<Tile, 0, INT64_MAX>>;
  static constexpr std::int64_t argsort_from = 1;
  template <class Word>
  using argsort_choices = choices<Word, no_value, true>;
};

/// Tiles by the size of keys and values, as measured on an H200: as large as two of them fit a multiprocessor. Small
/// ones keep all multiprocessors at work when there are few keys, and fit any GPU; tiny ones are for fewer still, and
/// the least for so few that each tile has a multiprocessor for itself.
struct onesweep_tuned {
  static constexpr int radix_bits = 8;

  /// Bytes of what a tile holds for each item.
  template <class Key, class Value>
  static constexpr int width = static_cast<int>(sizeof(Value) > sizeof(Key) && sizeof(Value) <= 8 ? sizeof(Value)
                                                                                                  : sizeof(Key));
  /// As many items a thread as fit `bytes` with their positions, `most` at the most.
  static constexpr int items(int bytes, int threads, int width, int most) {
    const int fit = bytes / (threads * (width + 2));
    return fit > most ? most : fit >= 8 ? fit / 8 * 8 : fit >= 1 ? fit : 1;
  }

  template <class Key, class Value, bool ByKeys>
  static constexpr auto large() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile < 512, std::is_floating_point_v<Key> ? 32 : 36, radix_bits, 2 > {};
    } else if constexpr (ByKeys) {
      return onesweep_tile<384, 24, radix_bits, 2>{};
    } else if constexpr (width<Key, Value> <= 4) {
      return onesweep_tile<512, 24, radix_bits, 2>{};
    } else {
      return onesweep_tile<256, items(84 << 10, 256, width<Key, Value>, 32), radix_bits, 2>{};
    }
  }
  template <class Key, class Value, bool ByKeys>
  static constexpr auto small_of() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile<512, 16, radix_bits, 3, 16>{};
    } else if constexpr (ByKeys) {
      return onesweep_tile<256, 20, radix_bits, 3, 16>{};
    } else {
      return onesweep_tile<256, items(40 << 10, 256, width<Key, Value>, 16), radix_bits, 2, 16, 64>{};
    }
  }
  template <class Key, class Value, bool ByKeys>
  static constexpr auto tiny() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile<256, 16, radix_bits, 2, 16>{};
    } else if constexpr (width<Key, Value> <= 8 && (ByKeys || !std::is_same_v<Value, no_value>)) {
      return onesweep_tile<256, 8, radix_bits, 2, 16>{};
    } else {
      return small_of<Key, Value, ByKeys>();
    }
  }
  template <class Key, class Value, bool ByKeys>
  static constexpr auto least() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile<256, 8, radix_bits, 2, 16>{};
    } else if constexpr (sizeof(Key) == 8 && width<Key, Value> == 8) {
      return onesweep_tile<1024, 2, radix_bits, 1, 16>{};
    } else {
      return tiny<Key, Value, ByKeys>();
    }
  }
  template <class Key, class Value, bool ByKeys>
  using tile = decltype(large<Key, Value, ByKeys>());
  template <class Key, class Value, bool ByKeys>
  using small_tile = decltype(small_of<Key, Value, ByKeys>());
  template <class Key, class Value, bool ByKeys>
  using tiny_tile = decltype(tiny<Key, Value, ByKeys>());
  template <class Key, class Value, bool ByKeys>
  using least_tile = decltype(least<Key, Value, ByKeys>());

  // Public, since clang 14 lets no alias of this class take a private variable template.
  template <class Key, bool ByKeys>
  static constexpr std::int64_t small_up_to = std::int64_t{1} << (ByKeys             ? 22
                                                                  : sizeof(Key) <= 4 ? 21
                                                                                     : 20);
  template <class Key, bool ByKeys>
  static constexpr std::int64_t tiny_up_to = std::int64_t{1} << (ByKeys && sizeof(Key) == 4 ? 19 : 18);
  template <class Key>
  static constexpr std::int64_t least_from = sizeof(Key) <= 4 ? 0 : (std::int64_t{3} << 15) + 1;
  static constexpr std::int64_t least_up_to = std::int64_t{1} << 17;

  template <class Key, class Value, bool ByKeys>
  using choices = std::tuple<onesweep_choice<least_tile<Key, Value, ByKeys>, least_from<Key>, least_up_to, true>,
                             onesweep_choice<tiny_tile<Key, Value, ByKeys>, 0, tiny_up_to<Key, ByKeys>>,
                             onesweep_choice<small_tile<Key, Value, ByKeys>, 0, small_up_to<Key, ByKeys>>,
                             onesweep_choice<tile<Key, Value, ByKeys>, 0, INT64_MAX, true>,
                             onesweep_choice<small_tile<Key, Value, ByKeys>, 0, INT64_MAX>>;

  /// Those of an argsort by words, and from how many keys on it is faster than by keys and places.
  static constexpr std::int64_t argsort_from = small_up_to<std::uint32_t, false> + 1;
  template <class Word>
  using argsort_choices = std::tuple<onesweep_choice<small_tile<Word, no_value, true>, 0, small_up_to<Word, true>>,
                                     onesweep_choice<tile<Word, no_value, true>, 0, INT64_MAX, true>,
                                     onesweep_choice<small_tile<Word, no_value, true>, 0, INT64_MAX>>;
};

template <class Tiles>
inline constexpr bool has_argsort = Tiles::radix_bits == 8 && requires {
  Tiles::argsort_from;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
