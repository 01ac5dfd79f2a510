// Which arrays and votes go through the ring of compact_ring.cuh, and in what shape.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_ring.cuh"
#include "upsweep/compact/device/kept_before.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/aligned_tiles.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The shape of the kernel: tiles of about 32 KiB, as many stages as shared memory has room for.
struct pipelined_compact_shape {
  template <class Item>
  static constexpr int voters = sizeof(Item) > 4 ? 8 : 16;
  static constexpr int writers = 8, most_stages = 6, most_loads = 3;
  static constexpr std::size_t tile_bytes = 32 * 1024, shared_bytes = 220 * 1024;

  template <class Item>
  static constexpr int tile_items = static_cast<int>(std::bit_floor(tile_bytes / sizeof(Item)));
};

/// Votes that look at one number or flag an element, which can be staged: `stencil` says where they lie, `keep` what is
/// kept.
template <class Vote>
inline constexpr bool is_staged_vote = false;
template <class T, class Predicate>
inline constexpr bool is_staged_vote<vote_if<T, Predicate>> = true;
template <class Flag>
inline constexpr bool is_staged_vote<vote_flagged<Flag>> = true;

/// Votes by flags, which are another array than the items, where these are of the same type.
template <class Vote>
inline constexpr bool is_vote_by_flags = false;
template <class Flag>
inline constexpr bool is_vote_by_flags<vote_flagged<Flag>> = true;

struct is_set {
  template <class Flag>
  UPSWEEP_HOST_DEVICE bool operator()(const Flag& flag) const {
    return flag != 0;
  }
};

template <class T, class Predicate>
const T* stencil_of(const vote_if<T, Predicate>& vote) {
  return vote.in;
}
template <class Flag>
const Flag* stencil_of(const vote_flagged<Flag>& vote) {
  return vote.flags;
}
template <class T, class Predicate>
const Predicate& predicate_of(const vote_if<T, Predicate>& vote) {
  return vote.keep;
}
template <class Flag>
is_set predicate_of(const vote_flagged<Flag>&) {
  return {};
}

/// One array, in place or not, by a staged vote.
template <class Shape = pipelined_compact_shape>
class pipelined_compact {
 public:
  template <class T>
  static constexpr bool takes_items = sizeof(T) >= 4 && sizeof(T) <= 256 && Shape::template tile_items<T> % 256 == 0;

  template <class T>
  static std::size_t workspace_bytes(std::int64_t n) {
    return memory(aligned_tiles::most(n, Shape::template tile_items<T>)).bytes();
  }

  /// Nothing, when this is not for these arguments, or the device cannot run it; then nothing has happened. n > 0.
  /// Rejects: with items that are not kept.
  template <bool Rejects, class T, class Executor, class Count, class Vote>
  static std::optional<status> run(Executor& ex, workspace w, const T* in, T* out, const rejected_items<T>& rejected,
                                   Count count, const Vote& vote, const select_results& results) {
    if constexpr (takes_items<T> && is_staged_vote<Vote>) {
      using voted = std::remove_cvref_t<decltype(*stencil_of(vote))>;
      // Beside flags of 8 bytes, items of a partition spill.
      constexpr bool takes_flags = is_vote_by_flags<Vote> && sizeof(voted) <= 4;
      if constexpr (std::is_same_v<voted, T> && !takes_flags) {
        if (stencil_of(vote) == in)
          return launch<Rejects, T, void>(ex, w, in, nullptr, out, rejected, count, predicate_of(vote), results);
      } else if constexpr (sizeof(voted) <= sizeof(T) && is_bitwise_copyable<voted>) {
        return launch<Rejects, T, voted>(ex, w, in, stencil_of(vote), out, rejected, count, predicate_of(vote),
                                         results);
      }
    }
    return {};
  }

 private:
  using memory = kept_counts_memory;

  template <bool Rejects, class T, class Stencil>
  static constexpr int stages = [] {
    using kernel = pipelined_compact_kernel<T, Stencil, Rejects, Shape::template voters<T>, Shape::writers,
                                            Shape::template tile_items<T>, 1, Shape::most_loads>;
    const int fit = static_cast<int>(Shape::shared_bytes / sizeof(typename kernel::stage));
    return fit < Shape::most_stages ? fit : Shape::most_stages;
  }();

  /// The first item of which all that is loaded for it lies at a multiple of 16 bytes; -1 when none does.
  template <class T, class Stencil>
  static std::int64_t items_in_front(const T* in, const Stencil* stencil) {
    if constexpr (std::is_void_v<Stencil>) {
      return aligned_tiles::items_in_front(in);
    } else {
      for (int i = 0; i < 16; ++i) {
        if (aligned_to(in + i, aligned_tiles::alignment) && aligned_to(stencil + i, aligned_tiles::alignment)) return i;
      }
      return -1;
    }
  }

  template <bool Rejects, class T, class Stencil, class Executor, class Count, class Keep>
  static std::optional<status> launch(Executor& ex, workspace w, const T* in, const Stencil* stencil, T* out,
                                      const rejected_items<T>& rejected, Count count, const Keep& keep,
                                      const select_results& results) {
    constexpr int tile_items = Shape::template tile_items<T>;
    using kernel = pipelined_compact_kernel<T, Stencil, Rejects, Shape::template voters<T>, Shape::writers, tile_items,
                                            stages<Rejects, T, Stencil>, Shape::most_loads>;
    const std::int64_t in_front = items_in_front(in, stencil);
    if (in_front < 0 || results.indices.wanted() || !kernel::tile_stage::can_write(out) ||
        (Rejects && !kernel::tile_stage::can_write(rejected.first)) ||
        !ex.template can_run<kernel, const T*, const Stencil*, T*, rejected_items<T>, std::int64_t, Count, Keep,
                             select_results, bool, kept_counts, ordered_tile_id>()) {
      return {};
    }
    const std::int64_t tiles = aligned_tiles(in_front, bound_of(count), tile_items).count();
    const memory here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, in, stencil, out, rejected, in_front, count,
                     keep, results, in == out, here.counts(w), here.ticket(w));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
