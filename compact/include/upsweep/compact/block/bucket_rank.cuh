// The rank of each element of a tile among those of its bucket, stably. The lanes of a warp that have the same bucket
// find each other by a ballot a bit of the bucket's number (the warp-wide multisplit of Ashkiani et al., "GPU
// Multisplit", 2016), so few buckets cost few ballots.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

inline constexpr int max_buckets = 256;
/// The bucket of what belongs to none.
inline constexpr std::uint32_t no_bucket = ~0u;

/// How many there are, and the bits of the highest.
struct bucket_count {
  int buckets;
  int bits;

  static constexpr bucket_count of(int buckets) {
    int bits = 0;
    while (1 << bits < buckets) ++bits;
    return {buckets, bits};
  }

  /// The bucket of that number, of any type that converts to a number; no_bucket when none has it, as none has -0.5
  /// or a NaN. Of others that have a fraction, it does not count.
  template <class Number>
  UPSWEEP_DEVICE std::uint32_t number(Number number) const {
    if constexpr (std::is_class_v<Number> || std::is_union_v<Number>) {
      if constexpr (requires { static_cast<double>(number); }) {
        return this->number(static_cast<double>(number));
      } else if constexpr (requires { static_cast<float>(number); }) {  // as a half, which says how it becomes a float
        return this->number(static_cast<float>(number));
      } else {
        return this->number(static_cast<std::int64_t>(number));
      }
    } else if constexpr (has_fraction<Number>) {
      // Compared first: what lies between -1 and 0 would become 0, and what is too large anything.
      return number >= 0 && number < static_cast<Number>(buckets) ? static_cast<std::uint32_t>(number) : no_bucket;
    } else if constexpr (sizeof(Number) > 8) {
      return (number >> 64) == 0 ? this->number(static_cast<std::uint64_t>(number)) : no_bucket;
    } else if constexpr (sizeof(Number) <= 4) {
      // Numbers below 0 are large when they are unsigned.
      const auto n = static_cast<std::uint32_t>(number);
      return n < static_cast<std::uint32_t>(buckets) ? n : no_bucket;
    } else {
      const auto n = static_cast<std::uint64_t>(number);
      return n < static_cast<std::uint64_t>(buckets) ? static_cast<std::uint32_t>(n) : no_bucket;
    }
  }

  /// Floating-point numbers of all kinds, also those that std::is_floating_point does not know.
  template <class Number>
  static constexpr bool has_fraction = [] {
    if constexpr (std::is_enum_v<Number> || std::is_same_v<Number, bool>)
      return false;
    else
      return static_cast<Number>(0.5) != static_cast<Number>(0);
  }();

  /// The lanes with the caller's bucket; unspecified for no_bucket. All lanes of the warp call.
  template <class Ctx>
  UPSWEEP_DEVICE lane_mask lanes_of(Ctx& block, std::uint32_t bucket) const {
    constexpr int at_once = 4;  // as many bits are looked at as there are, or up to 3 more, which nobody has
    lane_mask same = block.ballot(bucket != no_bucket);
    for (int first = 0; first < bits; first += at_once) {
      UPSWEEP_UNROLL
      for (int b = 0; b < at_once; ++b) {
        const bool is_set = (bucket >> (first + b) & 1) != 0;
        const lane_mask set = block.ballot(is_set);
        same &= set ^ (is_set ? 0 : full_warp);
      }
    }
    return same;
  }
};

/// Tiles are warp-striped: item i of a lane stands at warp * 32 * Items + i * 32 + lane.
template <int Threads, int Items>
struct bucket_rank {
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads >= max_buckets, "thread b sums up bucket b");
  using bucket_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct temp_storage {
    std::uint32_t count[warps][max_buckets];  // of each warp, then of the warps before it
    std::uint32_t first[max_buckets];         // where each bucket begins in the tile
    typename bucket_scan::temp_storage scan;
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int striped(Ctx& block, int i) {
    return block.warp() * warp_size * Items + i * warp_size + block.lane();
  }

  /// place[i] = place of item i in the tile sorted by bucket; unspecified for no_bucket. Returns how many items have a
  /// bucket. s.first is kept for the caller. All threads call; a barrier must stand between the call and the next use
  /// of `s`.
  template <class Ctx>
  static UPSWEEP_DEVICE int rank_items(Ctx& block, temp_storage& s, bucket_count count_of,
                                       const std::uint32_t (&bucket)[Items], std::uint32_t (&place)[Items]) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int b = block.lane(); b < count_of.buckets; b += warp_size) count[b] = 0;
    block.warp_sync();  // count is clear

    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) place[i] = count_of.lanes_of(block, bucket[i]);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      // Every lane reads before the lowest one of its bucket adds all of them.
      const lane_mask peers = place[i];
      std::uint32_t before = 0;
      if (bucket[i] != no_bucket) before = count[bucket[i]];
      block.warp_sync();
      if (bucket[i] != no_bucket && (peers & lanes_below) == 0) {
        count[bucket[i]] = before + static_cast<std::uint32_t>(count_lanes(peers));
      }
      block.warp_sync();
      place[i] = before + static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
    }
    block.barrier();  // every warp has counted

    std::uint32_t total = 0;
    const int b = block.thread_rank();
    if (b < count_of.buckets) {
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = s.count[w][b];
        s.count[w][b] = total;
        total += of_warp;
      }
    }
    std::uint32_t all = 0;
    const std::uint32_t first = bucket_scan::exclusive_scan(block, s.scan, total, 0u, plus{}, all);
    if (b < count_of.buckets) s.first[b] = first;
    block.barrier();  // s.first and s.count are final

    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (bucket[i] != no_bucket) place[i] += s.first[bucket[i]] + count[bucket[i]];
    }
    return static_cast<int>(all);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
