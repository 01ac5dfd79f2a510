// Sorts in the registers of a warp or of equal parts of it, by Batcher's networks ("Sorting networks and their
// applications", 1968): the odd-even merge sort within a lane, bitonic merges between lanes.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Word>
UPSWEEP_DEVICE void order_pair(Word& a, Word& b) {
  const Word lower = b < a ? b : a, higher = b < a ? a : b;
  a = lower;
  b = higher;
}

/// 1 and -1. The host hands them over with a kernel's arguments, so that the compiler does not know them and
/// multiplies: a GPU does that beside comparisons, of which it makes half as many a cycle as other instructions.
struct unit_factors {
  std::uint32_t one = 1, minus_one = ~std::uint32_t{0};
};

/// Orders pairs of words. Every second pair of 32-bit words takes one comparison only: the higher word is the sum of
/// both less the lower one.
struct ordering {
  unit_factors units;
  int number = 0;

  template <class Word>
  UPSWEEP_DEVICE void operator()(Word& a, Word& b) {
    if (std::is_same_v<Word, std::uint32_t> && number++ % 2 == 0) {
      const Word lower = b < a ? b : a, both = a * units.one + b;
      a = lower;
      b = lower * units.minus_one + both;
    } else {
      order_pair(a, b);
    }
  }
};

/// Words that trade places where the first one is higher.
struct compared_words {
  int lower, higher;
};

/// Sorts 13 words: 45 comparisons, of which fewer are not known to do (Dobbelaere's list of networks).
struct sort_of_13 {
  static constexpr compared_words pairs[] = {
      {0, 12}, {1, 10}, {2, 9}, {3, 7},  {5, 11},  {6, 8}, {1, 6},   {2, 3},  {4, 11},  {7, 9}, {8, 10}, {0, 4},
      {1, 2},  {3, 6},  {7, 8}, {9, 10}, {11, 12}, {4, 6}, {5, 9},   {8, 11}, {10, 12}, {0, 5}, {3, 8},  {4, 7},
      {6, 11}, {9, 10}, {0, 1}, {2, 5},  {6, 9},   {7, 8}, {10, 11}, {1, 3},  {2, 4},   {5, 6}, {9, 10}, {1, 2},
      {3, 4},  {5, 7},  {6, 8}, {2, 3},  {4, 5},   {6, 7}, {8, 9},   {3, 4},  {5, 6}};
};

/// Sorts 13 words that rise and then fall, or begin anywhere in such and go on at its front. Found by a search.
struct bitonic_merge_of_13 {
  static constexpr compared_words pairs[] = {{0, 5},  {1, 4}, {6, 12}, {7, 11},  {2, 3}, {8, 10}, {2, 8}, {1, 7},
                                             {3, 9},  {0, 6}, {4, 10}, {5, 11},  {5, 7}, {8, 12}, {4, 6}, {0, 3},
                                             {9, 11}, {1, 2}, {2, 4},  {10, 12}, {3, 5}, {6, 8},  {7, 9}, {3, 4},
                                             {9, 10}, {0, 1}, {1, 2},  {7, 8},   {5, 6}, {11, 12}};
};

/// By the comparisons of a Network, in its order.
template <class Network, int Items, class Word>
UPSWEEP_DEVICE void order_by(Word (&word)[Items], ordering order) {
  const auto compare = [&](auto i) {
    constexpr compared_words pair = Network::pairs[decltype(i)::value];
    order(word[pair.lower], word[pair.higher]);
  };
  [&]<std::size_t... Pair>(std::index_sequence<Pair...>) {
    (compare(std::integral_constant<std::size_t, Pair>{}), ...);
  }
  (std::make_index_sequence<sizeof(Network::pairs) / sizeof(compared_words)>{});
}

/// From runs of First sorted words of this lane, such of Last.
template <int First, int Last, int Items, class Word>
UPSWEEP_DEVICE void merge_runs_of_lane(Word (&word)[Items], ordering order) {
  UPSWEEP_UNROLL
  for (int run = First; run < Last; run *= 2) {
    UPSWEEP_UNROLL
    for (int distance = run; distance > 0; distance /= 2) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int from_first = i - distance % run, other = i + distance;
        const bool begins_a_pair = from_first >= 0 && (from_first & distance) == 0;
        if (begins_a_pair && other < Items && (i & -2 * run) == (other & -2 * run)) order(word[i], word[other]);
      }
    }
  }
}

/// Sorts words of this lane that rise and then fall, or fall and then rise.
template <int Items, class Word, class Order>
UPSWEEP_DEVICE void sort_bitonic_of_lane(Word (&word)[Items], Order order) {
  UPSWEEP_UNROLL
  for (int distance = Items / 2; distance > 0; distance /= 2) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if ((i & distance) == 0) order(word[i], word[i | distance]);
    }
  }
}

/// Of its own word and that of another lane: the lower one where `lower`, else the higher one. Where it is the other
/// one of 32 bits, a multiplication under the comparison's predicate takes it, instead of a select beside comparisons.
template <class Word>
UPSWEEP_DEVICE Word one_of_pair(const Word& own, const Word& other, bool lower, const unit_factors& units) {
  if constexpr (std::is_same_v<Word, std::uint32_t>) {
    Word taken = own;
    if ((other < own) == lower) taken = other * units.one;
    return taken;
  } else {
    return (other < own) == lower ? other : own;
  }
}

/// Each `lanes` lanes, a power of two, sort their Items * lanes words, ascending; afterwards word i of lane l of them
/// is number l * Items + i. With `first_four` only the first four words of each lane are sorted, and lanes is 1. The
/// warp calls.
template <int Items, class Word, class Ctx>
UPSWEEP_DEVICE void sub_warp_sort(Ctx& block, Word (&word)[Items], int lanes, bool first_four,
                                  const unit_factors& units) {
  const ordering order{units};
  if constexpr (Items == 13) {
    order_by<sort_of_13>(word, order);
  } else {
    static_assert(Items >= 4 && (Items & (Items - 1)) == 0);
    merge_runs_of_lane<1, 4>(word, order);
    if (first_four) return;
    merge_runs_of_lane<4, Items>(word, order);
  }
  for (int reach = 1; reach < lanes; reach *= 2) {
    // Of two sorted runs of `reach` lanes, the second backwards: each word meets the one as far from the other end.
    const bool in_first = (block.lane() & reach) == 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items / 2; ++i) {
      const int j = Items - 1 - i;
      const Word opposite_i = block.shuffle_xor(word[j], 2 * reach - 1),
                 opposite_j = block.shuffle_xor(word[i], 2 * reach - 1);
      word[i] = one_of_pair(word[i], opposite_i, in_first, units);
      word[j] = one_of_pair(word[j], opposite_j, in_first, units);
    }
    if constexpr (Items % 2 == 1) {
      Word& middle = word[Items / 2];
      middle = one_of_pair(middle, block.shuffle_xor(middle, 2 * reach - 1), in_first, units);
    }
    for (int distance = reach / 2; distance > 0; distance /= 2) {
      const bool is_lower = (block.lane() & distance) == 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        word[i] = one_of_pair(word[i], block.shuffle_xor(word[i], distance), is_lower, units);
      }
    }
    if constexpr (Items == 13) {
      order_by<bitonic_merge_of_13>(word, order);
    } else {
      sort_bitonic_of_lane(word, order);
    }
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
