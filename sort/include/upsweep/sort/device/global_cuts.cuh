// Where the sorted keys of several ranks are cut: the codes at given places of the sorted whole, found exactly, digit
// by digit from the highest (a radix select of all places at once). In each round a rank counts, for every cut, the
// next digit of its keys that agree with the cut as far as that is known; the counts of all ranks are gathered, and
// each rank takes the same digit from them. Keys that agree after the first digit are few, as a rule: the second round
// keeps their codes in a list, and the later ones read that.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The digits of a round: bits [shift, shift + width) of a code.
struct cut_round {
  static constexpr int first_width = 12;
  static constexpr int most_counts = 1 << 13;  ///< of all cuts of a round together

  int shift, width;
  bool is_first, is_second, is_last;

  /// The rounds for codes of `bits` bits and so many cuts, the first for shift < 0.
  static constexpr cut_round next(int bits, int cuts, int shift) {
    if (shift < 0) {
      const int width = bits < first_width ? bits : first_width;
      return {bits - width, width, true, false, bits == width};
    }
    int width = 8;
    while (width > 1 && cuts << width > most_counts) --width;
    if (width > shift) width = shift;
    return {shift - width, width, false, shift == bits - first_width, shift == width};
  }
  UPSWEEP_HOST_DEVICE constexpr int bins() const { return 1 << width; }
};

/// A cut as far as it is known: the bits of its code above the round's digits, and how many keys with these bits come
/// before it in the sorted whole.
template <class Code>
struct global_cut {
  Code prefix;
  std::int64_t left;
};

/// The first cut whose prefix is not below `prefix`.
template <class Code>
UPSWEEP_DEVICE int first_cut_from(const Code* prefixes, int cuts, Code prefix) {
  return partition_point(0, cuts, [&](int i) { return prefixes[i] < prefix; });
}

/// The codes of the keys that agree with a cut after its first digit; more than `capacity` of them are not kept.
template <class Code>
struct cut_list {
  Code* codes;
  std::uint32_t* count;  ///< more than `capacity`: not all are there
  std::uint32_t capacity;
};

/// counts[row * bins + digit] += the keys of that digit that agree with the cut `row`, the first of those that are the
/// same so far; in the first round all keys count in row 0. Any number of blocks. `counts`, and in the second round the
/// list's count, are zero before.
template <class Key, class Digit, class Code>
struct count_digits_kernel {
  static constexpr int block_threads = 512;
  static constexpr int items_per_thread = 8;
  struct temp_storage {
    std::uint32_t count[cut_round::most_counts];
    uninitialized_array<Code, most_ranks> prefix;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, std::int64_t n, Digit digit,
                                 const global_cut<Code>* known, int cuts, cut_round round, cut_list<Code> list,
                                 std::uint64_t* counts) const {
    const int rows = round.is_first ? 1 : cuts;
    for (int i = block.thread_rank(); i < rows << round.width; i += block_threads) s.count[i] = 0;
    if (!round.is_first) {
      for (int c = block.thread_rank(); c < cuts; c += block_threads) s.prefix[c] = known[c].prefix;
    }
    block.barrier();  // the counters are clear, and the prefixes there
    const bool from_list = !round.is_first && !round.is_second && *list.count <= list.capacity;
    if (from_list) {
      count_all(
          block, s, list.codes, *list.count, [](const Code& code) { return code; }, cuts, round, list);
    } else {
      count_all(
          block, s, keys, n, [&](const Key& key) { return digit.code_of(key); }, cuts, round, list);
    }
    block.barrier();  // all are counted
    for (int i = block.thread_rank(); i < rows << round.width; i += block_threads) {
      if (s.count[i] != 0) block.atomic_add(counts + i, std::uint64_t{s.count[i]});
    }
  }

 private:
  template <class Ctx, class Item, class CodeOf>
  static UPSWEEP_DEVICE void count_all(Ctx& block, temp_storage& s, const Item* items, std::int64_t n, CodeOf code_of,
                                       int cuts, const cut_round& round, const cut_list<Code>& list) {
    constexpr std::int64_t tile_items = block_threads * items_per_thread;
    for (std::int64_t first = block.block_index() * tile_items; first < n; first += block.num_blocks() * tile_items) {
      const std::int64_t mine = first + block.thread_rank();
      uninitialized_array<Item, items_per_thread> item;
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        if (mine + i * block_threads < n) item[i] = items[mine + i * block_threads];
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        if (mine + i * block_threads < n) count_one(block, s, static_cast<Code>(code_of(item[i])), cuts, round, list);
      }
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void count_one(Ctx& block, temp_storage& s, Code code, int cuts, const cut_round& round,
                                       const cut_list<Code>& list) {
    const Code digits = static_cast<Code>(code >> round.shift);
    const auto bin = static_cast<std::uint32_t>(digits) & static_cast<std::uint32_t>(round.bins() - 1);
    int row = 0;
    if (!round.is_first) {
      const Code prefix = static_cast<Code>(digits >> round.width);
      row = first_cut_from(s.prefix.data(), cuts, prefix);
      if (row == cuts || s.prefix[row] != prefix) return;
      if (round.is_second && !round.is_last) keep(block, code, list);
    }
    block.atomic_add(&s.count[(row << round.width) + static_cast<int>(bin)], 1u, block_scope);
  }

  /// Past the capacity nobody adds to the count any more, on which all would wait.
  template <class Ctx>
  static UPSWEEP_DEVICE void keep(Ctx& block, Code code, const cut_list<Code>& list) {
    if (block.load_relaxed(list.count) > list.capacity) return;
    const std::uint32_t at = block.atomic_add(list.count, 1u);
    if (at < list.capacity) list.codes[at] = code;
  }
};

/// Takes the next digit of every cut: block c that of cut c, which becomes `next[c]`. `counts` are those of all ranks,
/// one after another. below[rank * cuts + c] becomes, digit by digit, how many keys of that rank are below the cut, and
/// equal[rank * cuts + c] at last how many have its code. `places` are where the whole is cut.
template <class Code>
struct take_digits_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {
    std::uint64_t count[1 << cut_round::first_width];  // of all ranks
    int digit;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const std::uint64_t* counts, int ranks, int cuts,
                                 cut_round round, rank_table<std::int64_t> places, const global_cut<Code>* known,
                                 global_cut<Code>* next, std::uint64_t* below, std::uint64_t* equal) const {
    const int cut = static_cast<int>(block.block_index()), bins = round.bins();
    const global_cut<Code> mine = round.is_first ? global_cut<Code>{Code{0}, places[cut + 1]} : known[cut];
    int row = 0;
    if (!round.is_first) {
      for (row = cut; row > 0 && known[row - 1].prefix == mine.prefix;) --row;
    }
    const std::int64_t of_rank = static_cast<std::int64_t>(round.is_first ? 1 : cuts) << round.width;
    const std::uint64_t* const of_cut = counts + (static_cast<std::int64_t>(row) << round.width);
    for (int bin = block.thread_rank(); bin < bins; bin += block_threads) {
      std::uint64_t sum = 0;
      for (int r = 0; r < ranks; ++r) sum += of_cut[r * of_rank + bin];
      s.count[bin] = sum;
    }
    block.barrier();  // s.count is written
    if (block.warp() == 0) find_digit(block, s, bins, mine, next + cut);
    block.barrier();  // s.digit is written
    const int digit = s.digit;
    for (int r = block.warp(); r < ranks; r += block_threads / warp_size) {
      std::uint64_t sum = 0;
      for (int bin = block.lane(); bin < digit; bin += warp_size) sum += of_cut[r * of_rank + bin];
      sum = warp_reduce(block, sum, plus{});
      if (block.lane() == 0) {
        const std::int64_t at = std::int64_t{r} * cuts + cut;
        below[at] = sum + (round.is_first ? 0 : below[at]);
        if (round.is_last) equal[at] = of_cut[r * of_rank + digit];
      }
    }
  }

 private:
  /// The digit of the key before which `mine.left` others are; the last one where there are not so many.
  template <class Ctx>
  static UPSWEEP_DEVICE void find_digit(Ctx& block, temp_storage& s, int bins, const global_cut<Code>& mine,
                                        global_cut<Code>* next) {
    std::uint64_t before = 0;
    const auto left = static_cast<std::uint64_t>(mine.left);
    for (int first = 0; first < bins; first += warp_size) {
      const int bin = first + block.lane();
      const std::uint64_t count = bin < bins ? s.count[bin] : 0;
      const std::uint64_t to = before + warp_inclusive_scan(block, count, plus{});
      const bool is_last = bin == bins - 1;
      const lane_mask behind = block.ballot(to > left || is_last);
      if (behind != 0) {
        if (block.lane() == lowest_lane(behind)) {
          s.digit = bin;
          next->prefix =
              static_cast<Code>(static_cast<Code>(mine.prefix * static_cast<Code>(bins)) | static_cast<Code>(bin));
          next->left = mine.left - static_cast<std::int64_t>(to - count);
        }
        return;
      }
      before = block.shuffle(to, warp_size - 1);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
