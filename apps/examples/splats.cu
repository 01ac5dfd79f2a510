// Splats to the tiles of a screen, as one CUDA graph: sorted by depth, made into pairs with every tile that they touch,
// and sorted by tile, so that each tile has its splats from near to far. Only the GPU knows how many pairs there are.
#include <utility>

#include "example.cuh"
#include "upsweep/compact/expand.cuh"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"

constexpr int side = 16, tiles_x = 120, tiles_y = 68, tiles = tiles_x * tiles_y, frames = 3;
constexpr int splats = on_the_sim ? 2'000 : 1'000'000, capacity = 24 * splats;  // pairs: those beyond are dropped

struct alignas(16) splat {
  float x, y, radius, depth;
};
struct alignas(8) box {  // of tiles
  std::uint16_t left, top, right, bottom;
  UPSWEEP_HOST_DEVICE int wide() const { return right - left; }
};
UPSWEEP_HOST_DEVICE std::uint16_t tile_at(float at, int end) {
  return static_cast<std::uint16_t>(at < 0 ? 0 : at < end * side ? at / side : end);
}
UPSWEEP_HOST_DEVICE box box_of(const splat& s) {
  return {tile_at(s.x - s.radius, tiles_x), tile_at(s.y - s.radius, tiles_y), tile_at(s.x + s.radius + side, tiles_x),
          tile_at(s.y + s.radius + side, tiles_y)};
}
UPSWEEP_HOST_DEVICE splat splat_of(unsigned frame, unsigned i) {
  const auto random = [&](unsigned k) { return ((frame * splats + i) * 4 + k) * 2654435761u >> 8; };
  return {random(0) % 1920 * 1.f, random(1) % 1080 * 1.f, random(2) % 52 * 1.f, random(3) % 100'000 * .01f};
}
struct scene {  // in device memory; boxes and counts are in the order from near to far
  unsigned *frame, *order, *counts;
  splat* all;
  float* depth;
  box* boxes;
};
struct project : scene {
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    depth[i] = (all[i] = splat_of(*frame, static_cast<unsigned>(i))).depth;
  }
};
struct find_boxes : scene {
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i == 0) ++*frame;
    const box b = boxes[i] = box_of(all[order[i]]);
    counts[i] = b.wide() * (b.bottom - b.top);
  }
};
struct pair_of : scene {  // tile number j of splat number i from near to far
  UPSWEEP_HOST_DEVICE pair<std::uint16_t, unsigned> operator()(std::int64_t i, std::int64_t j) const {
    const box b = boxes[i];
    const int row = static_cast<int>(j) / b.wide(), column = static_cast<int>(j) - row * b.wide();
    return {static_cast<std::uint16_t>((b.top + row) * tiles_x + b.left + column), order[i]};
  }
};
int main() {
  if (!has_gpu()) return 0;
  const scene s{zeros<unsigned>(1),   zeros<unsigned>(splats), zeros<unsigned>(splats),
                zeros<splat>(splats), zeros<float>(splats),    zeros<box>(splats)};
  const pair_arrays pairs{zeros<std::uint16_t>(capacity), zeros<unsigned>(capacity)},
      by_tile{zeros<std::uint16_t>(capacity), zeros<unsigned>(capacity)};
  std::int64_t* const total = zeros<std::int64_t>(1);
  const upsweep::run_arrays<unsigned> ranges{zeros<unsigned>(tiles), zeros<unsigned>(tiles), tiles};
  upsweep::expand_results results(total);
  results.capacity = capacity;
  const upsweep::device_count written{total, capacity};
  constexpr upsweep::bit_range tile_bits{0, 13};
  constexpr auto order = upsweep::sort_order::ascending;
  const upsweep::stream_pool pool;  // workspaces come from the graph's own memory
  const auto stream = new_stream();
  const auto binning = captured(stream, [&] {
    for_each(splats, project{s}, stream);
    check(upsweep::argsort(pool, s.depth, s.order, splats, order, {}, stream));
    for_each(splats, find_boxes{s}, stream);
    check(upsweep::expand(pool, s.counts, pairs, results, splats, pair_of{s}, stream));
    check(upsweep::sort_pairs(pool, pairs.first, by_tile.first, pairs.second, by_tile.second, written, order, tile_bits,
                              stream));
    check(upsweep::run_starts(by_tile.first, ranges, written, upsweep::key_digits<std::uint16_t>{}, tile_bits, stream));
  });
  for (unsigned f = 0; f < frames; ++f) {
    launch(binning, stream);
    wait(stream);
    const auto ends = on_host(ranges.ends, tiles), sorted = on_host(by_tile.second, capacity);
    auto at = on_host(ranges.begins, tiles);
    std::pair before{-1.f, 0u};
    for (const unsigned number : on_host(s.order, splats)) {
      const splat found = splat_of(f, number);
      expect(before < std::pair(found.depth, number), "the order of the depths");
      before = {found.depth, number};
      const box b = box_of(found);
      for (int y = b.top; y < b.bottom; ++y) {
        for (int tile = y * tiles_x + b.left; tile < y * tiles_x + b.right; ++tile)
          expect(at[tile] != ends[tile] && sorted[at[tile]++] == number, "the splats of a tile");
      }
    }
    expect(at == ends, "the number of splats of a tile");
    std::printf("frame %u: %lld pairs of splat and tile\n", f, static_cast<long long>(on_host(total, 1)[0]));
  }
}
