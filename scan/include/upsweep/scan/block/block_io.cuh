// Moves a tile between global memory and registers. Global memory is touched in warp-striped order (neighbouring lanes,
// neighbouring items); each thread holds `Items` consecutive items (blocked order). Each warp exchanges its own stretch
// through shared memory, so warps do not wait for each other.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Values of `bytes` bytes that the 32 banks serve at once. With a free slot after each row of them, lanes whose values
/// are a power of two apart meet in no bank.
constexpr int values_a_row(std::size_t bytes) {
  return bytes == 8 || bytes == 16 ? static_cast<int>(128 / bytes) : warp_size;
}

/// `Items`, halved until the exchange of a tile of T fits the 48 KiB of shared memory that every GPU gives a block.
template <class T, int Threads, int Items>
constexpr int items_that_fit() {
  constexpr int row = values_a_row(sizeof(T));
  int items = Items;
  while (items > 1 && sizeof(T) * static_cast<std::size_t>(Threads * items) * (row + 1) / row > 47 * 1024) items /= 2;
  return items;
}

/// Items of less than 4 bytes travel several in a word, where a thread holds whole words of them.
template <class T, int Threads, int Items>
struct block_io {
  static constexpr int items_of_4_bytes = 4 % sizeof(T) == 0 ? static_cast<int>(4 / sizeof(T)) : 1;
  static constexpr int word_items = Items % items_of_4_bytes == 0 ? items_of_4_bytes : 1;
  using word = std::conditional_t<word_items == 1, T, std::uint32_t>;
  static constexpr int thread_words = Items / word_items;
  static constexpr int warp_words = warp_size * thread_words;
  static constexpr int tile_words = Threads * thread_words;

  static constexpr int row = values_a_row(sizeof(word));

  struct temp_storage {
    uninitialized_array<word, tile_words + tile_words / row> words;
  };

  /// Reads the first `valid` items of `from` on; the others are `padding`. A barrier is needed between the call and the
  /// next use of `s`.
  template <bool Full, class Ctx, class In>
  static UPSWEEP_DEVICE void load(Ctx& block, temp_storage& s, In from, int valid, T (&item)[Items],
                                  const T& padding = T{}) {
    const int first = block.warp() * warp_words;
    const bool whole = Full && holds_words(from);
    UPSWEEP_UNROLL
    for (int i = 0; i < thread_words; ++i) {
      const int at = first + i * warp_size + block.lane();
      s.words[padded(at)] = read_word<Full>(block, from, at * word_items, valid, whole, padding);
    }
    block.warp_sync();
    UPSWEEP_UNROLL
    for (int i = 0; i < thread_words; ++i) {
      const word w = s.words[padded(first + block.lane() * thread_words + i)];
      memcpy(static_cast<void*>(item + i * word_items), __builtin_addressof(w), sizeof w);
    }
  }

  /// Writes the first `valid` items to `to` on. As load.
  template <bool Full, class Ctx, class Out>
  static UPSWEEP_DEVICE void store(Ctx& block, temp_storage& s, Out to, int valid, const T (&item)[Items]) {
    const int first = block.warp() * warp_words;
    UPSWEEP_UNROLL
    for (int i = 0; i < thread_words; ++i) {
      void* const to_word = s.words.data() + padded(first + block.lane() * thread_words + i);
      memcpy(to_word, item + i * word_items, sizeof(word));
    }
    block.warp_sync();
    const bool whole = Full && holds_words(to);
    UPSWEEP_UNROLL
    for (int i = 0; i < thread_words; ++i) {
      const int at = first + i * warp_size + block.lane();
      write_word<Full>(block, to, at * word_items, valid, s.words[padded(at)], whole);
    }
  }

 private:
  static UPSWEEP_DEVICE int padded(int i) { return i + i / row; }

  /// The array is of T itself and aligned to words.
  template <class It>
  static UPSWEEP_DEVICE bool holds_words(It array) {
    if constexpr (word_items > 1 && is_array_of<It, T>)
      return reinterpret_cast<std::uintptr_t>(array) % sizeof(word) == 0;
    return false;
  }

  template <bool Full, class Ctx, class In>
  static UPSWEEP_DEVICE word read_word(Ctx& block, In from, int at, int valid, bool whole, const T& padding) {
    if constexpr (word_items == 1) {
      return Full || at < valid ? static_cast<T>(from[at]) : padding;
    } else {
      if constexpr (is_array_of<In, T>) {
        if (whole) return block.template load_vector<1>(reinterpret_cast<const word*>(from + at)).item[0];
      }
      T item[word_items];
      UPSWEEP_UNROLL
      for (int k = 0; k < word_items; ++k) item[k] = Full || at + k < valid ? static_cast<T>(from[at + k]) : padding;
      word w;
      memcpy(&w, item, sizeof w);
      return w;
    }
  }

  template <bool Full, class Ctx, class Out>
  static UPSWEEP_DEVICE void write_word(Ctx& block, Out to, int at, int valid, const word& w, bool whole) {
    if constexpr (word_items == 1) {
      if (Full || at < valid) to[at] = w;
    } else {
      if constexpr (is_array_of<Out, T>) {
        if (whole) return block.template store_vector<1>(reinterpret_cast<word*>(to + at), {{w}});
      }
      T item[word_items];
      memcpy(static_cast<void*>(item), &w, sizeof w);
      UPSWEEP_UNROLL
      for (int k = 0; k < word_items; ++k) {
        if (Full || at + k < valid) to[at + k] = item[k];
      }
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::block_io;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
