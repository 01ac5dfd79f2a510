// The kernels of a frame of splats that are not this toolkit's, and what its calls take: which splats are seen, and the
// pairs of a tile and a splat.
#pragma once

#include <cstdint>

#include "splat_frame.hpp"

namespace upsweep::apps {

struct project_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, splat_plan p) const {
    const splat_view view = p.path[p.state->frame % p.views];
    const std::int64_t i = block.block_index() * block_threads + block.thread_rank();
    if (i < p.splats.n) p.boxes[i] = projected(p.splats, view, i, p.flat[i], p.depth[i]);
  }
};

/// The boxes of those that are seen, from near to far. All blocks of the projection have read the frame's number.
struct boxes_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, splat_plan p) const {
    const std::int64_t i = block.block_index() * block_threads + block.thread_rank();
    if (i == 0) ++p.state->frame;
    if (i >= p.state->seen) return;
    const tile_box b = p.boxes[p.near_to_far[i]];
    p.seen_boxes[i] = b;
    p.counts[i] = b.tiles();
  }
};

/// A block has the pixels of a tile, and brings its splats to shared memory, as many as it has threads.
struct rasterise_kernel {
  static constexpr int block_threads = splat_tile * splat_tile;
  struct temp_storage {
    flat_splat batch[block_threads];
  };
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, splat_plan p) const {
    const auto tile = static_cast<int>(block.block_index()), rank = block.thread_rank();
    const int wide = tiles_of(p.width);
    const int x = tile % wide * splat_tile + rank % splat_tile, y = tile / wide * splat_tile + rank / splat_tile;
    const auto begin = static_cast<int>(p.begins[tile]), end = static_cast<int>(p.ends[tile]);
    splat_pixel pixel;
    for (int first = begin; first < end; first += block_threads) {
      const int count = end - first < block_threads ? end - first : block_threads;
      if (rank < count) s.batch[rank] = p.flat[p.sorted_splat[first + rank]];
      block.barrier();  // s.batch is written
      for (int k = 0; k < count && !pixel.is_opaque(); ++k) {
        pixel.lay(s.batch[k], static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      }
      block.barrier();  // s.batch has been read
    }
    if (x < p.width && y < p.height) p.picture[static_cast<std::int64_t>(y) * p.width + x] = pixel.over(p.background);
  }
};

struct touches_a_tile {
  const tile_box* boxes;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return boxes[i].tiles() > 0; }
};

/// A pair of a tile and a splat, and an output iterator of them: their parts go to two arrays.
struct tile_and_splat {
  std::uint16_t tile;
  std::uint32_t splat;
};
struct pair_arrays {
  struct place {
    std::uint16_t* tile;
    std::uint32_t* splat;
    UPSWEEP_HOST_DEVICE void operator=(const tile_and_splat& p) const { *tile = p.tile, *splat = p.splat; }
  };
  std::uint16_t* tile;
  std::uint32_t* splat;
  UPSWEEP_HOST_DEVICE place operator[](std::int64_t i) const { return {tile + i, splat + i}; }
};

/// Pair number j of splat number i from near to far.
struct pair_of {
  const tile_box* boxes;
  const std::uint32_t* splats;
  int tiles_wide;
  UPSWEEP_HOST_DEVICE tile_and_splat operator()(std::int64_t i, std::int64_t j) const {
    const tile_box b = boxes[i];
    const int number = static_cast<int>(j), row = number / b.wide(), column = number - row * b.wide();
    return {static_cast<std::uint16_t>((b.top + row) * tiles_wide + b.left + column), splats[i]};
  }
};

}  // namespace upsweep::apps
