// The calls of splats.hpp on a stream of either device: splats by depth, a pair for each tile that one touches, by
// tile.
#pragma once

#include <algorithm>

#include "splats.hpp"
#include "upsweep/compact/expand.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"

namespace upsweep::apps {

/// A thread for each splat, by depth.
struct boxes_in_order_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const tile_box* boxes, const std::uint32_t* order,
                                 std::int64_t n, tile_box* ordered, std::uint32_t* counts) const {
    const std::int64_t i = block.block_index() * block_threads + block.thread_rank();
    if (i >= n) return;
    const tile_box b = ordered[i] = boxes[order[i]];
    counts[i] = static_cast<std::uint32_t>(b.tiles());
  }
};

struct tile_and_splat {
  std::uint16_t tile;
  std::uint32_t splat;
};
/// An output iterator.
struct tile_and_splat_arrays {
  struct place {
    std::uint16_t* tile;
    std::uint32_t* splat;
    UPSWEEP_HOST_DEVICE void operator=(const tile_and_splat& p) const { *tile = p.tile, *splat = p.splat; }
  };
  std::uint16_t* tile;
  std::uint32_t* splat;
  UPSWEEP_HOST_DEVICE place operator[](std::int64_t i) const { return {tile + i, splat + i}; }
};
/// Tile number j of splat number i by depth.
struct pair_of_splat {
  const tile_box* boxes;
  const std::uint32_t* order;
  UPSWEEP_HOST_DEVICE tile_and_splat operator()(std::int64_t i, std::int64_t j) const {
    return {static_cast<std::uint16_t>(boxes[i].tile(static_cast<int>(j))), order[i]};
  }
};

struct splats_plan {
  static constexpr bit_range bits{0, tile_bits};
  static constexpr auto up = sort_order::ascending;

  detail::workspace_layout layout;
  std::int64_t n, room;
  detail::workspace_layout::slot<std::uint32_t> order, counts, splats;
  detail::workspace_layout::slot<tile_box> boxes;
  detail::workspace_layout::slot<std::uint16_t> tiles, sorted;
  std::size_t bytes;

  explicit splats_plan(const primitive_arrays& a) : n(a.n), room(room_for_pairs(a.more)) {
    order = layout.add<std::uint32_t>(n);
    counts = layout.add<std::uint32_t>(n);
    splats = layout.add<std::uint32_t>(room);
    boxes = layout.add<tile_box>(n);
    tiles = layout.add<std::uint16_t>(room);
    sorted = layout.add<std::uint16_t>(room);
    const workspace none;
    const auto* const depth = static_cast<const float*>(a.in[1]);
    bytes = layout.bytes() +
            (std::max)({argsort_workspace_bytes(depth, layout.at(none, order), n, up),
                        expand_workspace_bytes(layout.at(none, counts), pairs(none), results(a), n, item(none)),
                        sort_pairs_workspace_bytes(static_cast<const std::uint16_t*>(nullptr), layout.at(none, sorted),
                                                   static_cast<const std::uint32_t*>(nullptr), a.words_out(0),
                                                   written(a), up, bits)});
  }

  tile_and_splat_arrays pairs(workspace w) const { return {layout.at(w, tiles), layout.at(w, splats)}; }
  pair_of_splat item(workspace w) const { return {layout.at(w, boxes), layout.at(w, order)}; }
  expand_results results(const primitive_arrays& a) const {
    expand_results r(a.offsets_out(2));
    r.capacity = room;
    return r;
  }
  /// How many pairs there are, which the host does not know.
  device_count<std::int64_t> written(const primitive_arrays& a) const { return {a.offsets_out(2), room}; }
};

template <class Stream>
status splats_on(Stream stream, workspace w, const primitive_arrays& a) {
  const splats_plan p(a);
  const auto& at = p.layout;
  const workspace rest = at.rest(w);
  std::uint32_t* const order = at.at(w, p.order);
  auto s = static_cast<status>(
      argsort(rest, static_cast<const float*>(a.in[1]), order, p.n, splats_plan::up, bit_range{}, stream));
  if (s != status::success) return s;
  s = executor_of(stream).launch(ceil_div(p.n, boxes_in_order_kernel::block_threads), boxes_in_order_kernel{},
                                 static_cast<const tile_box*>(a.in[0]), static_cast<const std::uint32_t*>(order), p.n,
                                 at.at(w, p.boxes), at.at(w, p.counts));
  if (s != status::success) return s;
  s = static_cast<status>(expand(rest, at.at(w, p.counts), p.pairs(w), p.results(a), p.n, p.item(w), stream));
  if (s != status::success) return s;
  s = static_cast<status>(sort_pairs(rest, static_cast<const std::uint16_t*>(at.at(w, p.tiles)), at.at(w, p.sorted),
                                     static_cast<const std::uint32_t*>(at.at(w, p.splats)), a.words_out(0),
                                     p.written(a), splats_plan::up, splats_plan::bits, stream));
  if (s != status::success) return s;
  const run_arrays<std::uint32_t> ranges{a.words_out(1), a.words_out(1) + screen_tiles, screen_tiles};
  return static_cast<status>(run_starts(static_cast<const std::uint16_t*>(at.at(w, p.sorted)), ranges, p.written(a),
                                        key_digits<std::uint16_t>{}, splats_plan::bits, stream));
}

}  // namespace upsweep::apps
