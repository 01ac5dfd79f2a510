#include <algorithm>
#include <numeric>

#include "splat_renderer.hpp"

namespace upsweep::apps {

plain_splats draw_plainly(const splat_cloud& splats, const splat_view& view, std::int64_t capacity, rgb background) {
  const splat_arrays all = splats.arrays();
  const auto n = static_cast<std::size_t>(all.n);
  std::vector<flat_splat> flat(n);
  std::vector<tile_box> boxes(n);
  std::vector<float> depth(n);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < n; ++i) {
    boxes[i] = projected(all, view, i, flat[i], depth[i]);
    if (boxes[i].tiles() > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
  const int wide = tiles_of(view.width), high = tiles_of(view.height);
  std::vector<std::vector<std::uint32_t>> tiles(static_cast<std::size_t>(wide * high));
  std::int64_t pairs = 0;
  for (const std::uint32_t i : order) {
    for (int y = boxes[i].top; y < boxes[i].bottom; ++y) {
      for (int x = boxes[i].left; x < boxes[i].right && pairs < capacity; ++x, ++pairs) {
        tiles[static_cast<std::size_t>(y * wide + x)].push_back(i);
      }
    }
  }
  plain_splats result{static_cast<std::int64_t>(order.size()), {}, {}, picture(view.width, view.height)};
  for (const auto& tile : tiles) {
    result.sorted.insert(result.sorted.end(), tile.begin(), tile.end());
    result.ends.push_back(tile.empty() ? 0 : static_cast<std::uint32_t>(result.sorted.size()));
  }
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      splat_pixel pixel;
      for (const std::uint32_t i : tiles[static_cast<std::size_t>(y / splat_tile * wide + x / splat_tile)]) {
        if (pixel.is_opaque()) break;
        pixel.lay(flat[i], static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      }
      const std::uint32_t color = pixel.over({background.r, background.g, background.b});
      const auto at = static_cast<std::size_t>(y * view.width + x) * 3;
      for (std::size_t c = 0; c < 3; ++c) {
        result.drawn.bytes()[at + c] = static_cast<std::uint8_t>(color >> (8 * c) & 255);
      }
    }
  }
  return result;
}

}  // namespace upsweep::apps
