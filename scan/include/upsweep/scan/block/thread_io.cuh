// Moves a tile between global memory and registers without shared memory: each thread its own consecutive items, by 16
// bytes at a time where the array allows that. For kernels whose time is latency; where bandwidth counts, block_io.cuh.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// `Items`, halved until a tile of T takes no more than a quarter of the 256 KiB of registers that every GPU gives a
/// block: two tiles and the scan of one fit then.
template <class T, int Threads, int Items>
constexpr int items_in_registers() {
  int items = Items;
  while (items > 1 && sizeof(T) * static_cast<std::size_t>(Threads * items) > 64 * 1024) items /= 2;
  return items;
}

template <class T, int Items>
struct thread_io {
  /// Items that one access moves: the largest power of two of them that divides Items and has at most 16 bytes.
  static constexpr int vector_items = [] {
    int items = 1;
    if (std::has_single_bit(sizeof(T))) {
      while (Items % (2 * items) == 0 && sizeof(T) * 2 * static_cast<std::size_t>(items) <= 16) items *= 2;
    }
    return items;
  }();

  /// Reads those of the thread's items that are among the first `valid` of `from`; the others are `padding`.
  template <class Ctx, class In>
  static UPSWEEP_DEVICE void load(Ctx& block, In from, int valid, T (&item)[Items], const T& padding = T{}) {
    const int at = block.thread_rank() * Items;
    if constexpr (is_array<In>) {
      if (at + Items <= valid && holds_vectors(from)) {
        UPSWEEP_UNROLL
        for (int i = 0; i < Items; i += vector_items) {
          const auto v = block.template load_vector<vector_items>(from + at + i);
          UPSWEEP_UNROLL
          for (int k = 0; k < vector_items; ++k) item[i + k] = v.item[k];
        }
        return;
      }
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) item[i] = at + i < valid ? static_cast<T>(from[at + i]) : padding;
  }

  /// Writes those of the thread's items that are among the first `valid` of `to`.
  template <class Ctx, class Out>
  static UPSWEEP_DEVICE void store(Ctx& block, Out to, int valid, const T (&item)[Items]) {
    const int at = block.thread_rank() * Items;
    if constexpr (is_array<Out>) {
      if (at + Items <= valid && holds_vectors(to)) {
        UPSWEEP_UNROLL
        for (int i = 0; i < Items; i += vector_items) {
          vector_of<T, vector_items> v;
          UPSWEEP_UNROLL
          for (int k = 0; k < vector_items; ++k) v.item[k] = item[i + k];
          block.template store_vector<vector_items>(to + at + i, v);
        }
        return;
      }
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (at + i < valid) to[at + i] = item[i];
    }
  }

 private:
  /// The array is of T itself, and there are vectors of T.
  template <class It>
  static constexpr bool is_array = (vector_items > 1 || is_unaligned_vector<T>)&&is_array_of<It, T>;
  static UPSWEEP_DEVICE bool holds_vectors(const T* array) {
    return reinterpret_cast<std::uintptr_t>(array) % (sizeof(T) * vector_items) == 0;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
