// Votes: functors of the index that say whether an element is kept. Any other such functor that the GPU can call is a
// vote too.
#pragma once

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep {

/// The vote of element i by its value, or by that of a stencil: keep(in[i]).
template <class T, class Predicate>
struct vote_if {
  const T* in;
  Predicate keep;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return keep(in[i]); }
};

/// The same through an iterator.
template <class In, class Predicate>
struct vote_by_iterator {
  In in;
  Predicate keep;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return keep(in[i]); }
};

/// The predicate low <= x < high. A NaN is never kept.
template <class T>
struct between {
  T low, high;
  UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return low <= x && x < high; }
};

/// The vote of element i by its flag: any non-zero keeps it.
template <class Flag>
struct vote_flagged {
  const Flag* flags;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return flags[i] != 0; }
};

/// The vote of element i by a bit: bit i % w, 0 the lowest, of word i / w, for words of w bits.
template <class Word>
struct vote_bits {
  const Word* words;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    constexpr int bits = 8 * sizeof(Word);
    return (words[i / bits] >> (i % bits) & 1u) != 0;
  }
};

}  // namespace upsweep
