// The second half of a compaction whose elements could not go where they belong at once: from the workspace to their
// arrays.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a pass leaves for the kernels behind it in the same call.
struct compact_totals {
  std::int64_t items, kept;
};

/// An array in the workspace, of as many elements as there are items: those that are kept in front, the others, where
/// there are any, backwards from the end on. It becomes that stretch of `out` that is not there yet.
struct settled_array {
  moved_array array;  // from the workspace
  bool kept_are_there;
  bool with_rejected;
  bool turns;  // the rejected ones into input order
};

struct settle_batch {
  int size = 0;
  settled_array array[move_batch::capacity];
};

struct settle_kernel {
  static constexpr int block_threads = 256;
  static constexpr int tile_items = block_threads * 16;
  static constexpr int at_once = 8;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const settle_batch& batch,
                                 const compact_totals* totals) const {
    const compact_totals t = *totals;
    const std::int64_t first = block.block_index() * tile_items;
    for (int a = 0; a < batch.size; ++a) {
      const settled_array sa = batch.array[a];
      const std::int64_t begin = sa.kept_are_there && first < t.kept ? t.kept : first;
      const std::int64_t all = sa.with_rejected ? t.items : t.kept;
      const std::int64_t end = all - first < tile_items ? all : first + tile_items;
      with_word(sa.array.word_bytes, [&](auto word) {
        using word_type = decltype(word);
        const auto* const in = static_cast<const word_type*>(sa.array.in);
        auto* const out = static_cast<word_type*>(sa.array.out);
        const std::int64_t words = sa.array.words;
        for (std::int64_t j = begin * words + block.thread_rank(); j < end * words; j += at_once * block_threads) {
          word_type w[at_once]{};
          UPSWEEP_UNROLL
          for (int k = 0; k < at_once; ++k) {
            const std::int64_t at = j + k * block_threads;
            if (at >= end * words) continue;
            const std::int64_t to = words == 1 ? at : at / words;
            const std::int64_t from = sa.turns && to >= t.kept ? t.items - 1 - (to - t.kept) : to;
            w[k] = in[from * words + (at - to * words)];
          }
          UPSWEEP_UNROLL
          for (int k = 0; k < at_once; ++k) {
            if (j + k * block_threads < end * words) out[j + k * block_threads] = w[k];
          }
        }
      });
    }
  }
};

/// Puts item i of `moved`, which loads and puts items as a one_array, for bounds[0] <= i < bounds[1]; with `turns`, the
/// last of them comes first.
struct copy_between_kernel {
  static constexpr int block_threads = 256;
  static constexpr int tile_items = block_threads * 8;
  struct temp_storage {};
  template <class Ctx, class Moved>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Moved& moved, const std::int64_t* bounds,
                                 bool turns) const {
    const std::int64_t begin = bounds[0], end = bounds[1], tile = block.block_index() * tile_items;
    const std::int64_t last = end < tile + tile_items ? end : tile + tile_items;
    for (std::int64_t i = (begin > tile ? begin : tile) + block.thread_rank(); i < last; i += block_threads) {
      moved.put(i, moved.load(turns ? begin + end - 1 - i : i));
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
