// Moves a tile of a scan along an axis between global and shared memory, in the order of global memory: neighbouring
// threads, neighbouring items, or vectors of them where the tile and its pieces are aligned to those.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/device/axis_tiles.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles of T. A thread loads about AtOnce items before it stores the first.
template <class T, int Threads, int AtOnce>
struct axis_tile_io {
  /// Reads the tile from `in` to `items`, which is a multiple of 16. A barrier is needed between the call and the use
  /// of the items.
  template <class Ctx, class In>
  static UPSWEEP_DEVICE void load(Ctx& block, const axis_tile& tile, In in, T* items) {
    if constexpr (has_vectors<In>) {
      if (is_aligned(in, tile)) {
        move<vector_items, true>(block, tile, reinterpret_cast<const vector*>(in + tile.first),
                                 reinterpret_cast<vector*>(items));
        const int rest = tile.items() % vector_items, at = tile.items() - rest + block.thread_rank();
        if (block.thread_rank() < rest) items[at] = in[tile.first + at];  // a tile with a rest is one piece
        return;
      }
    }
    move<1, true>(block, tile, in + tile.first, items);
  }

  /// Writes it to `out`.
  template <class Ctx, class Out>
  static UPSWEEP_DEVICE void store(Ctx& block, const axis_tile& tile, Out out, const T* items) {
    if constexpr (has_vectors<Out>) {
      if (is_aligned(out, tile)) {
        move<vector_items, false>(block, tile, reinterpret_cast<const vector*>(items),
                                  reinterpret_cast<vector*>(out + tile.first));
        const int rest = tile.items() % vector_items, at = tile.items() - rest + block.thread_rank();
        if (block.thread_rank() < rest) out[tile.first + at] = items[at];
        return;
      }
    }
    move<1, false>(block, tile, items, out + tile.first);
  }

 private:
  static constexpr int vector_items =
      std::has_single_bit(sizeof(T)) && sizeof(T) < 16 ? static_cast<int>(16 / sizeof(T)) : 1;
  using vector = vector_of<T, vector_items>;
  template <class It>
  static constexpr bool has_vectors = vector_items > 1 && is_array_of<It, T>;

  /// Whether all of the tile's pieces, but for the end of an only one, are whole vectors in both memories.
  static UPSWEEP_DEVICE bool is_aligned(const T* array, const axis_tile& tile) {
    if (reinterpret_cast<std::uintptr_t>(array + tile.first) % 16 != 0) return false;
    return tile.pieces == 1 ||
           (tile.piece_items | tile.shared_pitch | static_cast<int>(tile.pitch % vector_items)) % vector_items == 0;
  }

  /// Moves the tile's whole vectors of Items items, between its first ones in both memories.
  template <int Items, bool ToShared, class Ctx, class From, class To>
  static UPSWEEP_DEVICE void move(Ctx& block, const axis_tile& tile, From from, To to) {
    using value = std::conditional_t<Items == 1, T, vector>;
    constexpr bool is_value = std::is_same_v<std::remove_cvref_t<decltype(from[0])>, value>;
    const int count = tile.items() / Items;
    if (tile.pieces == 1) {
      constexpr int at_once = (AtOnce + Items - 1) / Items;
      for (int first = block.thread_rank(); first < count; first += Threads * at_once) {
        const auto here = from + first;
        const auto there = to + first;
        value v[at_once];
        UPSWEEP_UNROLL
        for (int i = 0; i < at_once; ++i) {
          if (first + i * Threads < count) v[i] = as<value, is_value>(here[i * Threads]);
        }
        UPSWEEP_UNROLL
        for (int i = 0; i < at_once; ++i) {
          if (first + i * Threads < count) there[i * Threads] = v[i];
        }
      }
      return;
    }
    constexpr int at_once = ToShared ? (AtOnce + Items - 1) / Items : 4;  // shared memory answers soon
    const int of_piece = tile.piece_items / Items;
    constexpr int warps = Threads / warp_size;
    // Many wide ones: a warp has every so many pieces, each lane one vector of each.
    if (of_piece >= 3 * warp_size / 4 && tile.pieces >= 4 * warps) {
      const std::int64_t pitch = tile.pitch / Items * warps;
      const int shared_pitch = tile.shared_pitch / Items * warps;
      for (int in_piece = block.lane(); in_piece < of_piece; in_piece += warp_size) {
        std::int64_t in_array = block.warp() * (tile.pitch / Items) + in_piece;
        int in_shared = block.warp() * (tile.shared_pitch / Items) + in_piece;
        for (int piece = block.warp(); piece < tile.pieces; piece += warps * at_once) {
          value v[at_once];
          UPSWEEP_UNROLL
          for (int i = 0; i < at_once; ++i) {
            if (piece + i * warps >= tile.pieces) continue;
            if constexpr (ToShared) {
              v[i] = as<value, is_value>(from[in_array + i * pitch]);
            } else {
              v[i] = from[in_shared + i * shared_pitch];
            }
          }
          UPSWEEP_UNROLL
          for (int i = 0; i < at_once; ++i) {
            if (piece + i * warps >= tile.pieces) continue;
            if constexpr (ToShared) {
              to[in_shared + i * shared_pitch] = v[i];
            } else {
              to[in_array + i * pitch] = v[i];
            }
          }
          in_array += at_once * pitch;
          in_shared += at_once * shared_pitch;
        }
      }
      return;
    }
    piece_walk<Items> to_read(tile, block.thread_rank()), to_write = to_read;
    for (int first = block.thread_rank(); first < count; first += Threads * at_once) {
      value v[at_once];
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (first + i * Threads < count) v[i] = as<value, is_value>(from[to_read.template place<!ToShared>()]);
        to_read.next();
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (first + i * Threads < count) to[to_write.template place<ToShared>()] = v[i];
        to_write.next();
      }
    }
  }

  template <class Value, bool IsValue, class Item>
  static UPSWEEP_DEVICE Value as(const Item& item) {
    if constexpr (IsValue) {
      return item;
    } else {
      return static_cast<Value>(item);
    }
  }

  /// Goes over the vectors of Items items of a tile in pieces, Threads of them at a step.
  template <int Items>
  struct piece_walk {
    std::int64_t in_array, step_in_array, gap_in_array;  ///< from the tile's first vector; a gap is between two pieces
    int in_shared, step_in_shared, gap_in_shared;
    int in_piece, step_in_piece, of_piece;

    UPSWEEP_DEVICE piece_walk(const axis_tile& tile, int rank) : of_piece(tile.piece_items / Items) {
      gap_in_array = tile.pitch / Items - of_piece;
      gap_in_shared = tile.shared_pitch / Items - of_piece;
      const small_divider by_piece(of_piece);
      const int piece = by_piece.quotient(rank), pieces_a_step = by_piece.quotient(Threads);
      in_piece = rank - piece * of_piece;
      in_array = rank + piece * gap_in_array;
      in_shared = rank + piece * gap_in_shared;
      step_in_piece = Threads - pieces_a_step * of_piece;
      step_in_array = Threads + pieces_a_step * gap_in_array;
      step_in_shared = Threads + pieces_a_step * gap_in_shared;
    }
    UPSWEEP_DEVICE void next() {
      in_piece += step_in_piece;
      in_array += step_in_array;
      in_shared += step_in_shared;
      if (in_piece >= of_piece) {
        in_piece -= of_piece;
        in_array += gap_in_array;
        in_shared += gap_in_shared;
      }
    }
    template <bool InShared>
    UPSWEEP_DEVICE auto place() const {
      if constexpr (InShared) {
        return in_shared;
      } else {
        return in_array;
      }
    }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
