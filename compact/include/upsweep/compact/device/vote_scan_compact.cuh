// Stream compaction in three steps (Horn, "Stream reduction operations for GPGPU applications", GPU Gems 2, chapter 36;
// with the scan of Harris, Sengupta & Owens): each element votes 1 or 0, an exclusive scan of the votes is where each
// kept element goes, and the kept elements move there. Stable. Any scan will do.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/copy_back.cuh"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/request.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// positions[i] = vote(i) ? 1 : 0 for i < n, and positions[n] = 0, so that the exclusive scan ends with the count.
template <class Position>
struct vote_kernel {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 4;
  static constexpr int tile_items = block_threads * items_per_thread;
  struct temp_storage {};

  template <class Ctx, class Vote>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Vote vote, std::int64_t n, Position* positions) const {
    const std::int64_t tile = block.block_index() * tile_items;
    tile + tile_items <= n ? put<true>(block, vote, tile, n, positions) : put<false>(block, vote, tile, n, positions);
  }

 private:
  /// The votes on a whole tile wait for no bound, so that all that they read is asked for before the first of it is
  /// there.
  template <bool Whole, class Ctx, class Vote>
  static UPSWEEP_DEVICE void put(Ctx& block, const Vote& vote, std::int64_t tile, std::int64_t n, Position* positions) {
    const std::int64_t first = tile + block.thread_rank();
    bool keep[items_per_thread];
    UPSWEEP_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      const std::int64_t i = first + k * block_threads;
      keep[k] = (Whole || i < n) && vote(i);
    }
    UPSWEEP_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      const std::int64_t i = first + k * block_threads;
      if (Whole || i <= n) positions[i] = keep[k] ? 1 : 0;
    }
  }
};

/// Moves element i of every array to element positions[i] when positions[i + 1] differs, and writes the count.
template <class Position>
struct move_kernel {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 8;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int blocks_per_multiprocessor = 5;
  struct temp_storage {
    uninitialized_array<Position, tile_items + 1> position;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Position* positions, std::int64_t n,
                                 const move_batch& batch, std::int64_t* num_selected, compact_totals* totals) const {
    const std::int64_t first = block.block_index() * tile_items;
    const int valid = n - first < tile_items ? static_cast<int>(n - first) : tile_items;
    Position position[items_per_thread];
    UPSWEEP_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      const int i = block.thread_rank() + k * block_threads;
      if (i < valid) position[k] = positions[first + i];
    }
    UPSWEEP_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      const int i = block.thread_rank() + k * block_threads;
      if (i < valid) s.position[i] = position[k];
    }
    if (block.thread_rank() == 0) s.position[valid] = positions[first + valid];
    block.barrier();  // s.position is written
    if (first + valid == n && block.thread_rank() == 0) {
      *num_selected = static_cast<std::int64_t>(s.position[valid]);
      *totals = {n, static_cast<std::int64_t>(s.position[valid])};
    }
    if (s.position[0] == s.position[valid]) return;
    for (int a = 0; a < batch.size; ++a) {
      const element_array array = batch.array[a];
      move_elements<4, 1>(block, route{&s.position[0], first, valid}, array);
    }
  }

 private:
  struct route {
    const Position* position;
    std::int64_t first;
    int count;
    UPSWEEP_DEVICE bool keeps(int i) const { return position[i + 1] != position[i]; }
    UPSWEEP_DEVICE std::int64_t from(int i) const { return first + i; }
    UPSWEEP_DEVICE Position to(int i) const { return position[i]; }
  };
};

/// The method. `Scan` is a scan policy, or a spine (upsweep/scan/spine.cuh). Up to `Narrow` elements have
/// 32-bit positions, more have 64-bit ones.
template <class Scan, std::int64_t Narrow = 0xffffffff>
class vote_scan_compact {
 public:
  using Spine = spine_of_t<Scan>;

  explicit vote_scan_compact(Spine spine = {}) : spine_(spine) {}

  std::size_t workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                              rejected_order = rejected_order::apart) const {
    if (n <= 0) return 0;
    return wide(n) ? bytes_of<std::uint64_t>(arrays, n) : bytes_of<std::uint32_t>(arrays, n);
  }

  /// Moves element i of all arrays when vote(i), i < n, and writes the count to device memory. not_supported for n in
  /// device memory, for rejected elements, and when more is asked for than the count in 8 bytes.
  template <class Executor, class Count, class Vote>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count, Vote vote,
             const select_results& results, rejected_order rejected = rejected_order::apart) const {
    const std::int64_t n = bound_of(count);
    if constexpr (!std::is_same_v<Count, std::int64_t>) return status::not_supported;
    if (!results.is_count_alone() || rejected != rejected_order::apart) return status::not_supported;
    for (const soa_array& a : arrays) {
      if (a.rejected != nullptr) return status::not_supported;
    }
    const std::size_t bytes = workspace_bytes(arrays, n);
    const auto answer = answer_at_once(ex, w, bytes, arrays, n, results, rejected, read_by(vote, n));
    if (answer) return *answer;
    auto* const num_selected = static_cast<std::int64_t*>(results.num_selected.data);
    return wide(n) ? run_with<std::uint64_t>(ex, w, arrays, n, vote, num_selected)
                   : run_with<std::uint32_t>(ex, w, arrays, n, vote, num_selected);
  }

 private:
  template <class Position>
  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<Position> positions;
    workspace_layout::slot<compact_totals> totals;
    workspace_layout::slot<std::byte> scratch;  // the largest array that is compacted in place

    layout_plan(std::span<const soa_array> arrays, std::int64_t n)
        : positions(layout.add<Position>(n + 1)), totals(layout.add<compact_totals>(1)) {
      std::size_t widest = 0;
      for (const soa_array& a : arrays) {
        if (a.in == a.out && a.element_bytes > widest) widest = a.element_bytes;
      }
      scratch = layout.add<std::byte>(widest * static_cast<std::size_t>(n));
    }
  };

  static bool wide(std::int64_t n) { return n > Narrow; }

  template <class Position>
  std::size_t bytes_of(std::span<const soa_array> arrays, std::int64_t n) const {
    return layout_plan<Position>(arrays, n).layout.bytes() + spine_.template workspace_bytes<Position>(n + 1);
  }

  template <class Position, class Executor, class Vote>
  status run_with(Executor& ex, workspace w, std::span<const soa_array> arrays, std::int64_t n, Vote vote,
                  std::int64_t* num_selected) const {
    if (!spine_.takes(n + 1)) return status::not_supported;
    const layout_plan<Position> p(arrays, n);
    Position* const positions = p.layout.at(w, p.positions);
    const vote_kernel<Position> votes;
    status s = ex.launch(ceil_div(n + 1, votes.tile_items), votes, vote, n, positions);
    if (s != status::success) return s;
    s = spine_.exclusive_sum(ex, p.layout.rest(w), positions, n + 1);
    if (s != status::success) return s;

    compact_totals* const totals = p.layout.at(w, p.totals);
    const auto move = [&](const move_batch& batch, bool) {
      const move_kernel<Position> mover;
      return ex.launch(ceil_div(n, mover.tile_items), mover, static_cast<const Position*>(positions), n, batch,
                       num_selected, totals);
    };
    const auto out_of_place = [](const soa_array& a) -> std::optional<moved_array> {
      if (a.in == a.out) return {};
      return in_words(a.in, a.out, a.element_bytes);
    };
    // Also with nothing to move: the count is written.
    s = in_batches<moved_array>(arrays, out_of_place, move);
    void* const scratch = p.layout.at(w, p.scratch);
    for (const soa_array& a : arrays) {
      if (a.in != a.out) continue;
      if (s != status::success) return s;
      if ((s = move({1, {in_words(a.in, scratch, a.element_bytes)}}, true)) != status::success) return s;
      const copy_batch back{1, {{in_words(scratch, a.out, a.element_bytes), false, false, false}}};
      const copy_back_kernel<> kernel;
      s = ex.launch(ceil_div(n, kernel.tile_items), kernel, back, static_cast<const compact_totals*>(totals));
    }
    return s;
  }

  Spine spine_;
};
template <class Scan>
vote_scan_compact(Scan) -> vote_scan_compact<Scan>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
