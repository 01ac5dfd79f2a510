// How many buckets a split has, and which of them a number means. The lanes of a warp that have the same bucket find
// one another by a ballot for each bit of the number, so few buckets cost few ballots.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/stable_rank.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

inline constexpr int max_buckets = 256;

/// How many there are, and the bits of the highest.
struct bucket_count {
  static constexpr bool finds_all_first = true;
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

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
