// LSD radix sort of integers by one block that holds their codes in registers and puts them in order in shared memory,
// digit after digit. They are read and written once. Keys that are equal are the same, so that only the order in the
// end counts, and that is looked at.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of at most Threads * Items keys of up to 4 bytes, by all their bits: see keys_told_by_codes. Threads take items by
/// `Step` at once.
template <class Key, int Threads, int Items, int Step, int Blocks>
struct block_code_sort_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int tile_items = Threads * Items;
  static constexpr int warps = Threads / warp_size;
  static constexpr int radix_bits = 8, radix = 1 << radix_bits;
  static_assert(sizeof(Key) <= sizeof(std::uint32_t) && Items % Step == 0);
  static_assert(Threads >= radix, "thread d sums up digit d");
  using digit_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct temp_storage {
    std::uint32_t count[warps][radix];  // each warp's keys of a digit; then the place of the next one
    typename digit_scan::temp_storage scan;
    int idle_pass;  // the last in which all keys have the same digit
    uninitialized_array<std::uint32_t, tile_items / warp_size*(warp_size + 1)> code;  // see slot
  };

  template <class Ctx, class Digits>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Digits& digits, bit_range, std::int64_t items,
                                 const Key* keys_in, Key* keys_out, const carried_values<no_value>&) const {
    constexpr int passes = Digits::bits / radix_bits;
    const auto whole = digits.at(0, 1);
    const share mine(block, static_cast<int>(items));
    if (block.thread_rank() == 0) s.idle_pass = passes;
    std::uint32_t code[Items] = {};
    // All are on their way before the first one is used.
    mine.each([&](int i, int at) { code[i] = static_cast<std::uint32_t>(keys_in[at]); });
    mine.each([&](int i, int) { code[i] = static_cast<std::uint32_t>(whole.code_of(static_cast<Key>(code[i]))); });
    UPSWEEP_NO_UNROLL
    for (int pass = 0; pass < passes; ++pass) sort_by_digit(block, s, mine, pass, code);
    bool in_order = true;
    mine.each([&](int i, int at) {
      if (at > 0 && slot(s, at - 1) > code[i]) in_order = false;
    });
    if (block.barrier_or(!in_order)) {
      sort_for_certain(block, s, mine.n);
      mine.each([&](int i, int) { code[i] = mine.own(s, i); });
    }
    mine.each(
        [&](int i, int at) { keys_out[at] = whole.key_of(static_cast<decltype(whole.code_of(Key{}))>(code[i])); });
  }

 private:
  /// The caller's keys, of n in all: those of a warp are neighbours, and every warp has as many, but the last ones.
  struct share {
    int n, rounds, first;

    template <class Ctx>
    UPSWEEP_DEVICE share(Ctx& block, int n)
        : n(n),
          rounds((n + Threads * Step - 1) / (Threads * Step) * Step),
          first(block.warp() * warp_size * rounds + block.lane()) {}

    /// The slot of key number i.
    UPSWEEP_DEVICE std::uint32_t& own(temp_storage& s, int i) const {
      return s.code[first / warp_size * (warp_size + 1) + first % warp_size + i * (warp_size + 1)];
    }

    /// body(i, at) for each key, of which number i is at `at`.
    template <class Body>
    UPSWEEP_DEVICE void each(Body body) const {
      UPSWEEP_UNROLL
      for (int from = 0; from < Items; from += Step) {
        if (from >= rounds) break;
        UPSWEEP_UNROLL
        for (int i = from; i < from + Step; ++i) {
          if (first + i * warp_size < n) body(i, first + i * warp_size);
        }
      }
    }
  };

  /// The code in order at a place. Those 32 apart lie in different banks, and those of a thread at constant distances.
  static UPSWEEP_DEVICE std::uint32_t& slot(temp_storage& s, int at) { return s.code[at + at / warp_size]; }

  /// Puts the codes in order by the digit of a pass. Equal digits may be out of order.
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_by_digit(Ctx& block, temp_storage& s, const share& mine, int pass,
                                           std::uint32_t (&code)[Items]) {
    const int d = block.thread_rank(), shift = pass * radix_bits;
    std::uint32_t* const count = s.count[block.warp()];
    const auto digit = [&](int i) { return code[i] >> shift & (radix - 1); };
    UPSWEEP_UNROLL
    for (int i = 0; i < radix; i += warp_size) count[i + block.lane()] = 0;
    block.warp_sync();  // count is clear
    mine.each([&](int i, int) { block.atomic_add(&count[digit(i)], 1u, block_scope); });
    block.barrier();  // the keys are counted, and the code of every slot has been read
    std::uint32_t total = 0;
    if (d < radix) {
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) total += s.count[w][d];
      if (total == static_cast<std::uint32_t>(mine.n)) s.idle_pass = pass;
    }
    std::uint32_t next = digit_scan::exclusive_scan(block, s.scan, total, 0u, plus{});
    if (d < radix) {
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = s.count[w][d];
        s.count[w][d] = next;
        next += of_warp;
      }
    }
    block.barrier();  // the warps' first places are known
    if (s.idle_pass == pass) {
      if (pass > 0) return;
      // The first pass brings all codes to shared memory.
      mine.each([&](int i, int) { mine.own(s, i) = code[i]; });
      block.barrier();  // they are there
      return;
    }
    mine.each(
        [&](int i, int) { slot(s, static_cast<int>(block.atomic_add(&count[digit(i)], 1u, block_scope))) = code[i]; });
    block.barrier();  // the codes are in order
    mine.each([&](int i, int) { code[i] = mine.own(s, i); });
  }

  /// By bitonic steps in which the lower slot always takes the lower code, so that any n will do.
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_for_certain(Ctx& block, temp_storage& s, int n) {
    const auto compare_all = [&](int half, auto other_of) {
      block.barrier();  // the step before is done
      UPSWEEP_NO_UNROLL
      for (int pair = block.thread_rank(); pair < n; pair += Threads) {
        const int low = pair / half * 2 * half + pair % half, high = other_of(low);
        if (high >= n) continue;
        std::uint32_t &a = slot(s, low), &b = slot(s, high);
        const std::uint32_t lower = a < b ? a : b, higher = a < b ? b : a;
        a = lower, b = higher;
      }
    };
    UPSWEEP_NO_UNROLL
    for (int size = 2; size < 2 * n; size *= 2) {
      compare_all(size / 2, [&](int low) { return low / size * size + size - 1 - low % size; });
      UPSWEEP_NO_UNROLL
      for (int half = size / 4; half > 0; half /= 2) compare_all(half, [&](int low) { return low + half; });
    }
    block.barrier();  // the codes are in order
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
