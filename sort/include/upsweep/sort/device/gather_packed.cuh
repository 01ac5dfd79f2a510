// Rows of several arrays fetched by their places in one piece: first the rows of all arrays are brought together, in
// order; then each is read where its place says, and shared out. A row that is read anywhere costs a sector of memory
// or two for each array, most of it for nothing when it is narrow.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An array of rows of `bytes` bytes at `in`, which go to `out`.
struct row_array {
  const void* in;
  void* out;
  std::size_t bytes;
};

/// Up to 8 of them, in words.
template <class Word>
struct word_rows {
  static constexpr int most = 8;
  const Word* in[most];
  Word* out[most];
  int end[most];  // where the array's words end among those of a packed row; of no array: with the last
  int width;      // words of a packed row
};

/// packed[i] = row i of all arrays (Packs), or row i of all arrays = packed[place[i]].
template <class Word, bool Packs>
struct packed_rows_kernel {
  static constexpr int block_threads = 256, rounds = 4, tile_words = block_threads * rounds;
  struct temp_storage {};

  template <class Ctx, class Place, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, word_rows<Word> rows, Word* packed, const Place* place,
                                 Count count) const {
    const int a_tile = tile_words / rows.width;
    const std::int64_t first = block.block_index() * a_tile, left = items_of(count) - first;
    const int words = static_cast<int>(left < 0 ? 0 : left < a_tile ? left : a_tile) * rows.width;
    Word moved[rounds];  // all loads of a thread are on their way at once
    Word* to[rounds];
    UPSWEEP_UNROLL
    for (int r = 0; r < rounds; ++r) {
      const int at = r * block_threads + block.thread_rank();
      if (at >= words) continue;
      const int row = at / rows.width, word = at - row * rows.width;
      const Word* in = rows.in[0];
      Word* out = rows.out[0];
      int begin = 0, end = rows.end[0];
      UPSWEEP_UNROLL
      for (int a = 1; a < word_rows<Word>::most; ++a) {  // no index that a register could not hold
        if (word < rows.end[a - 1]) continue;
        in = rows.in[a], out = rows.out[a], begin = rows.end[a - 1], end = rows.end[a];
      }
      const std::int64_t own = (first + row) * (end - begin) + word - begin;
      if constexpr (Packs) {
        moved[r] = in[own];
        to[r] = packed + first * rows.width + at;
      } else {
        moved[r] = packed[static_cast<std::int64_t>(place[first + row]) * rows.width + word];
        to[r] = out + own;
      }
    }
    UPSWEEP_UNROLL
    for (int r = 0; r < rounds; ++r) {
      if (r * block_threads + block.thread_rank() < words) *to[r] = moved[r];
    }
  }
};

/// Whether `arrays` arrays, from `array` on, can be packed as words, and are worth it.
inline bool can_pack(const row_array* array, std::size_t arrays, std::size_t word) {
  std::size_t bytes = 0;
  for (std::size_t a = 0; a < arrays; ++a) {
    if (array[a].bytes % word != 0 || !aligned_to(array[a].in, word) || !aligned_to(array[a].out, word)) return false;
    bytes += array[a].bytes;
  }
  return arrays >= 2 && arrays <= word_rows<char>::most && bytes <= 32 * arrays && bytes <= 512;
}

/// Row i of each array's `out` = row place[i] of its `in`, by the room for packed rows that `w` may have after its
/// first `used` bytes. Sets `done` if it has, and the arrays are such that it is worth it.
template <class Executor, class Place, class Count>
status gather_packed(Executor& ex, workspace w, std::size_t used, const row_array* array, std::size_t arrays,
                     const Place* place, const Count& n, bool& done) {
  done = false;
  const auto by = [&]<class Word>(Word) {
    word_rows<Word> rows{};
    for (std::size_t a = 0; a < arrays; ++a) {
      rows.in[a] = static_cast<const Word*>(array[a].in);
      rows.out[a] = static_cast<Word*>(array[a].out);
      rows.width += static_cast<int>(array[a].bytes / sizeof(Word));
      rows.end[a] = rows.width;
    }
    for (std::size_t a = arrays; a < word_rows<Word>::most; ++a) rows.end[a] = rows.width;
    constexpr std::uintptr_t unit = workspace_layout::alignment;
    const auto begin = (reinterpret_cast<std::uintptr_t>(w.data) + used + unit - 1) / unit * unit;
    const std::size_t room =
        static_cast<std::size_t>(bound_of(n)) * static_cast<std::size_t>(rows.width) * sizeof(Word);
    if (begin + room > reinterpret_cast<std::uintptr_t>(w.data) + w.bytes) return status::success;
    done = true;
    Word* const packed = reinterpret_cast<Word*>(begin);
    const std::int64_t blocks = ceil_div(bound_of(n), packed_rows_kernel<Word, true>::tile_words / rows.width);
    const status s = ex.launch(blocks, packed_rows_kernel<Word, true>{}, rows, packed, place, count_argument(n));
    if (s != status::success) return s;
    return ex.launch(blocks, packed_rows_kernel<Word, false>{}, rows, packed, place, count_argument(n));
  };
  using wide = vector_of<std::uint64_t, 2>;
  if (can_pack(array, arrays, sizeof(wide))) return by(wide{});
  if (can_pack(array, arrays, sizeof(std::uint32_t))) return by(std::uint32_t{});
  return status::success;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
