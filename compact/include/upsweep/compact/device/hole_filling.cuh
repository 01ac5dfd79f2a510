// Compaction in place that moves only what must move: of n elements of which k are kept, those that are dropped before
// k are holes, those that are kept after are movers, and the i-th hole takes the i-th mover. Not stable, but the same
// on every run. The votes are kept as bits, on which holes and movers are found by rank and select (ballot_bits.cuh),
// so that what stays is neither read nor written.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/ballot_bits.cuh"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/request.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Moves the i-th mover of every array into the i-th hole, and writes the results.
template <class Position>
struct fill_holes_kernel : ballot_chunks {
  static constexpr int block_threads = 256;
  static constexpr int batch_pairs = 4 * block_threads;
  /// A thread has so many words of the votes to look at, at most, before a search for each bit is faster.
  static constexpr int words_of_thread = 16;
  static constexpr std::int64_t least_pairs = 64;  // for a block that is launched

  struct temp_storage {
    uninitialized_array<Position, batch_pairs> hole, mover;
    Position chunk[4];  // of the batch's first and last hole, and first and last mover
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const std::uint32_t* bits, const Position* kept,
                                 std::int64_t chunks, move_batch arrays, select_results results) const {
    const bit_selector<false, Position> dropped{{}, bits, kept};
    const bit_selector<true, Position> selected{{}, bits, kept};
    const auto all = static_cast<std::int64_t>(kept[chunks]);
    if (block.block_index() == 0 && block.thread_rank() == 0) results.put(block, all);
    const auto front = static_cast<Position>(all < results.capacity ? all : results.capacity);
    const Position border = front / chunk_items, last = static_cast<Position>(chunks - 1);
    const Position kept_in_front = kept[border] + kept_below(bits, front);
    const Position holes = front - kept_in_front;

    // Few holes go to many blocks. Blocks take neighbouring batches at a time, whose writes meet in the L2.
    const auto blocks = static_cast<Position>(block.num_blocks());
    const Position share = (holes / blocks / warp_size + 1) * warp_size;
    const Position batch = share < batch_pairs ? share : batch_pairs;
    const Position stride = blocks * batch;
    for (Position first = static_cast<Position>(block.block_index()) * batch; first < holes; first += stride) {
      const int valid = static_cast<int>(holes - first < batch ? holes - first : batch);
      if (block.warp() < 4) {  // one end each
        const Position rank = block.warp() % 2 == 0 ? first : first + static_cast<Position>(valid - 1);
        const Position chunk = block.warp() < 2 ? dropped.chunk_of(block, rank, 0, border)
                                                : selected.chunk_of(block, kept_in_front + rank, border, last);
        if (block.lane() == 0) s.chunk[block.warp()] = chunk;
      }
      block.barrier();  // s.chunk is written, and s.hole and s.mover of the batch before have been read
      list(block, dropped, first, valid, s.chunk[0], s.chunk[1], &s.hole[0]);
      list(block, selected, kept_in_front + first, valid, s.chunk[2], s.chunk[3], &s.mover[0]);
      block.barrier();  // s.hole and s.mover are written
      for (int a = 0; a < arrays.size; ++a) {
        const element_array array = arrays.array[a];  // a copy: a reference would keep all of `arrays` in memory
        move_elements<2>(block, route{&s.mover[0], &s.hole[0], valid}, array);
      }
    }
  }

 private:
  /// The votes before position `front` in its chunk.
  static UPSWEEP_DEVICE Position kept_below(const std::uint32_t* bits, Position front) {
    const int below = static_cast<int>(front % chunk_items);
    const std::uint32_t* const words = bits + static_cast<std::int64_t>(front / chunk_items) * chunk_words;
    int count = 0;
    for (int w = 0; 32 * w < below; ++w) {
      const lane_mask mask = below - 32 * w < 32 ? (1u << (below - 32 * w)) - 1 : full_warp;
      count += count_lanes(words[w] & mask);
    }
    return static_cast<Position>(count);
  }

  /// to[i] = the place of bit number first + i, for i < valid.
  template <class Ctx, class Selector>
  static UPSWEEP_DEVICE void list(Ctx& block, const Selector& bits, Position first, int valid, Position low,
                                  Position high, Position* to) {
    if (high - low < block_threads * words_of_thread / chunk_words) {
      bits.list_places(block, first, valid, low, high, to);
    } else {
      for (int i = block.thread_rank(); i < valid; i += block_threads) {
        to[i] = bits.place_of(block, first + static_cast<Position>(i), low, high);
      }
    }
  }

  /// From movers to holes.
  struct route {
    const Position *mover, *hole;
    int count;
    UPSWEEP_DEVICE Position from(int i) const { return mover[i]; }
    UPSWEEP_DEVICE Position to(int i) const { return hole[i]; }
  };
};

/// The method. `Scan` is a scan policy, or a spine (upsweep/scan/spine.cuh). Up to `Narrow` elements have
/// 32-bit positions, more have 64-bit ones.
template <class Scan = default_scan, std::int64_t Narrow = 0xffffffff>
class hole_filling {
 public:
  using Spine = spine_of_t<Scan>;

  explicit hole_filling(Spine spine = {}) : spine_(spine) {}

  /// For any arrays: a bit and a 64th of a byte an element (a 32nd from 2^32 on), and what the scan of
  /// n / 256 counts takes.
  std::size_t workspace_bytes(std::span<const soa_array>, std::int64_t n,
                              rejected_order = rejected_order::apart) const {
    if (n <= 0) return 0;
    return wide(n) ? bytes_of<std::uint64_t>(n) : bytes_of<std::uint32_t>(n);
  }

  /// Keeps element i of all arrays when vote(i), i < n, and writes the count to device memory. Every array's out is its
  /// in, else invalid_value; not_supported for rejected elements and for indices. With a capacity, which of the
  /// elements are dropped is fixed, too.
  template <class Executor, class Count, class Vote>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count n, Vote vote,
             const select_results& results, rejected_order rejected = rejected_order::apart) const {
    const std::int64_t bound = bound_of(n);
    if (results.indices.wanted() || rejected != rejected_order::apart) return status::not_supported;
    for (const soa_array& a : arrays) {
      if (a.in != a.out) return status::invalid_value;
      if (a.rejected != nullptr) return status::not_supported;
    }
    const std::size_t bytes = workspace_bytes(arrays, bound);
    const auto answer = answer_at_once(ex, w, bytes, arrays, n, results, rejected, read_by(vote, bound));
    if (answer) return *answer;
    return wide(bound) ? run_with<std::uint64_t>(ex, w, arrays, n, vote, results)
                       : run_with<std::uint32_t>(ex, w, arrays, n, vote, results);
  }

 private:
  /// One chunk more than there are, whose count becomes the sum of all.
  template <class Position>
  struct layout_plan {
    std::int64_t chunks, tiles;
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> bits;
    workspace_layout::slot<Position> counts;

    explicit layout_plan(std::int64_t n) : chunks(ballot_chunks::chunks_of(n)) {
      using kernel = ballot_kernel<Position>;
      const std::int64_t votes = (chunks + 1) * ballot_chunks::chunk_items;
      tiles = ceil_div(votes, kernel::tile_items);
      bits = layout.add<std::uint32_t>(ceil_div(votes, kernel::warp_items) * warp_size);
      counts = layout.add<Position>(chunks + 1);
    }
  };

  static bool wide(std::int64_t n) { return n > Narrow; }

  template <class Position>
  std::size_t bytes_of(std::int64_t n) const {
    const layout_plan<Position> p(n);
    return p.layout.bytes() + spine_.template workspace_bytes<Position>(p.chunks + 1);
  }

  template <class Position, class Executor, class Count, class Vote>
  status run_with(Executor& ex, workspace w, std::span<const soa_array> arrays, Count n, Vote vote,
                  const select_results& results) const {
    const std::int64_t bound = bound_of(n);
    const layout_plan<Position> p(bound);
    if (!spine_.takes(p.chunks + 1)) return status::not_supported;
    std::uint32_t* const bits = p.layout.at(w, p.bits);
    Position* const counts = p.layout.at(w, p.counts);
    status s = ex.launch(p.tiles, ballot_kernel<Position>{}, vote, count_argument(n), p.chunks, bits, counts);
    if (s != status::success) return s;
    s = spine_.exclusive_sum(ex, p.layout.rest(w), counts, p.chunks + 1);
    if (s != status::success) return s;

    // Half of the elements move at most.
    using filler = fill_holes_kernel<Position>;
    const std::int64_t most = ceil_div(bound / 2 + 1, filler::least_pairs);
    const std::int64_t resident = ex.multiprocessors() * (2048 / filler::block_threads);
    return in_batches<moved_array>(
        arrays, [](const soa_array& a) { return in_words(a.in, a.out, a.element_bytes); },
        [&](const move_batch& batch, bool) {
          return ex.launch(most < resident ? most : resident, filler{}, static_cast<const std::uint32_t*>(bits),
                           static_cast<const Position*>(counts), p.chunks, batch, results);
        });
  }

  Spine spine_;
};
template <class Scan>
hole_filling(Scan) -> hole_filling<Scan>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
