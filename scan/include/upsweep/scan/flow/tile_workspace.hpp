// What a launch whose tiles take tickets and publish keeps in device memory.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A ticket, as many words as a strategy needs that are zero, and what so many tiles publish: States has
/// add_to(layout, tiles), which gives its state_slots, and a constructor that takes them. More arrays may be added.
template <class States>
struct tile_workspace {
  std::int64_t tiles;
  workspace_layout layout;
  workspace_layout::slot<std::uint32_t> ticket_slot, words;
  typename States::state_slots of_states;

  constexpr explicit tile_workspace(std::int64_t count, std::int64_t zero_words = 0)
      : tiles(count),
        ticket_slot(layout.add<std::uint32_t>(1)),
        words(layout.add<std::uint32_t>(zero_words)),
        of_states(States::add_to(layout, count)) {}

  constexpr std::size_t bytes() const { return layout.bytes(); }

  /// To be done before the launch; invalid_value for a workspace that is too small. One clear does: the states
  /// come last.
  template <class Executor>
  status clear(Executor& ex, workspace w) const {
    return layout.fits(w) ? ex.clear(layout.at(w, ticket_slot), of_states.end_to_clear()) : status::invalid_value;
  }
  // By name, as nvcc drops the braces of a plain {...} for a host compiler that then finds no conversion (clang++).
  ordered_tile_id ticket(workspace w) const { return ordered_tile_id{layout.at(w, ticket_slot)}; }
  States states(workspace w) const { return States(layout, w, of_states); }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
