// What tiles tell each other about one digit: decoupled look-back (Merrill & Garland 2016) for each digit on its own
// (Adinets & Merrill, "Onesweep", 2022), from tile to tile or by groups of tiles.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What one launch of a pass sorts: tiles look back over the items of a portion, up to 2^30, and learn from the one
/// before it where those of each digit go on.
struct lookback_portion {
  std::int64_t begin, items;   ///< of all; the last portion may have fewer items, or none
  std::uint32_t* ticket;       ///< of its tiles
  std::uint32_t* words;        ///< of its look-back
  const std::uint64_t* first;  ///< where its first item of each digit goes
  std::uint64_t* next;         ///< becomes that of the next portion; null for the last one

  /// Of n items in all, those that it has.
  UPSWEEP_HOST_DEVICE std::int64_t share_of(std::int64_t n) const { return n - begin < items ? n - begin : items; }
};

/// Of whole tiles, for portions of `Portion` items or less.
template <std::int64_t Portion, std::int64_t TileItems>
inline constexpr std::int64_t items_of_portion = Portion < TileItems ? TileItems : Portion / TileItems* TileItems;

/// Of any tiles: none but the last has fewer items than half of Portion.
template <std::int64_t Portion>
constexpr std::int64_t most_portions_of(std::int64_t n) {
  return ceil_div(2 * n, Portion < 2 ? 2 : Portion);
}

/// A word for each tile and digit, of which the two top bits say what the others are: a sum of the tile alone, or of it
/// and all before it. All are zero before the first pass; after a pass every word of it is a sum of all, so that passes
/// that take turns in how they mark those need not clear the words of each other. Sums are told modulo 2^30, which is
/// the most keys that tiles look back over: a sum of as many is that of a digit which no later one of them has, and
/// nobody uses it. With a Radix of 0 the digits are counted at run time.
template <int Radix>
struct digit_lookback {
  static constexpr int value_bits = 30;
  static constexpr std::uint32_t value_mask = (1u << value_bits) - 1;
  static constexpr std::uint32_t mark_of_tile = 1u << value_bits;

  /// How many words so many tiles have.
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t words_of(std::int64_t tiles, int digits = Radix) {
    return tiles * digits;
  }

  std::uint32_t* words;
  std::uint32_t mark_of_all;  ///< of a sum of all, in this pass
  int digits;

  /// Of the pass that is the `turn`-th to run.
  UPSWEEP_DEVICE digit_lookback(std::uint32_t* words, std::int64_t /*tiles*/, std::uint32_t turn, int digits = Radix)
      : words(words), mark_of_all((2 + turn % 2) << value_bits), digits(digits) {}

  UPSWEEP_DEVICE std::uint32_t* word(std::int64_t tile, int digit) const {
    return words + tile * (Radix > 0 ? Radix : digits) + digit;
  }

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, int digit, std::uint32_t mark, std::uint32_t sum) const {
    block.store_relaxed(word(tile, digit), mark | (sum & value_mask));
  }

  /// Tells the sum of the tile alone, of the first one with what comes before it.
  template <class Ctx>
  UPSWEEP_DEVICE void tell(Ctx& block, std::int64_t tile, int digit, std::uint32_t sum) const {
    publish(block, tile, digit, tile == 0 ? mark_of_all : mark_of_tile, sum);
  }

  /// The sum of the tiles before `tile` > 0, which began before it; tells that with `mine`, its own.
  template <class Ctx>
  UPSWEEP_DEVICE std::uint32_t sum_before(Ctx& block, std::int64_t tile, int digit, std::uint32_t mine) const {
    const std::uint32_t sum = look_back<4>(block, tile, digit);
    publish(block, tile, digit, mark_of_all, sum + mine);
    return sum;
  }

  /// The sum of the tiles before `tile` > 0, by reading `Window` of them at a time.
  template <int Window, class Ctx>
  UPSWEEP_DEVICE std::uint32_t look_back(Ctx& block, std::int64_t tile, int digit) const {
    std::uint32_t sum = 0;
    for (std::int64_t t = tile - 1;;) {
      std::uint32_t word[Window];
      UPSWEEP_UNROLL
      for (int i = 0; i < Window; ++i) {
        word[i] = t - i >= 0 ? block.load_relaxed(this->word(t - i, digit)) : 0;
      }
      bool waits = false;
      UPSWEEP_UNROLL
      for (int i = 0; i < Window; ++i) {
        if (waits) continue;
        const std::uint32_t mark = word[i] & ~value_mask;
        if (mark == mark_of_all) return sum + (word[i] & value_mask);
        if (mark == mark_of_tile) {
          sum += word[i] & value_mask;
          --t;
        } else {
          waits = true;
        }
      }
      if (waits) block.back_off();
    }
  }
};

/// The same where all tiles begin at once. Then no sum of all is near by, and windows of tiles, one after another, are
/// many trips to the L2. So a tile reads at once all tiles before it in its group of `Group`, and looks back over the
/// earlier groups; the last tile of a group tells the sum of it. Two trips or three for some hundred tiles. Where
/// there are more than MostGroups groups, tiles begin one after the other, and look back from tile to tile.
///
/// By groups, the words of tiles have one sum a pass, that of the tile alone, marked as if it were of all. Those of
/// groups come after them.
template <int Radix, int Group, int MostGroups>
struct grouped_digit_lookback {
  using lookback = digit_lookback<Radix>;
  static constexpr int window = Group / 2;
  static_assert(window > 0);

  static UPSWEEP_HOST_DEVICE constexpr std::int64_t words_of(std::int64_t tiles, int digits = Radix) {
    return lookback::words_of(tiles + tiles / Group, digits);
  }

  lookback tiles, groups;
  bool by_groups;

  UPSWEEP_DEVICE grouped_digit_lookback(std::uint32_t* words, std::int64_t tiles, std::uint32_t turn,
                                        int digits = Radix)
      : tiles(words, tiles, turn, digits),
        groups(words + lookback::words_of(tiles, digits), tiles / Group, turn, digits),
        by_groups(tiles <= Group * MostGroups) {}

  template <class Ctx>
  UPSWEEP_DEVICE void tell(Ctx& block, std::int64_t tile, int digit, std::uint32_t sum) const {
    if (!by_groups) return tiles.tell(block, tile, digit, sum);
    tiles.publish(block, tile, digit, tiles.mark_of_all, sum);
  }

  template <class Ctx>
  UPSWEEP_DEVICE std::uint32_t sum_before(Ctx& block, std::int64_t tile, int digit, std::uint32_t mine) const {
    const std::int64_t group = tile / Group;
    std::uint32_t before = 0;
    bool publishes = true;
    if (by_groups) {
      before = sum_of(block, group * Group, static_cast<int>(tile % Group), digit);
      publishes = tile % Group == Group - 1;
      if (publishes) groups.tell(block, group, digit, before + mine);
      if (group == 0) return before;
    }
    const lookback over = by_groups ? groups : tiles;
    const std::int64_t at = by_groups ? group : tile;
    before += over.template look_back<window>(block, at, digit);
    if (publishes) over.publish(block, at, digit, over.mark_of_all, before + mine);
    return before;
  }

 private:
  /// Of `count` < Group tiles from `first` on.
  template <class Ctx>
  UPSWEEP_DEVICE std::uint32_t sum_of(Ctx& block, std::int64_t first, int count, int digit) const {
    std::uint32_t word[Group - 1];
    for (bool all_there = false; !all_there;) {
      all_there = true;
      UPSWEEP_UNROLL
      for (int i = 0; i < Group - 1; ++i) {
        word[i] = i < count ? block.load_relaxed(tiles.word(first + i, digit)) : tiles.mark_of_all;
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < Group - 1; ++i) {
        all_there = all_there && (word[i] & ~lookback::value_mask) == tiles.mark_of_all;
      }
      if (!all_there) block.back_off();
    }
    std::uint32_t sum = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Group - 1; ++i) sum += word[i] & lookback::value_mask;
    return sum;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
