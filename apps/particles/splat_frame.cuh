// One frame of splats, always by the same launches: project, cull, sort by depth, a pair for each tile that a splat
// touches, sort those by tile, stably, and lay each tile's splats in front of its pixels from near to far.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "splat_frame.hpp"
#include "splat_kernels.cuh"
#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"

namespace upsweep::apps {

/// Calls f with the arguments of each of the four calls of a frame.
struct splat_calls {
  const splat_plan& p;
  soa_array depths{p.depth, p.seen_depth, sizeof(float)};
  device_count<std::int64_t> seen{&p.state->seen, p.splats.n}, pairs{&p.state->pairs, p.capacity};
  bit_range tile_bits{0, std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(p.tiles() - 1))))};

  select_results seen_results() const {
    select_results r(&p.state->seen);
    r.indices = p.seen;
    return r;
  }
  expand_results pair_results() const {
    expand_results r(&p.state->pairs);
    r.wanted = &p.state->wanted;
    r.capacity = p.capacity;
    return r;
  }
  pair_of pair() const { return {p.seen_boxes, p.near_to_far, tiles_of(p.width)}; }
};

inline std::size_t splat_workspace(const splat_plan& p) {
  const splat_calls c{p};
  return std::max(
      {select_arrays_workspace_bytes({&c.depths, 1}, c.seen_results(), p.splats.n, by_index{touches_a_tile{p.boxes}}),
       sort_pairs_workspace_bytes(p.seen_depth, p.near_depth, p.seen, p.near_to_far, c.seen),
       expand_workspace_bytes(p.counts, pair_arrays{p.tile, p.splat}, c.pair_results(), c.seen, c.pair()),
       sort_pairs_workspace_bytes(p.tile, p.sorted_tile, p.splat, p.sorted_splat, c.pairs, sort_order::ascending,
                                  c.tile_bits)});
}

/// Enqueues a frame. `mark(stage)` is called after each stage.
template <class Stream, class Mark>
status enqueue_splats(const splat_plan& p, Stream stream, Mark mark) {
  auto executor = executor_of(stream);
  const splat_calls c{p};
  const std::int64_t blocks = ceil_div(p.splats.n, 256);
  status s = executor.launch(blocks, project_kernel{}, p);
  if (s != status::success) return s;
  mark(splat_stage::project);
  s = static_cast<status>(
      select_arrays(p.work, {&c.depths, 1}, c.seen_results(), p.splats.n, by_index{touches_a_tile{p.boxes}}, stream));
  if (s != status::success) return s;
  mark(splat_stage::cull);
  s = static_cast<status>(sort_pairs(p.work, static_cast<const float*>(p.seen_depth), p.near_depth,
                                     static_cast<const std::uint32_t*>(p.seen), p.near_to_far, c.seen,
                                     sort_order::ascending, bit_range{}, stream));
  if (s != status::success) return s;
  mark(splat_stage::sort_by_depth);
  s = executor.launch(blocks, boxes_kernel{}, p);
  if (s != status::success) return s;
  s = static_cast<status>(expand(p.work, static_cast<const std::uint32_t*>(p.counts), pair_arrays{p.tile, p.splat},
                                 c.pair_results(), c.seen, c.pair(), stream));
  if (s != status::success) return s;
  mark(splat_stage::expand);
  s = static_cast<status>(sort_pairs(p.work, static_cast<const std::uint16_t*>(p.tile), p.sorted_tile,
                                     static_cast<const std::uint32_t*>(p.splat), p.sorted_splat, c.pairs,
                                     sort_order::ascending, c.tile_bits, stream));
  if (s != status::success) return s;
  s = static_cast<status>(run_starts(static_cast<const std::uint16_t*>(p.sorted_tile),
                                     run_arrays<std::uint32_t>{p.begins, p.ends, p.tiles()}, c.pairs,
                                     key_digits<std::uint16_t>{}, c.tile_bits, stream));
  if (s != status::success) return s;
  mark(splat_stage::sort_by_tile);
  s = executor.launch(p.tiles(), rasterise_kernel{}, p);
  if (s != status::success) return s;
  mark(splat_stage::rasterise);
  return status::success;
}

}  // namespace upsweep::apps
