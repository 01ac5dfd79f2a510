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
template <class Code, class Id>
struct ranked_item {
  Code code;
  Id id;

  UPSWEEP_HOST_DEVICE bool comes_before_or_is(const ranked_item& b) const {
    return code < b.code || (code == b.code && id <= b.id);
  }
};

/// Of no more items than an Id has values.
template <class Code, class Id, int Threads>
struct rank_select {
  static constexpr int digit_bits = 8, radix = 1 << digit_bits;
  using item = ranked_item<Code, Id>;

  struct temp_storage {
    Id count[radix];
    Id rank;  // among the items of the digit that was found
    std::uint32_t digit;
    bool is_alone;  // one item has that digit
    item found;
  };

  /// The item of that rank, 0 for the first, in all threads. for_each(body) calls body(item) for each item that is the
  /// thread's; the block has more than `rank`. Codes have code_bits, ids at most id_bits. All threads call. Ends with a
  /// barrier.
  template <class Ctx, class ForEach>
  static UPSWEEP_DEVICE item select(Ctx& block, temp_storage& s, int code_bits, int id_bits, Id rank,
                                    ForEach for_each) {
    // The digits found so far: `known` in the bits of `mask`. Those of the id come after those of the code.
    item known{}, mask{};
    const auto fits = [&](const item& x) {
      return ((x.code ^ known.code) & mask.code) == 0 && ((x.id ^ known.id) & mask.id) == 0;
    };
    const auto count = [&](std::uint32_t digit) { block.atomic_add(&s.count[digit % radix], Id{1}, block_scope); };
    int code_shift = round_up(code_bits), id_shift = round_up(id_bits);
    UPSWEEP_NO_UNROLL
    for (bool is_alone = false; code_shift + id_shift > 0 && !is_alone; is_alone = s.is_alone) {
      for (int d = block.thread_rank(); d < radix; d += Threads) s.count[d] = 0;
      block.barrier();  // s.count is clear
      const bool by_id = code_shift == 0;
      const int shift = (by_id ? id_shift : code_shift) - digit_bits;
      if (by_id) {
        for_each([&](const item& x) {
          if (fits(x)) count(static_cast<std::uint32_t>(x.id >> shift));
        });
      } else {
        for_each([&](const item& x) {
          if (((x.code ^ known.code) & mask.code) == 0) count(static_cast<std::uint32_t>(x.code >> shift));
        });
      }
      block.barrier();  // every thread has counted
      if (block.warp() == 0) find_digit(block, s, rank);
      block.barrier();  // the digit is found
      rank = s.rank;
      if (by_id) {
        id_shift = shift;
        known.id |= static_cast<Id>(static_cast<Id>(s.digit) << shift);
        mask.id = static_cast<Id>(static_cast<Id>(~Id{0}) >> shift << shift);
      } else {
        code_shift = shift;
        known.code |= static_cast<Code>(static_cast<Code>(s.digit) << shift);
        mask.code = static_cast<Code>(static_cast<Code>(~Code{0}) >> shift << shift);
      }
    }
    for_each([&](const item& x) {
      if (fits(x)) s.found = x;  // one does
    });
    block.barrier();  // s.found is written
    return s.found;
  }

 private:
  static UPSWEEP_DEVICE int round_up(int bits) { return (bits + digit_bits - 1) / digit_bits * digit_bits; }

  /// One warp finds the digit of the item of that rank. After it s.count is no longer read.
  template <class Ctx>
  static UPSWEEP_DEVICE void find_digit(Ctx& block, temp_storage& s, Id rank) {
    constexpr int a_lane = radix / warp_size;
    Id count[a_lane], sum = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < a_lane; ++i) {
      count[i] = s.count[block.lane() * a_lane + i];
      sum += count[i];
    }
    Id before = warp_inclusive_scan(block, sum, plus{}) - sum;
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
