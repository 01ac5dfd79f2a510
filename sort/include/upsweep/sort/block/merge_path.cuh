// How far a merge of two sorted arrays is after so many items, and how a thread goes on from there.
//
// The merged items are steps of a path through a grid, to the right for an item of the one array, down for an item of
// the other. After d steps the path crosses diagonal d, and where it does is found by bisection alone: so each block,
// and each thread of a block, takes the same number of steps (Green, McColl & Bader: GPU Merge Path, 2012; Odeh, Green,
// Mwassi, Shmueli & Birk: Merge Path - Parallel Merging Made Simple, 2012).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of the first `diagonal` items of the merge of n_a items and n_b items, how many are of the first array: calls
/// search(low, high, is_before) with the range in which the answer lies. Of equal items those of the first array come
/// first. `a(i)` and `b(i)` give items.
template <class Index, class A, class B, class Less, class Search>
UPSWEEP_DEVICE Index merge_split(Index n_a, Index n_b, Index diagonal, const A& a, const B& b, Less& less,
                                 const Search& search) {
  const Index low = diagonal > n_b ? diagonal - n_b : 0, high = diagonal < n_a ? diagonal : n_a;
  return search(low, high, [&](Index i) { return !static_cast<bool>(less(b(diagonal - 1 - i), a(i))); });
}

/// Merges up to Items of the items in shared memory from place `a` on, before end_a, and from place `b` on, before
/// end_b: put(k, item, place) gets the k-th of them and where it was. After the last item it gets what means nothing.
/// `s` has an item at place 0, and `less` is asked of items that there are.
template <int Items, class Key, class Less, class Put>
UPSWEEP_DEVICE void merge_serially(const Key* s, int a, int end_a, int b, int end_b, Less& less, const Put& put) {
  Key of_a = s[a < end_a ? a : 0], of_b = s[b < end_b ? b : 0];
  UPSWEEP_UNROLL
  for (int k = 0; k < Items; ++k) {
    const bool takes_b = b < end_b && (a >= end_a || static_cast<bool>(less(of_b, of_a)));
    // Lanes decide in different ways: no branch, but what either way takes.
    const int from = takes_b ? b : a, next = from + 1;
    put(k, takes_b ? of_b : of_a, from);
    const Key following = s[next < (takes_b ? end_b : end_a) ? next : 0];
    if (takes_b) {
      of_b = following;
      b = next;
    } else {
      of_a = following;
      a = next;
    }
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
