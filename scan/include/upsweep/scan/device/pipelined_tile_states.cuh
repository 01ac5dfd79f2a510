// What tiles publish where a block stays for many of them, and where that is kept.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/scan/device/tile_pieces.cuh"
#include "upsweep/scan/device/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Keeps the sums of tiles that publish once.
template <class T>
struct states_of_one_sum {
  using type = std::conditional_t<(sizeof(T) > 4 && fits_tile_word<T>), tile_pieces<T>, tile_states<T>>;
};

/// What tiles publish, once each: their own sum (tile 0 that behind init), and every 32nd also the sum up
/// to its end, for a block that has fallen far behind the others. The latter are few and kept apart: stores to lines
/// that all blocks read delay them all.
template <class T>
struct pipelined_tile_states {
  using states = typename states_of_one_sum<T>::type;
  static constexpr int tiles_a_mark = warp_size;

  states sums;
  states marks;

  template <class Ctx>
  UPSWEEP_DEVICE void publish_up_to(Ctx& block, std::int64_t tile, const T& value) const {
    if (tile % tiles_a_mark == tiles_a_mark - 1) {
      marks.publish(block, tile / tiles_a_mark, tile_status::inclusive, value);
    }
  }

  /// The last tile behind `after` and before `tile` whose mark can be seen, and its value; `after` when there is none.
  /// All lanes of one warp call. Does not wait.
  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t last_mark(Ctx& block, std::int64_t after, std::int64_t tile, T& value) const {
    for (std::int64_t nearest = tile / tiles_a_mark - 1;; nearest -= warp_size) {
      const std::int64_t mine = nearest - block.lane();
      const std::int64_t end = mine * tiles_a_mark + tiles_a_mark - 1;
      tile_reading<T> r{T{}, tile_status::invalid};
      if (end > after) r = marks.read(block, mine);
      const lane_mask seen = block.ballot(r.status == tile_status::inclusive);
      if (seen != 0) {
        value = block.shuffle(r.value, lowest_lane(seen));
        return block.shuffle(end, lowest_lane(seen));
      }
      if (block.any(end <= after)) return after;
    }
  }
};

/// What a launch over so many tiles keeps in its workspace.
template <class T>
class pipelined_workspace {
 public:
  constexpr explicit pipelined_workspace(std::int64_t tiles)
      : ticket_(layout_.template add<std::uint32_t>(1)),
        sums_(states_type::add_to(layout_, tiles)),
        marks_(states_type::add_to(layout_, tiles / pipelined_tile_states<T>::tiles_a_mark + 1)) {}

  constexpr std::size_t bytes() const { return layout_.bytes(); }

  /// To be done before the launch; invalid_value for a workspace that is too small. One clear of it all.
  template <class Executor>
  status clear(Executor& ex, workspace w) const {
    return layout_.fits(w) ? ex.clear(layout_.at(w, ticket_), layout_.used()) : status::invalid_value;
  }

  ordered_tile_id ticket(workspace w) const { return ordered_tile_id{layout_.at(w, ticket_)}; }
  pipelined_tile_states<T> states(workspace w) const {
    return {states_type(layout_, w, sums_), states_type(layout_, w, marks_)};
  }

 private:
  using states_type = typename pipelined_tile_states<T>::states;

  workspace_layout layout_;
  workspace_layout::slot<std::uint32_t> ticket_;
  typename states_type::state_slots sums_, marks_;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
