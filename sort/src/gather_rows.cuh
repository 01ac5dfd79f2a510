// Rows of values fetched by their places, for rows of a size that is known only at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_CUDA_ABI {

/// Row i of `out` = row place[i] of `in`, for rows of `words` words, fewer than 2^24. A block moves block_threads rows:
/// neighbouring threads move neighbouring words.
template <class Word>
struct gather_rows_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Word* in, Word* out, const std::uint32_t* place,
                                 std::int64_t rows, std::uint32_t words) const {
    const std::int64_t first = block.block_index() * block_threads, left = rows - first;
    const std::uint32_t all = static_cast<std::uint32_t>(left < block_threads ? left : block_threads) * words;
    for (auto k = static_cast<std::uint32_t>(block.thread_rank()); k < all; k += block_threads) {
      const std::uint32_t row = words == 1 ? k : k / words;
      out[first * words + k] = in[std::int64_t{place[first + row]} * words + (k - row * words)];
    }
  }
};

/// Moves the rows by the widest words that they allow.
template <class Executor>
status gather_rows(Executor& ex, const value_rows& rows, const std::uint32_t* place, std::int64_t n) {
  const auto by = [&]<class Word>(Word) {
    using kernel = gather_rows_kernel<Word>;
    return ex.launch(ceil_div(n, kernel::block_threads), kernel{}, static_cast<const Word*>(rows.in),
                     static_cast<Word*>(rows.out), place, n, static_cast<std::uint32_t>(rows.bytes / sizeof(Word)));
  };
  const auto allow = [&](std::size_t bytes) {
    return rows.bytes % bytes == 0 && aligned_to(rows.in, bytes) && aligned_to(rows.out, bytes);
  };
  if (allow(16)) return by(vector_of<std::uint64_t, 2>{});
  if (allow(8)) return by(std::uint64_t{});
  if (allow(4)) return by(std::uint32_t{});
  if (allow(2)) return by(std::uint16_t{});
  return by(std::uint8_t{});
}

}  // namespace upsweep::runtime::inline UPSWEEP_CUDA_ABI
