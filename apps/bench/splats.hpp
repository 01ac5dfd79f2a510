// Splats to the tiles of a screen by upsweep, on either device, as apps/examples/splats.cu does it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// The tiles of a screen of 1920 x 1080, of 16 x 16 pixels each.
inline constexpr int tile_side = 16, tiles_x = 120, tiles_y = 68, screen_tiles = tiles_x * tiles_y, tile_bits = 13;
static_assert(screen_tiles <= 1 << tile_bits);

/// The tiles that a splat touches; right and bottom are one after the last.
struct alignas(8) tile_box {
  std::uint16_t left, top, right, bottom;
  UPSWEEP_HOST_DEVICE int wide() const { return right - left; }
  UPSWEEP_HOST_DEVICE int tiles() const { return wide() * (bottom - top); }
  /// Of tile number j of the box, in rows.
  UPSWEEP_HOST_DEVICE int tile(int j) const { return (top + j / wide()) * tiles_x + left + j % wide(); }
};

/// For how many pairs of a splat and a tile there is room where `pairs` come.
constexpr std::int64_t room_for_pairs(std::int64_t pairs) {
  return pairs + pairs / 2;
}

std::size_t splats_workspace_bytes(const primitive_arrays& a);
status splats(runtime::stream s, workspace w, const primitive_arrays& a);

/// The part that nvcc compiles.
status splats_on_cuda(void* stream, workspace w, const primitive_arrays& a);

}  // namespace upsweep::apps
