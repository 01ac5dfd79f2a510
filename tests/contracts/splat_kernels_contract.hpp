// What the kernels of a frame of splats promise, on any device, one after another: where a splat is on the screen,
// which tiles it touches, the pairs of both, and the picture. What comes between them is done here by plain loops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "splat_kernels.cuh"
#include "support/guarded_array.hpp"
#include "support/test_device.hpp"
#include "upsweep/compact/expand.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/device/chained_scan.cuh"

namespace upsweep::test {

using namespace apps;

/// Splats in front of a picture of 3 x 2 tiles, more of them in one tile than it brings at a time; some are behind the
/// eye, or beside the picture, or cannot be seen.
struct some_splats {
  static constexpr std::size_t n = 300;
  static constexpr int width = 40, height = 24;
  std::vector<vec4f> place, rotation, scale;
  std::vector<float> harmonics;
  some_splats() {
    for (std::size_t i = 0; i < n; ++i) {
      const auto turn = static_cast<float>(i) * 2.4f, far = 0.02f * static_cast<float>(i % 250);
      vec4f p{0.25f + 0.2f * std::cos(turn), 0.1f * std::sin(turn), far, 0.02f};
      if (i % 7 == 0) p.x += 1.5f;
      if (i % 31 == 0) p.z = -11;
      if (i % 37 == 0) p.y = 50;
      if (i % 41 == 0) p.w = 0.001f;
      place.push_back(p);
      rotation.push_back({0.8f, 0, 0, 0.6f});
      scale.push_back({0.3f, 0.1f, 0.2f, 0});
    }
    place[5] = {0, 0, -2, 1};  // in front of all, and it hides what is behind it
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < n; ++i) harmonics.push_back(static_cast<float>((i * (c + 3)) % 11) * 0.3f - 1.2f);
    }
  }
  splat_view view() const { return {{0, 0, -10}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, 60, 0.1f, width, height}; }
};

/// A splat on the screen, in double.
struct seen_splat {
  bool is_seen;
  double x, y, depth, xx, xy, yy;
  explicit seen_splat(const some_splats& s, std::size_t i) {
    const vec4f p = s.place[i], e = s.scale[i];
    depth = double{p.z} + 10;
    is_seen = depth > 0.1 && p.w >= 1 / 255.;
    x = 60 * double{p.x} / depth + 20;
    y = 60 * double{p.y} / depth + 12;
    // By 0.8, 0.6 about the z axis: columns (0.28, 0.96) and (-0.96, 0.28).
    const double axes[3][3] = {
        {0.28 * double{e.x}, 0.96 * double{e.x}, 0}, {-0.96 * double{e.y}, 0.28 * double{e.y}, 0}, {0, 0, double{e.z}}};
    const double slope_x = std::clamp(double{p.x} / depth, -0.65 * 40 / 60, 0.65 * 40 / 60);
    const double slope_y = std::clamp(double{p.y} / depth, -0.65 * 24 / 60, 0.65 * 24 / 60);
    xx = yy = 0.3;
    xy = 0;
    for (const auto& a : axes) {
      const double h = (a[0] - slope_x * a[2]) * 60 / depth, k = (a[1] - slope_y * a[2]) * 60 / depth;
      xx += h * h;
      xy += h * k;
      yy += k * k;
    }
  }
  double alpha(double opacity, double px, double py) const {
    const double dx = px - x, dy = py - y, determinant = xx * yy - xy * xy;
    return std::min(0.99, opacity * std::exp(-0.5 * (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / determinant));
  }
};

template <class Stream>
void expect_a_picture_of_splats(test_device<Stream>& d) {
  const some_splats s;
  constexpr std::size_t n = some_splats::n, pixels = some_splats::width * some_splats::height;
  std::vector<seen_splat> exact;
  for (std::size_t i = 0; i < n; ++i) exact.emplace_back(s, i);
  const guarded_array<vec4f, Stream> place(d, s.place), rotation(d, s.rotation), scale(d, s.scale);
  const guarded_array<float, Stream> harmonics(d, s.harmonics);
  splat_view elsewhere = s.view();
  elsewhere.eye.x = 1000;
  const guarded_array<splat_view, Stream> path(d, std::vector<splat_view>{elsewhere, s.view()});
  guarded_array<splat_state, Stream> state(d, std::vector<splat_state>{{0, 0, 0, 3}});
  guarded_array<flat_splat, Stream> flat(d, n);
  guarded_array<tile_box, Stream> boxes(d, n);
  guarded_array<float, Stream> depth(d, n);
  splat_plan p = {};
  p.splats = {n, place.data(), rotation.data(), scale.data(), harmonics.data(), 1};
  p.path = path.data();
  p.views = 2;
  p.width = some_splats::width;
  p.height = some_splats::height;
  p.background = {0.25f, 0.5f, 0};
  p.state = state.data();
  p.flat = flat.data();
  p.boxes = boxes.data();
  p.depth = depth.data();
  ASSERT_EQ(d.executor().launch(2, project_kernel{}, p), status::success) << d.message();
  const auto box = boxes.items();
  const auto depths = depth.items();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < n; ++i) {
    EXPECT_NEAR(depths[i], exact[i].depth, 1e-4);
    if (box[i].tiles() > 0) order.push_back(i);
    ASSERT_TRUE(box[i].right <= 3 && box[i].bottom <= 2);
    // Where it shows, there a tile is touched.
    for (int tile = 0; tile < 6; ++tile) {
      const int left = tile % 3, top = tile / 3;
      bool shows = false;
      for (int y = 16 * top; y < std::min(16 * top + 16, p.height); ++y) {
        for (int x = 16 * left; x < std::min(16 * left + 16, p.width); ++x) {
          shows |=
              exact[i].is_seen && exact[i].alpha(double{s.place[i].w}, x + 0.5, y + 0.5) > 0.012 * double{s.place[i].w};
        }
      }
      const bool touched = left >= box[i].left && left < box[i].right && top >= box[i].top && top < box[i].bottom;
      ASSERT_TRUE(touched || !shows) << i << " in tile " << tile;
    }
    EXPECT_TRUE((exact[i].is_seen && s.place[i].y < 50) || box[i].tiles() == 0) << i;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return depths[a] < depths[b]; });
  ASSERT_GT(order.size(), 256u);

  // How many tiles each has, from near to far; nothing comes after them.
  state.set({{static_cast<std::int64_t>(order.size()), 0, 0, 3}});
  const guarded_array<std::uint32_t, Stream> near_to_far(d, order);
  guarded_array<tile_box, Stream> seen_boxes(d, order.size());
  guarded_array<std::uint32_t, Stream> counts(d, order.size());
  p.near_to_far = near_to_far.data();
  p.seen_boxes = seen_boxes.data();
  p.counts = counts.data();
  ASSERT_EQ(d.executor().launch(2, boxes_kernel{}, p), status::success) << d.message();
  EXPECT_EQ(state.items()[0].frame, 4u);
  std::vector<tile_and_splat> pairs;
  const auto tiles = counts.items();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const tile_box b = box[order[i]];
    ASSERT_EQ(tiles[i], b.tiles());
    for (int y = b.top; y < b.bottom; ++y) {
      for (int x = b.left; x < b.right; ++x) pairs.push_back({static_cast<std::uint16_t>(3 * y + x), order[i]});
    }
  }

  // Its pairs, by an expansion of small tiles.
  using expansion = balanced_expand<chained_scan<warp_scans<64>, 2>, 96, 3>;
  guarded_array<std::uint16_t, Stream> pair_tile(d, pairs.size());
  guarded_array<std::uint32_t, Stream> pair_splat(d, pairs.size());
  guarded_array<std::int64_t, Stream> pair_count(d, std::vector<std::int64_t>(1));
  expand_results results(pair_count.data());
  results.capacity = static_cast<std::int64_t>(pairs.size());
  const pair_of of{p.seen_boxes, p.near_to_far, 3};
  const std::uint32_t* const in = counts.data();
  const pair_arrays out{pair_tile.data(), pair_splat.data()};
  const auto seen = static_cast<std::int64_t>(order.size());
  guarded_array<unsigned char, Stream> work(d, expand_workspace_bytes<expansion>(in, out, results, seen, of));
  ASSERT_EQ(static_cast<status>(expand<expansion>({work.data(), work.size()}, in, out, results, seen, of, d.stream())),
            status::success);
  EXPECT_EQ(pair_count.items()[0], results.capacity);
  const auto got_tile = pair_tile.items();
  const auto got_splat = pair_splat.items();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_TRUE(got_tile[i] == pairs[i].tile && got_splat[i] == pairs[i].splat) << i;
  }

  // The picture.
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.tile < b.tile; });
  std::vector<std::uint32_t> sorted, begins(6), ends(6);
  for (const tile_and_splat& pair : pairs) {
    if (ends[pair.tile] == 0) begins[pair.tile] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(pair.splat);
    ends[pair.tile] = static_cast<std::uint32_t>(sorted.size());
  }
  const guarded_array<std::uint32_t, Stream> sorted_splat(d, sorted), begin(d, begins), end(d, ends);
  guarded_array<std::uint32_t, Stream> picture(d, pixels);
  p.sorted_splat = sorted_splat.data();
  p.begins = begin.data();
  p.ends = end.data();
  p.picture = picture.data();
  ASSERT_EQ(d.executor().launch(6, rasterise_kernel{}, p), status::success) << d.message();
  const auto drawn = picture.items();
  for (int i = 0; i < static_cast<int>(pixels); ++i) {
    const int x = i % p.width, y = i / p.width;
    const auto tile = static_cast<std::size_t>(y / 16 * 3 + x / 16);
    double light[3] = {0, 0, 0}, rest = 1;
    for (std::uint32_t k = begins[tile]; k < ends[tile]; ++k) {
      const std::uint32_t which = sorted[k];
      const double a = exact[which].alpha(double{s.place[which].w}, x + 0.5, y + 0.5);
      if (a < 1 / 255.) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        light[c] += std::max(0., 0.28209479 * double{s.harmonics[c * n + which]} + 0.5) * a * rest;
      }
      rest *= 1 - a;
    }
    const double background[3] = {0.25, 0.5, 0};
    for (std::size_t c = 0; c < 3; ++c) {
      const double expected = 255 * std::min(1., light[c] + rest * background[c]);
      ASSERT_NEAR(drawn[static_cast<std::size_t>(i)] >> (8 * c) & 255, expected, 1.5)
          << x << ' ' << y << ", channel " << c;
    }
  }
}

template <class Stream>
bool add_splat_kernels_contract() {
  add_test<Stream>("splat_kernels", "draw_a_picture", [](test_device<Stream>& d) { expect_a_picture_of_splats(d); });
  return true;
}

}  // namespace upsweep::test
