// Votes as bits in device memory, with how many are set in each chunk; and, when the counts have been scanned, rank and
// select on them (Jacobson, "Space-efficient static trees and graphs", 1989).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/compact/device/vote_words.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The votes as bits, and how many are set in each chunk of them.
struct ballot_chunks {
  static constexpr int chunk_words = 8;
  static constexpr int chunk_items = 32 * chunk_words;

  /// Chunks of n votes.
  static constexpr std::int64_t chunks_of(std::int64_t n) { return ceil_div(n, chunk_items); }
};

/// Bit i % 32 of bits[i / 32] = vote(i), for i < n; the other bits of a warp's tile are 0. counts[c] = the votes of
/// chunk c, for c <= chunks.
template <class Position>
struct ballot_kernel : ballot_chunks {
  static constexpr int block_threads = 256;
  static constexpr int warp_items = 32 * warp_size;
  static constexpr int tile_items = block_threads / warp_size * warp_items;
  struct temp_storage {};

  template <class Ctx, class Vote, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Vote vote, Count count, std::int64_t chunks,
                                 std::uint32_t* bits, Position* counts) const {
    const std::int64_t n = items_of(count);
    const std::int64_t first = block.block_index() * tile_items + block.warp() * warp_items;
    if (first > chunks * chunk_items) return;
    const std::uint32_t word =
        first + warp_items <= n ? words_of<true>(block, vote, first, n) : words_of<false>(block, vote, first, n);
    bits[first / 32 + block.lane()] = word;

    int set = count_lanes(word);
    UPSWEEP_UNROLL
    for (int lanes = 1; lanes < chunk_words; lanes *= 2) set += block.shuffle_xor(set, lanes);
    const std::int64_t chunk = first / chunk_items + block.lane() / chunk_words;
    if (block.lane() % chunk_words == 0 && chunk <= chunks) counts[chunk] = static_cast<Position>(set);
  }

 private:
  /// Votes first + 32 lane, and the 31 after it, as bits; Full says that all of the warp's tile are there.
  template <bool Full, class Ctx, class Vote>
  static UPSWEEP_DEVICE std::uint32_t words_of(Ctx& block, const Vote& vote, std::int64_t first, std::int64_t n) {
    if constexpr (Full && has_vote_words<Vote>) {
      if (are_vote_words_aligned(vote)) return vote_word(block, vote, first + 32 * block.lane());
    }
    constexpr int flight = 16;
    std::uint32_t word = 0;
    UPSWEEP_UNROLL
    for (int j = 0; j < warp_size; j += flight) {
      bool row[flight];  // all of them are on their way before the first ballot
      UPSWEEP_UNROLL
      for (int f = 0; f < flight; ++f) {
        const std::int64_t i = first + (j + f) * warp_size + block.lane();
        row[f] = (Full || i < n) && vote(i);
      }
      UPSWEEP_UNROLL
      for (int f = 0; f < flight; ++f) {
        const lane_mask votes = block.ballot(row[f]);
        if (block.lane() == j + f) word = votes;
      }
    }
    return word;
  }
};

/// Finds bits by their number among those that are set, or among those that are not. kept[c] is the number of bits that
/// are set before chunk c.
template <bool Set, class Position>
struct bit_selector : ballot_chunks {
  const std::uint32_t* bits;
  const Position* kept;

  UPSWEEP_DEVICE Position before(Position chunk) const { return Set ? kept[chunk] : chunk * chunk_items - kept[chunk]; }

  /// The chunk of bit number `rank`, which lies in one of chunks low .. high. A warp asks together.
  template <class Ctx>
  UPSWEEP_DEVICE Position chunk_of(Ctx& block, Position rank, Position low, Position high) const {
    while (low < high) {
      const Position step = (high - low + warp_size - 1) / warp_size;
      const Position mine = low + step * static_cast<Position>(block.lane() + 1);
      const lane_mask reached = block.ballot(mine <= high && before(mine) <= rank);
      low += step * static_cast<Position>(count_lanes(reached));
      if (high - low >= step) high = low + step - 1;
    }
    return low;
  }

  /// to[i] = the place of bit number first + i, for i < count; all lie in chunks low .. high. All threads of the block
  /// call, each for words of its own: this is for bits that are not too far apart.
  template <class Ctx>
  UPSWEEP_DEVICE void list_places(Ctx& block, Position first, int count, Position low, Position high,
                                  Position* to) const {
    const auto words = static_cast<std::uint32_t>(high - low + 1) * chunk_words;
    for (std::uint32_t w = 0; w < words; w += Ctx::threads) {
      const std::uint32_t mine = w + static_cast<std::uint32_t>(block.thread_rank());
      const Position chunk = low + static_cast<Position>(mine / chunk_words);
      const std::int64_t at = static_cast<std::int64_t>(low) * chunk_words + mine;
      std::uint32_t left = 0;
      if (mine < words) left = Set ? bits[at] : ~bits[at];
      const int set = count_lanes(left);
      int in_front = set;  // of the chunk's bits, up to this word's last
      UPSWEEP_UNROLL
      for (int lanes = 1; lanes < chunk_words; lanes *= 2) {
        const int of_before = block.shuffle_up(in_front, lanes);
        if (block.lane() % chunk_words >= lanes) in_front += of_before;
      }
      if (left == 0) continue;
      // Modulo 2^32 or 2^64; what is before the first bit is a large number.
      Position number = before(chunk) + static_cast<Position>(in_front - set) - first;
      for (; left != 0; left &= left - 1, ++number) {
        if (number < static_cast<Position>(count)) {
          to[number] = static_cast<Position>(32 * at) + static_cast<Position>(lowest_lane(left));
        }
      }
    }
  }

  /// The place of bit number `rank`, which lies in one of chunks low .. high.
  template <class Ctx>
  UPSWEEP_DEVICE Position place_of(Ctx& block, Position rank, Position low, Position high) const {
    low = partition_point(low, high, [&](Position chunk) { return before(chunk + 1) <= rank; });
    auto left = static_cast<int>(rank - before(low));  // bits to skip in the chunk
    const std::uint32_t* const words = bits + static_cast<std::int64_t>(low) * chunk_words;
    std::uint32_t found = 0;
    int place = 0;
    bool is_found = false;
    UPSWEEP_UNROLL
    for (int w = 0; w < chunk_words; w += 4) {
      const auto four = block.template load_vector<4>(words + w);
      UPSWEEP_UNROLL
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t word = Set ? four.item[i] : ~four.item[i];
        const int set = count_lanes(word);
        if (!is_found && left < set) {
          found = word;
          place = 32 * (w + i);
          is_found = true;
        }
        if (!is_found) left -= set;
      }
    }
    UPSWEEP_UNROLL
    for (int width = 16; width > 0; width /= 2) {
      const int below = count_lanes(found & ((1u << width) - 1));
      if (left >= below) {
        left -= below;
        found >>= width;
        place += width;
      }
    }
    return low * chunk_items + static_cast<Position>(place);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
