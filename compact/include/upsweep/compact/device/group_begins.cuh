// Where groups begin, when their items have been counted: for the caller, and for each pass of a grouping. Those of few
// groups are found by the last block that counts; of more, by a block for each 256, which reads the sums of all blocks
// before it at once (decoupled look-back, Merrill & Garland 2016).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/count_groups.cuh"
#include "upsweep/compact/device/grouping.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of a group's number, the first of two passes goes by so many bits.
inline constexpr int low_group_bits = 8;

/// Beside the count: the words of look-back are cleared, items without a group are marked, and of up to most_at_end
/// groups the last block makes of the counts, which stay as they are, where groups begin, and the buckets of each pass.
struct group_begins {
  static constexpr bool has_end = true;
  static constexpr int threads = counting_threads;
  using scan = block_scan<std::uint64_t, warp_scans<threads>>;
  static_assert(threads == max_buckets && threads == 1 << low_group_bits, "thread b has bucket b");
  static constexpr int at_once = 8;
  static constexpr int most_at_end = 4096;

  struct temp_storage {
    typename scan::temp_storage items, places;
  };

  int groups;
  bool in_two_passes;
  std::uint64_t multiple;
  const std::uint64_t* counts;
  std::uint32_t* ticket;  ///< zero
  std::int64_t* items;    ///< becomes how many items have a group
  std::uint64_t *low_begins, *high_begins;
  std::uint64_t* left_over;  ///< null where the multiple is 1
  std::int64_t* offsets;
  integer_array inverse;
  std::uint32_t* words;
  std::int64_t num_words;

  template <class Ctx>
  UPSWEEP_DEVICE void begin(Ctx& block) const {
    for (std::int64_t i = block.block_index() * threads + block.thread_rank(); i < num_words;
         i += block.num_blocks() * threads) {
      words[i] = 0;
    }
  }
  UPSWEEP_DEVICE void leave(std::int64_t i) const {
    if (inverse.wanted()) inverse.put(i, -1);
  }
  template <class Ctx>
  UPSWEEP_DEVICE bool is_last(Ctx& block) const {
    return groups <= most_at_end && ends_last(block);
  }
  template <class Ctx>
  UPSWEEP_DEVICE void end(Ctx& block, temp_storage& s) const {
    std::uint64_t items_before = 0, places_before = 0;
    UPSWEEP_NO_UNROLL
    for (int first = 0; first < groups; first += at_once * threads) {
      block.barrier();  // s has been read in the chunk before
      const auto c = chunk_of<at_once>(block, s, first);
      put(c, items_before, places_before);
      items_before += c.all;
      places_before += c.all_places;
    }
    if (in_two_passes) find_low_digits(block, s);
  }

  /// One thread of each block calls when the block has added what it counts. Whether all others have.
  template <class Ctx>
  UPSWEEP_DEVICE bool ends_last(Ctx& block) const {
    block.fence();  // releases the counts of the block
    const bool last = block.atomic_add(ticket, 1u) == static_cast<std::uint32_t>(block.num_blocks() - 1);
    block.fence();  // acquires the counts of all blocks
    return last;
  }

  /// Some neighbouring groups of the calling thread's, and the sums of all of the chunk.
  template <int Groups>
  struct chunk {
    int first;
    std::uint64_t count[Groups];
    std::uint64_t before, places_before;  // in the chunk
    std::uint64_t all, all_places;
  };

  template <int Groups, class Ctx>
  UPSWEEP_DEVICE chunk<Groups> chunk_of(Ctx& block, temp_storage& s, int first) const {
    chunk<Groups> c{};
    c.first = first + block.thread_rank() * Groups;
    std::uint64_t mine = 0, my_places = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Groups; ++i) {
      c.count[i] = c.first + i < groups ? counts[c.first + i] : 0;
      mine += c.count[i];
      my_places += places_of_group(c.count[i], multiple);
    }
    c.before = scan::exclusive_scan(block, s.items, mine, std::uint64_t{0}, plus{}, c.all);
    c.places_before = c.before;
    c.all_places = c.all;
    if (multiple > 1) {
      c.places_before = scan::exclusive_scan(block, s.places, my_places, std::uint64_t{0}, plus{}, c.all_places);
    }
    return c;
  }

  /// Writes where the calling thread's groups begin, with so many items and places before their chunk.
  template <int Groups>
  UPSWEEP_DEVICE void put(const chunk<Groups>& c, std::uint64_t items_before, std::uint64_t places_before) const {
    const int low_bits = in_two_passes ? low_group_bits : 0;
    std::uint64_t before = items_before + c.before, place = places_before + c.places_before;
    UPSWEEP_UNROLL
    for (int i = 0; i < Groups; ++i) {
      const int g = c.first + i;
      if (g >= groups) continue;
      offsets[g] = static_cast<std::int64_t>(place);
      if (left_over != nullptr) left_over[g] = place - before;
      if ((g & ((1 << low_bits) - 1)) == 0) high_begins[g >> low_bits] = before;
      before += c.count[i];
      place += places_of_group(c.count[i], multiple);
      if (g != groups - 1) continue;
      offsets[groups] = static_cast<std::int64_t>(place);
      *items = static_cast<std::int64_t>(before);
    }
  }

 private:
  /// Thread d has digit d.
  template <class Ctx>
  UPSWEEP_DEVICE void find_low_digits(Ctx& block, temp_storage& s) const {
    const int digit = block.thread_rank();
    std::uint64_t mine = 0, all = 0;
    UPSWEEP_NO_UNROLL
    for (int first = digit; first < groups; first += at_once * threads) {
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (first + i * threads < groups) mine += counts[first + i * threads];
      }
    }
    block.barrier();  // s.items has been read
    low_begins[digit] = scan::exclusive_scan(block, s.items, mine, std::uint64_t{0}, plus{}, all);
  }
};

/// The same of more groups, a block a chunk.
struct find_begins_kernel {
  static constexpr int block_threads = group_begins::threads;
  static constexpr int chunk_groups = block_threads;  // one a thread, whose number is the lower part of the group's
  static constexpr bool lets_next_begin = true;
  static_assert(max_groups / chunk_groups <= block_threads, "a thread for each chunk before");

  struct temp_storage {
    ordered_tile_id::temp_storage ticket;
    typename group_begins::temp_storage chunk, before;
    bool is_last;
  };

  /// What chunks tell each other; all zero before.
  struct memory {
    std::uint32_t* ticket;
    std::uint64_t *items, *places;  ///< of each chunk, and 1 more
    std::uint64_t* low_counts;      ///< the items of each lower part of a number
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, group_begins begins, memory m) const {
    using scan = group_begins::scan;
    const int t = block.thread_rank();
    const auto number = static_cast<int>(ordered_tile_id{m.ticket}.take(block, s.ticket));
    const auto mine = begins.template chunk_of<1>(block, s.chunk, number * chunk_groups);
    if (t == 0) {
      block.store_relaxed(m.items + number, mine.all + 1);
      block.store_relaxed(m.places + number, mine.all_places + 1);
    }
    if (mine.count[0] != 0) block.atomic_add(m.low_counts + t, mine.count[0]);
    block.barrier();  // the counts of the chunk are added
    if (t == 0) s.is_last = begins.ends_last(block);

    const std::uint64_t items = t < number ? told(block, m.items + t) : 0;
    std::uint64_t items_before = 0;
    scan::exclusive_scan(block, s.before.items, items, std::uint64_t{0}, plus{}, items_before);
    std::uint64_t places_before = items_before;
    if (begins.multiple > 1) {
      const std::uint64_t places = t < number ? told(block, m.places + t) : 0;
      scan::exclusive_scan(block, s.before.places, places, std::uint64_t{0}, plus{}, places_before);
    }
    begins.put(mine, items_before, places_before);
    block.barrier();  // s.is_last is known to all, and s.before has been read
    if (!s.is_last) return;
    std::uint64_t all = 0;
    begins.low_begins[t] = scan::exclusive_scan(block, s.before.items, m.low_counts[t], std::uint64_t{0}, plus{}, all);
  }

 private:
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint64_t told(Ctx& block, const std::uint64_t* word) {
    for (;; block.back_off()) {
      const std::uint64_t w = block.load_relaxed(word);
      if (w != 0) return w - 1;
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
