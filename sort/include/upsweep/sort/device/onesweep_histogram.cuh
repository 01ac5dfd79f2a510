// The digits of all passes counted in one trip of the keys, which also tells whether they are sorted already; and the
// passes planned.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/device/onesweep_plan.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Any number of blocks count the digits of all keys, each many tiles; the last one to be done turns the counts into
/// first places and plans the passes, none of which need run where the keys are in order as they came. On the way
/// `states` words of the look-back are cleared.
template <class Key, class Digit, int MaxPasses, int RadixBits>
struct onesweep_histogram_kernel {
  static constexpr int block_threads = 512;
  static constexpr bool lets_next_begin = true;
  static constexpr int items_per_thread = 64 / sizeof(Key) < 4 ? 4 : 64 / sizeof(Key) > 16 ? 16 : 64 / sizeof(Key);
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int radix = 1 << RadixBits;
  static constexpr int warps = block_threads / warp_size;
  static_assert(MaxPasses < 64, "passes are bits of a mask, and one more may copy");
  /// What a block adds to the ticket beside 1 when its keys are out of order. There are fewer blocks.
  static constexpr std::uint32_t a_disorder = 1u << 16;
  using digits = pass_digits<Digit, MaxPasses>;

  struct temp_storage {
    std::uint32_t count[MaxPasses][radix];
    bool sorts[MaxPasses];  // whether a pass need run
    bool is_last, in_order;
  };

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, Count count, digits d,
                                 onesweep_control control, std::uint32_t* states, std::int64_t words,
                                 sort_input input) const {
    const std::int64_t n = items_of(count);
    const std::int64_t threads = block.num_blocks() * block_threads;
    UPSWEEP_NO_UNROLL
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < words; i += threads) {
      states[i] = 0;
    }
    for (int i = block.thread_rank(); i < MaxPasses * radix; i += block_threads) s.count[i / radix][i % radix] = 0;
    block.barrier();  // s.count is clear
    // As far as this warp has looked: random keys cost it one look, at what its lanes hold.
    bool in_order = true;
    for (std::int64_t first = block.block_index() * tile_items; first < n; first += block.num_blocks() * tile_items) {
      if (n - first >= tile_items) {
        in_order = count_tile(block, s, keys + first, d, in_order);
      } else {
        count_some(block, s, keys + first, static_cast<int>(n - first), d);
      }
      if (in_order) [[unlikely]]
        in_order = warp_in_order(block, keys + first, n - first, d);
    }
    const bool disorder = block.barrier_or(!in_order);  // every thread has counted
    UPSWEEP_NO_UNROLL
    for (int i = block.thread_rank(); i < d.count * radix; i += block_threads) {
      const std::uint32_t c = s.count[i / radix][i % radix];
      if (c == 0) continue;
      if (is_wide(n)) {
        block.atomic_add(control.first + i, std::uint64_t{c});
      } else {
        block.atomic_add(control.count + i, c);
      }
    }
    block.barrier();  // every thread's sums are there
    if (block.thread_rank() == 0) {
      block.fence();  // releases the sums of the whole block
      const std::uint32_t before = block.atomic_add(control.ticket, disorder ? 1u + a_disorder : 1u);
      block.fence();  // acquires those of the blocks before
      s.is_last = before % a_disorder == block.num_blocks() - 1;
      s.in_order = before < a_disorder && !disorder;
    }
    block.barrier();  // s.is_last and s.in_order are known
    if (s.is_last) plan(block, s, n, d.count, control, input);
  }

 private:
  template <class, class, class, int, int, int>
  friend struct segments_histogram_kernel;
  template <class>
  friend struct onesweep_known_counts_kernel;

  static UPSWEEP_DEVICE bool is_wide(std::int64_t n) { return n >> 32 != 0; }

  /// With `in_order` it gives whether no lane's first two keys, which are a warp apart, are out of order.
  template <class Ctx>
  static UPSWEEP_DEVICE bool count_tile(Ctx& block, temp_storage& s, const Key* keys, const digits& d, bool in_order) {
    Key key[items_per_thread];
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) key[i] = keys[warp_striped<items_per_thread>(block, i)];
    decltype(d.source_of(key[0])) source[items_per_thread];
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) source[i] = d.source_of(key[i]);
    UPSWEEP_UNROLL
    for (int p = 0; p < MaxPasses; ++p) {
      if (p >= d.count) break;
      const Digit digit = d.digit[p];
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        block.atomic_add(&s.count[p][digits::template digit_from<Key>(digit, source[i])], 1u, block_scope);
      }
    }
    return in_order && !block.any(d.comes_before(key[1], key[0]));
  }

  /// The same for fewer keys, in less code and without a look at their order.
  template <class Ctx>
  static UPSWEEP_DEVICE void count_some(Ctx& block, temp_storage& s, const Key* keys, int valid, const digits& d) {
    UPSWEEP_NO_UNROLL
    for (int at = block.thread_rank(); at < valid; at += block_threads) {
      const Key key = keys[at];
      UPSWEEP_UNROLL
      for (int p = 0; p < MaxPasses; ++p) {
        if (p < d.count) block.atomic_add(&s.count[p][d.digit[p](key)], 1u, block_scope);
      }
    }
  }

  /// Whether each of the warp's keys of a tile is followed by one that may come after it; `left` keys begin with the
  /// tile. All lanes of the warp call.
  template <class Ctx>
  static UPSWEEP_DEVICE bool warp_in_order(Ctx& block, const Key* keys, std::int64_t left, const digits& d) {
    constexpr int at_once = 4;
    const int first = warp_striped<items_per_thread>(block, 0);
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < items_per_thread; i += at_once) {
      bool disorder = false;
      UPSWEEP_UNROLL
      for (int j = i; j < i + at_once; ++j) {
        const int at = first + j * warp_size;
        if (j < items_per_thread && at + 1 < left && d.comes_before(keys[at + 1], keys[at])) disorder = true;
      }
      if (block.any(disorder)) return false;
    }
    return true;
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void plan(Ctx& block, temp_storage& s, std::int64_t n, int passes,
                                  const onesweep_control& control, sort_input input) {
    constexpr int a_lane = radix < warp_size ? 1 : radix / warp_size;
    const auto keys = static_cast<std::uint64_t>(n);
    for (int p = block.warp(); p < passes; p += Ctx::warps) {
      std::uint64_t* const first = control.first + p * radix;
      std::uint64_t count[a_lane], sum = 0, most = 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < a_lane; ++i) {
        const int d = block.lane() * a_lane + i;
        count[i] = d >= radix ? 0 : is_wide(n) ? first[d] : control.count[p * radix + d];
        sum += count[i];
        most = count[i] > most ? count[i] : most;
      }
      std::uint64_t before = warp_inclusive_scan(block, sum, plus{}) - sum;
      UPSWEEP_UNROLL
      for (int i = 0; i < a_lane; ++i) {
        const int d = block.lane() * a_lane + i;
        if (d < radix) first[d] = before;
        before += count[i];
      }
      const bool idle = block.any(most == keys) || s.in_order;
      if (block.lane() == 0) s.sorts[p] = !idle;
    }
    block.barrier();  // s.sorts is written
    const int planned = planned_passes(passes, input);
    if (block.thread_rank() >= planned) return;
    pass_mask sorts = 0;
    for (int p = 0; p < passes; ++p) sorts |= pass_mask{s.sorts[p]} << p;
    control.passes[block.thread_rank()] = plan_pass(block.thread_rank(), planned, sorts, input);
  }
};

/// Plans the passes where the digits have been counted already. One block.
template <class Histogram>
struct onesweep_known_counts_kernel {
  static constexpr int block_threads = Histogram::block_threads;
  using temp_storage = typename Histogram::temp_storage;

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const std::uint64_t* counts, Count count, int passes,
                                 onesweep_control control, sort_input input) const {
    const std::int64_t n = items_of(count);
    if (block.thread_rank() == 0) s.in_order = false;
    for (int i = block.thread_rank(); i < passes * Histogram::radix; i += block_threads) {
      control.first[i] = counts[i];
      control.count[i] = static_cast<std::uint32_t>(counts[i]);
    }
    block.barrier();  // the counts are there
    Histogram::plan(block, s, n, passes, control, input);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
