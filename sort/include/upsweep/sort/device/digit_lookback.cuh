// What tiles tell each other about one digit: decoupled look-back (Merrill & Garland 2016) for each digit on its own
// (Adinets & Merrill, "Onesweep", 2022).
#pragma once

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep {

/// A word for each tile and digit, of which the two top bits say what the others are: a sum of the tile alone, or of it
/// and all before it. All are zero before the first pass; behind a pass every word of it is a sum of all, so that
/// passes that take turns in how they mark those need not clear the words of each other. Sums are below 2^30 (2^62),
/// but for that of the last tile, which is read by nobody.
template <class Word, int Radix>
struct digit_lookback {
  static constexpr int value_bits = sizeof(Word) * 8 - 2;
  static constexpr Word value_mask = (Word{1} << value_bits) - 1;
  static constexpr int window = 4;

  Word* words;

  /// The mark of a sum of all in the pass that is the `turn`-th to run.
  static UPSWEEP_DEVICE Word mark_of_all(std::uint32_t turn) { return Word{2 + turn % 2} << value_bits; }
  static constexpr Word mark_of_tile = Word{1} << value_bits;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, int digit, Word mark, Word sum) const {
    block.store_relaxed(words + tile * Radix + digit, mark | (sum & value_mask));
  }

  /// The sum of the tiles in front of `tile` > 0. They began before this one.
  template <class Ctx>
  UPSWEEP_DEVICE Word sum_before(Ctx& block, std::int64_t tile, int digit, Word of_all) const {
    Word sum = 0;
    for (std::int64_t t = tile - 1;;) {
      Word word[window];
      UPSWEEP_UNROLL
      for (int i = 0; i < window; ++i) {
        word[i] = t - i >= 0 ? block.load_relaxed(words + (t - i) * Radix + digit) : Word{0};
      }
      bool waits = false;
      UPSWEEP_UNROLL
      for (int i = 0; i < window; ++i) {
        if (waits) continue;
        const Word mark = word[i] & ~value_mask;
        if (mark == of_all) return sum + (word[i] & value_mask);
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

}  // namespace upsweep
