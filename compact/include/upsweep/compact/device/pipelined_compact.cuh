// Which votes can go through the ring of compact_ring.cuh, and in what shape.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/compact_ring.cuh"
#include "upsweep/compact/kernel_choice.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The shape of the kernel: tiles of about 32 KiB, as many stages as shared memory has room for. And what it is for.
struct pipelined_compact_shape {
  static constexpr kernel_limits limits{};
  template <class Item>
  static constexpr int voters = sizeof(Item) > 4 ? 8 : 16;
  static constexpr int writers = 8, most_stages = 6, most_loads = 3;
  static constexpr std::size_t tile_bytes = 32 * 1024;

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

/// As the ring would stage the votes on items of type T, and of what size.
template <class T, class Vote>
struct staged_votes {
  static constexpr vote_source source = vote_source::other;
  static constexpr std::size_t bytes = 0;
};
template <class T, class Vote>
requires is_staged_vote<Vote>
struct staged_votes<T, Vote> {
  using type = std::remove_cvref_t<decltype(*stencil_of(std::declval<const Vote&>()))>;
  // Beside flags of 8 bytes, items of a partition spill.
  static constexpr bool takes_flags = is_vote_by_flags<Vote> && sizeof(type) <= 4;
  static constexpr vote_source source = std::is_same_v<type, T> && !takes_flags ? vote_source::items
                                        : is_bitwise_copyable<type>             ? vote_source::stencil
                                                                                : vote_source::other;
  static constexpr std::size_t bytes = sizeof(type);
};

/// One array, in place or not, where the ring is chosen for it (kernel_choice.hpp).
template <class Shape = pipelined_compact_shape>
class pipelined_compact {
 public:
  template <class T>
  static std::size_t workspace_bytes(std::int64_t n) {
    return tile_workspace<kept_counts>(aligned_tiles::most(n, Shape::template tile_items<T>)).bytes();
  }

  /// not_supported, and nothing has happened, where the device cannot run it. Rejects: with items that are not kept.
  template <bool Rejects, class T, class Executor, class Count, class Vote>
  static status run(Executor& ex, workspace w, const T* in, T* out, const rejected_items<T>& rejected, Count count,
                    const Vote& vote, const select_results& results) {
    using votes = staged_votes<T, Vote>;
    constexpr bool by_items = votes::source == vote_source::items;
    using stencil = std::conditional_t<by_items, void, typename votes::type>;
    constexpr int tile_items = Shape::template tile_items<T>;
    static_assert(tile_items % 256 == 0);
    using keep = std::remove_cvref_t<decltype(predicate_of(vote))>;
    using kernel = pipelined_compact_kernel<T, stencil, Rejects, Shape::template voters<T>, Shape::writers, tile_items,
                                            Shape::most_stages, Shape::most_loads>;
    if (!ex.template can_run<kernel, const T*, const stencil*, T*, rejected_items<T>, std::int64_t, Count, keep,
                             select_results, bool, kept_counts, ordered_tile_id>()) {
      return status::not_supported;
    }
    const stencil* staged = nullptr;
    if constexpr (!by_items) staged = stencil_of(vote);
    const std::int64_t in_front = items_in_front(address(in), sizeof(T), address(stencil_of(vote)), votes::bytes);
    const std::int64_t tiles = aligned_tiles(in_front, bound_of(count), tile_items).count();
    const tile_workspace<kept_counts> here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, in, staged, out, rejected, in_front, count,
                     predicate_of(vote), results, in == out, here.states(w), here.ticket(w));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
