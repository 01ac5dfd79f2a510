// What the ways to group have in common: when a call is right, and the places of a group that are left over.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/count_groups.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The places that a group of so many items has.
UPSWEEP_HOST_DEVICE inline std::uint64_t places_of_group(std::uint64_t items, std::uint64_t multiple) {
  return multiple == 1 ? items : (items + multiple - 1) / multiple * multiple;
}

/// Writes -1 to the places after the items of each group that are left over. A warp takes a group.
struct fill_left_over_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / warp_size;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, integer_array permutation, const std::int64_t* offsets,
                                 const std::uint64_t* counts, int groups) const {
    const std::int64_t g = block.block_index() * warps + block.warp();
    if (g >= groups) return;
    const std::int64_t end = offsets[g + 1];
    for (std::int64_t at = offsets[g] + static_cast<std::int64_t>(counts[g]) + block.lane(); at < end;
         at += warp_size) {
      permutation.put(at, -1);
    }
  }
};

/// Marks the places of a grouping that are left over, where there are some.
template <class Executor>
status fill_left_over(Executor& ex, const group_places& to, const std::int64_t* offsets, const std::uint64_t* counts,
                      int groups) {
  if (to.multiple == 1 || !to.permutation.wanted()) return status::success;
  using fill = fill_left_over_kernel;
  return ex.launch(ceil_div(groups, fill::warps), fill{}, to.permutation, offsets, counts, groups);
}

/// Whether a call of a grouping may be made, with a workspace of which it needs so many bytes: see group_by.cuh.
template <class Count, class GroupOf>
bool is_right_grouping(const workspace& w, std::size_t needed_bytes, const group_places& to, std::int64_t* offsets,
                       const Count& n, int groups, const GroupOf& group_of) {
  constexpr std::int64_t most_multiple = std::int64_t{1} << 30;
  const std::int64_t bound = bound_of(n);
  if (bound < 0 || groups < 1 || groups > max_groups || to.multiple < 1 || to.multiple > most_multiple ||
      offsets == nullptr || is_null(place_of(n)) || !to.permutation.is_right() || !to.inverse.is_right()) {
    return false;
  }
  if (bound > 0 && (w.data == nullptr || w.bytes < needed_bytes)) return false;
  if (bound > 0 && !to.permutation.wanted() && !to.inverse.wanted()) return false;
  const auto read = read_by(group_of, bound);
  const std::array written{to.permutation.use(to.room(bound, groups)), to.inverse.use(bound),
                           use_of(offsets, groups + 1, true), use_of(place_of(n), 1, false)};
  std::array<memory_use, read.size() + written.size()> all;
  std::ranges::copy(written, std::ranges::copy(read, all.begin()).out);
  return std::ranges::none_of(read, &memory_use::is_missing) && written_apart(all);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
