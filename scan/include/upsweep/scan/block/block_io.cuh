// Moves a tile between global memory and registers. Global memory is touched in warp-striped order (neighbouring lanes,
// neighbouring items); each thread holds `Items` consecutive items (blocked order). Each warp exchanges its own stretch
// through shared memory, so warps do not wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// `Items`, halved until the exchange of a tile of T fits the 48 KiB of shared memory that every GPU gives a block.
template <class T, int Threads, int Items>
constexpr int items_that_fit() {
  int items = Items;
  while (items > 1 && sizeof(T) * static_cast<std::size_t>(Threads * items) * 33 / 32 > 47 * 1024) items /= 2;
  return items;
}

template <class T, int Threads, int Items>
struct block_io {
  static constexpr int warp_items = warp_size * Items;
  static constexpr int tile_items = Threads * Items;

  struct temp_storage {
    uninitialized_array<T, tile_items + tile_items / warp_size> item;
  };

  /// Reads the first `valid` items of `from` on; the others are T{}. A barrier must stand between the call and the next
  /// use of `s`.
  template <bool Full, class Ctx, class In>
  static UPSWEEP_DEVICE void load(Ctx& block, temp_storage& s, In from, int valid, T (&item)[Items]) {
    const int first = block.warp() * warp_items;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = first + i * warp_size + block.lane();
      s.item[padded(at)] = Full || at < valid ? static_cast<T>(from[at]) : T{};
    }
    block.warp_sync();
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) item[i] = s.item[padded(first + block.lane() * Items + i)];
  }

  /// Writes the first `valid` items to `to` on. As load.
  template <bool Full, class Ctx, class Out>
  static UPSWEEP_DEVICE void store(Ctx& block, temp_storage& s, Out to, int valid, const T (&item)[Items]) {
    const int first = block.warp() * warp_items;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) s.item[padded(first + block.lane() * Items + i)] = item[i];
    block.warp_sync();
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = first + i * warp_size + block.lane();
      if (Full || at < valid) to[at] = s.item[padded(at)];
    }
  }

 private:
  /// One free slot after every 32: lanes that are Items apart then fall into different banks.
  static UPSWEEP_DEVICE int padded(int i) { return i + i / warp_size; }
};

}  // namespace upsweep
