// Which of many items has a given rank: a radix select by one block, from the highest digit to the lowest (Alabi et
// al., "Fast k-selection algorithms for graphics processing units", 2012).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An item of a total order: by its code, and by its id where codes are equal. No two have the same id.
template <class Code>
struct ranked_item {
  Code code;
  std::uint64_t id;

  UPSWEEP_HOST_DEVICE bool comes_before_or_is(const ranked_item& b) const {
    return code < b.code || (code == b.code && id <= b.id);
  }
};

/// Of fewer items than a Counter counts.
template <class Code, int Threads, class Counter = std::uint32_t>
struct rank_select {
  static constexpr int digit_bits = 8, radix = 1 << digit_bits;
  using item = ranked_item<Code>;

  struct temp_storage {
    Counter count[radix];
    std::uint64_t rank;  // among the items of the digit that was found
    std::uint32_t digit;
    bool is_alone;  // one item has that digit
    item found;
  };

  /// The item of that rank, 0 for the first, in all threads; items(i) is item i < count, and rank < count. Codes have
  /// code_bits, ids at most id_bits. All threads call. Ends with a barrier.
  template <class Ctx, class Items>
  static UPSWEEP_DEVICE item select(Ctx& block, temp_storage& s, int code_bits, int id_bits, std::int64_t count,
                                    std::uint64_t rank, Items items) {
    // The digits found so far, `left` below them; those of the id come behind those of the code.
    item known{};
    const int of_id = digits_of(id_bits);
    int left = digits_of(code_bits) + of_id;
    const auto fits = [&](const item& x) {
      if (left < of_id) return x.code == known.code && same_above(x.id, known.id, left * digit_bits);
      return same_above(x.code, known.code, (left - of_id) * digit_bits);
    };
    UPSWEEP_NO_UNROLL
    for (bool is_alone = false; left > 0 && !is_alone;) {
      for (int d = block.thread_rank(); d < radix; d += Threads) s.count[d] = 0;
      block.barrier();  // s.count is clear
      const bool by_id = left <= of_id;
      const int shift = (by_id ? left - 1 : left - 1 - of_id) * digit_bits;
      UPSWEEP_NO_UNROLL
      for (std::int64_t i = block.thread_rank(); i < count; i += Threads) {
        const item x = items(i);
        if (!fits(x)) continue;
        const auto bits = by_id ? static_cast<std::uint32_t>(x.id >> shift) : static_cast<std::uint32_t>(x.code >> shift);
        block.atomic_add(&s.count[bits % radix], Counter{1}, block_scope);
      }
      block.barrier();  // every thread has counted
      if (block.warp() == 0) find_digit(block, s, rank);
      block.barrier();  // the digit is found
      rank = s.rank;
      is_alone = s.is_alone;
      if (by_id) {
        known.id |= std::uint64_t{s.digit} << shift;
      } else {
        known.code |= static_cast<Code>(static_cast<Code>(s.digit) << shift);
      }
      --left;
    }
    UPSWEEP_NO_UNROLL
    for (std::int64_t i = block.thread_rank(); i < count; i += Threads) {
      const item x = items(i);
      if (fits(x)) s.found = x;  // one does
    }
    block.barrier();  // s.found is written
    return s.found;
  }

 private:
  static UPSWEEP_DEVICE int digits_of(int bits) { return (bits + digit_bits - 1) / digit_bits; }

  /// Whether the bits from `shift` on are the same; it may be as large as the width.
  template <class T>
  static UPSWEEP_DEVICE bool same_above(T a, T b, int shift) {
    return shift == 0 ? a == b : static_cast<T>(static_cast<T>(a ^ b) >> (shift - 1)) >> 1 == 0;
  }

  /// One warp finds the digit of the item of that rank. Behind it s.count is no longer read.
  template <class Ctx>
  static UPSWEEP_DEVICE void find_digit(Ctx& block, temp_storage& s, std::uint64_t rank) {
    constexpr int a_lane = radix / warp_size;
    std::uint64_t count[a_lane], sum = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < a_lane; ++i) {
      count[i] = s.count[block.lane() * a_lane + i];
      sum += count[i];
    }
    std::uint64_t before = warp_inclusive_scan(block, sum, plus{}) - sum;
    UPSWEEP_UNROLL
    for (int i = 0; i < a_lane; ++i) {
      if (before <= rank && rank < before + count[i]) {
        s.digit = static_cast<std::uint32_t>(block.lane() * a_lane + i);
        s.rank = rank - before;
        s.is_alone = count[i] == 1;
      }
      before += count[i];
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
