// What stretches of runs hand on, and how tiles publish it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/scan/flow/tile_pieces.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/scan/warp/warp_runs.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// As many ones as are asked for: their reductions by plus are lengths.
template <class T>
struct ones {
  UPSWEEP_HOST_DEVICE T operator[](std::int64_t) const { return 1; }
  UPSWEEP_HOST_DEVICE ones operator+(std::int64_t) const { return {}; }
};

/// Where integers go, as an output iterator; nowhere where none are wanted.
struct integers_out {
  integer_array to;

  struct place {
    const integer_array& to;
    std::int64_t i;
    UPSWEEP_HOST_DEVICE void operator=(std::int64_t value) const {
      if (to.wanted()) to.put(i, value);
    }
  };
  UPSWEEP_HOST_DEVICE place operator[](std::int64_t i) const { return {to, i}; }
};

/// Of a stretch of items: how many runs begin there, and the reduction from the last such item on, or of all items
/// where none begins a run.
template <class T, class Int>
struct run_sum {
  T value;
  Int heads;
};

/// Adjoins stretches. Associative as Op is.
template <class Op>
struct run_op {
  mutable Op op;  // its call need not be const

  template <class T, class Int>
  UPSWEEP_DEVICE run_sum<T, Int> operator()(const run_sum<T, Int>& a, const run_sum<T, Int>& b) const {
    return {b.heads != 0 ? b.value : static_cast<T>(op(a.value, b.value)), static_cast<Int>(a.heads + b.heads)};
  }
};

template <class T>
inline constexpr bool fits_tile_word<run_sum<T, std::int64_t>> = sizeof(T) <= 8 && alignof(T) <= 8;

/// The status is in the two lowest bits of the number of heads.
template <class T>
struct alignas(16) tile_word<run_sum<T, std::int64_t>> {
  T value;
  std::uint64_t heads_and_status;

  static UPSWEEP_HOST_DEVICE tile_word of(const run_sum<T, std::int64_t>& sum, tile_status status) {
    return {sum.value, static_cast<std::uint64_t>(sum.heads) << 2 | static_cast<std::uint64_t>(status)};
  }
  UPSWEEP_HOST_DEVICE tile_reading<run_sum<T, std::int64_t>> reading() const {
    return {{value, static_cast<std::int64_t>(heads_and_status >> 2)}, static_cast<tile_status>(heads_and_status & 3)};
  }
};

/// One warp calls. Publishes the sum of a tile, gives what comes before it to lane 0 in `before`, of no meaning but
/// for its 0 heads where the tile is the first, and returns the sum up to the tile's end, to lane 0. With in_place,
/// what comes of `before` may be written over what the tiles before have read.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE run_sum<T, std::int64_t> look_back_runs(Ctx& block, const tile_states<run_sum<T, std::int64_t>>& tiles,
                                                       std::int64_t tile, const run_sum<T, std::int64_t>& sum, Op op,
                                                       run_sum<T, std::int64_t>& before, bool in_place = false) {
  using total = run_sum<T, std::int64_t>;
  if (in_place) block.fence();
  if (tile == 0) {
    if (block.lane() == 0) {
      tiles.publish(block, tile, tile_status::inclusive, sum);
      before = total{sum.value, 0};
    }
    return sum;
  }
  if (block.lane() == 0) tiles.publish(block, tile, tile_status::partial, sum);
  total found{};
  look_back_windows(block, tiles, tile, [&](const total& value, int last, bool is_nearest) {
    const total of_window = warp_reduce_backwards(block, value, run_op<Op>{op}, last);
    if (block.lane() == 0) found = is_nearest ? of_window : run_op<Op>{op}(of_window, found);
  });
  if (in_place) {
    block.fence();
    block.warp_sync();  // each lane has looked at tiles of its own
  }
  total all{};
  if (block.lane() == 0) {
    all = run_op<Op>{op}(found, sum);
    tiles.publish(block, tile, tile_status::inclusive, all);
    before = found;
  }
  return all;
}

/// warp_reduce of the sums of tiles: only values travel. There are fewer than 2^32 heads.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE run_sum<T, std::int64_t> warp_reduce(Ctx& block, const run_sum<T, std::int64_t>& sum, run_op<Op> op,
                                                    int valid = warp_size) {
  const segment_sum<T> value =
      warp_reduce(block, segment_sum<T>{sum.value, sum.heads != 0}, segment_op<Op>{op.op}, valid);
  const auto mine = static_cast<std::uint32_t>(block.lane() < valid ? sum.heads : 0);
  return {value.value, static_cast<std::int64_t>(block.reduce_add(mine))};
}

/// Sums of tiles of fewer than 2^31 items that publish once: the mark of the value is the number of heads and 1 more.
template <class T>
struct run_pieces : marked_pieces<T> {
  using base = marked_pieces<T>;
  using base::base;

  template <class Ctx, class Int>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status, const run_sum<T, Int>& sum) const {
    this->put(block, tile, sum.value, static_cast<std::uint32_t>(sum.heads) + 1);
  }
  struct reading : base::pieces_read {
    UPSWEEP_HOST_DEVICE run_sum<T, std::int64_t> get() const {
      run_sum<T, std::int64_t> sum{T{}, static_cast<std::int64_t>(this->mark) - 1};
      this->put_to(sum.value);
      return sum;
    }
  };
  template <class Ctx>
  UPSWEEP_DEVICE reading read(Ctx& block, std::int64_t tile) const {
    return {this->take(block, tile)};
  }
};

/// Of blocks that stay for many tiles.
template <class T>
using remembered_runs = remembered_states<run_pieces<T>, tile_states<run_sum<T, std::int64_t>>>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_ABI {
template <class T, class Int>
inline constexpr bool is_bitwise_copyable<detail::run_sum<T, Int>> = is_bitwise_copyable<T>;
}  // namespace upsweep::inline UPSWEEP_ABI
