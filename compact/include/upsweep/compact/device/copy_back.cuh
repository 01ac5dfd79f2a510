// The second half of a compaction whose elements could not go where they belong at once: from the workspace back to
// their arrays.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a pass leaves for the kernels after it in the same call.
struct compact_totals {
  std::int64_t items, kept;
};

/// An array in the workspace, of as many elements as there are items: those that are kept at the front, the others,
/// where there are any, backwards from the end on. It becomes that stretch of `out` that is not there yet.
struct copied_array : element_array {
  bool kept_are_there;
  bool with_rejected;
  bool turns;  // the rejected ones into input order
};
using copy_batch = array_batch<copied_array>;

/// ElementBytes: of the elements of all arrays, if that is known.
template <std::size_t ElementBytes = 0>
struct copy_back_kernel {
  static constexpr int block_threads = 256;
  static constexpr int tile_items = block_threads * 16;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const copy_batch& batch,
                                 const compact_totals* totals) const {
    const compact_totals t = *totals;
    const std::int64_t tile = block.block_index() * tile_items, tile_end = tile + tile_items;
    for (int a = 0; a < batch.size; ++a) {
      const copied_array array = batch.array[a];
      UPSWEEP_NO_UNROLL
      for (int part = 0; part < 2; ++part) {  // the kept ones, then the rejected ones
        const std::int64_t first = part == 0 ? 0 : t.kept;
        const std::int64_t last = part == 0 ? (array.kept_are_there ? 0 : t.kept) : array.with_rejected ? t.items : 0;
        const std::int64_t begin = first > tile ? first : tile, end = last < tile_end ? last : tile_end;
        const bool turns = part == 1 && array.turns;
        const std::int64_t from = turns ? t.items - 1 - (begin - t.kept) : begin;
        if (begin < end) {
          move_elements<4, 0, ElementBytes>(block, route{from, turns ? -1 : 1, begin, static_cast<int>(end - begin)},
                                            array);
        }
      }
    }
  }

 private:
  struct route {
    std::int64_t first_from;
    int step;
    std::int64_t first_to;
    int count;
    UPSWEEP_DEVICE std::int64_t from(int i) const { return first_from + static_cast<std::int64_t>(i) * step; }
    UPSWEEP_DEVICE std::int64_t to(int i) const { return first_to + i; }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
