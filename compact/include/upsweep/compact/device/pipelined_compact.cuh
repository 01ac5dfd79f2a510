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

/// Votes that look at one number or flag an element, which can be staged: where these lie, and what is kept of them.
/// Flags are another array than the items, where these are of the same type.
template <class Vote>
struct staged_vote {
  using type = void;
  static constexpr bool by_flags = false;
};
template <class T, class Predicate>
struct staged_vote<vote_if<T, Predicate>> {
  using type = T;
  static constexpr bool by_flags = false;
  using predicate = Predicate;
  static const T* stencil(const vote_if<T, Predicate>& vote) { return vote.in; }
  static const Predicate& keep(const vote_if<T, Predicate>& vote) { return vote.keep; }
};
template <class Flag>
struct staged_vote<vote_flagged<Flag>> {
  using type = Flag;
  static constexpr bool by_flags = true;
  struct predicate {
    UPSWEEP_HOST_DEVICE bool operator()(const Flag& flag) const { return flag != 0; }
  };
  static const Flag* stencil(const vote_flagged<Flag>& vote) { return vote.flags; }
  static predicate keep(const vote_flagged<Flag>&) { return {}; }
};

/// As the ring would stage the votes on items of type T, and of what size.
template <class T, class Vote>
struct staged_votes {
  using type = typename staged_vote<Vote>::type;
  static constexpr std::size_t bytes = sizeof(std::conditional_t<std::is_void_v<type>, char, type>);
  static constexpr vote_source source = std::is_same_v<type, T> && !staged_vote<Vote>::by_flags ? vote_source::items
                                        : is_bitwise_copyable<type>                             ? vote_source::stencil
                                                                                                : vote_source::other;
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
    using staged = staged_vote<Vote>;
    constexpr bool by_items = votes::source == vote_source::items;
    using stencil = std::conditional_t<by_items, void, typename votes::type>;
    constexpr int tile_items = Shape::template tile_items<T>;
    static_assert(tile_items % 256 == 0);
    using kernel = pipelined_compact_kernel<T, stencil, Rejects, Shape::template voters<T>, Shape::writers, tile_items,
                                            Shape::most_stages, Shape::most_loads>;
    if (!ex.template can_run<kernel, const T*, const stencil*, T*, rejected_items<T>, std::int64_t, Count,
                             typename staged::predicate, select_results, bool, kept_counts, ordered_tile_id>()) {
      return status::not_supported;
    }
    const stencil* by = nullptr;
    if constexpr (!by_items) by = staged::stencil(vote);
    const std::int64_t in_front =
        aligned_tiles::items_in_front(address(in), sizeof(T), address(staged::stencil(vote)), votes::bytes);
    const std::int64_t tiles = aligned_tiles(in_front, bound_of(count), tile_items).count();
    const tile_workspace<kept_counts> here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, in, by, out, rejected, in_front, count,
                     staged::keep(vote), results, in == out, here.states(w), here.ticket(w));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
