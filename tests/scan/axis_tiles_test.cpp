// Axes of arrays, and how they are cut into tiles.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/internals.hpp"
#include "support/operators.hpp"
#include "upsweep/scan/axis_scan.cuh"
#include "upsweep/scan/device/axis_tiles.hpp"
#include "upsweep/scan/flow/column_lookback.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/executor.hpp"

namespace upsweep::test {
namespace {

TEST(array_axis, is_what_stands_before_and_behind_it_in_the_shape) {
  EXPECT_EQ(along({7}, 0), (array_axis{1, 7, 1}));
  EXPECT_EQ(along({2, 3, 5, 7}, 0), (array_axis{1, 2, 105}));
  EXPECT_EQ(along({2, 3, 5, 7}, 2), (array_axis{6, 5, 7}));
  EXPECT_EQ(along({2, 3, 5, 7}, -1), (array_axis{30, 7, 1}));
  EXPECT_EQ(along({2, 3, 5, 7}, -4), (array_axis{1, 2, 105}));
  EXPECT_EQ(along({2, 0, 5}, 2).items(), 0);
  constexpr std::int64_t many = std::int64_t{1} << 40;
  for (const int axis : {0, 1, 2}) {
    EXPECT_EQ(along({many, many, 0}, axis).items(), 0);
    EXPECT_EQ(along({0, many, many}, axis).items(), 0);
    EXPECT_EQ(along({many, many, 1}, axis).items(), -1);
    EXPECT_EQ(along({0, many, -1}, axis).items(), -1);
  }
  EXPECT_EQ((array_axis{many, many, 0}).items(), 0);
  EXPECT_EQ(along({2, 3}, 1).backward(), (array_axis{2, 3, 1, true}));
  EXPECT_EQ(along({2, 3}, 1).backward().backward(), along({2, 3}, 1));
  EXPECT_EQ(along({1, 1, 1, 2, 1, 1, 1, 3}, 3), (array_axis{1, 2, 3}));
}

TEST(array_axis, of_a_permuted_array_is_that_of_its_memory) {
  EXPECT_EQ(along({3, 5}, {5, 1}, 0), along({3, 5}, 0));
  EXPECT_EQ(along({5, 3}, {1, 5}, 0), along({3, 5}, 1));
  EXPECT_EQ(along({5, 2, 3}, {1, 15, 5}, 0), (array_axis{6, 5, 1}));
  EXPECT_EQ(along({5, 2, 3}, {1, 15, 5}, 1), (array_axis{1, 2, 15}));
  EXPECT_EQ(along({5, 2, 3}, {1, 15, 5}, -1), (array_axis{2, 3, 5}));
  EXPECT_EQ(along({5, 1, 3}, {1, 77, 5}, 1), (array_axis{1, 1, 15}));  // of one index: no stride matters
  EXPECT_EQ(along({0, 5}, {9, 9}, 1).items(), 0);
}

TEST(array_axis, is_refused_where_there_is_none) {
  const std::int64_t huge = std::int64_t{1} << 62;
  for (const array_axis& a :
       {along({3, 5}, 2), along({3, 5}, -3), along({3, -5}, 0), along({}, 0), along({3, 5}, {6, 1}, 0),
        along({3, 5}, {5, 2}, 1), along({3, 5}, {1, 1}, 1), along({3, 5}, {-5, 1}, 1), along({3, 5}, {1}, 0),
        along({huge, 2, 2}, 0), along({huge, 2, 1}, 1)}) {
    EXPECT_LT(a.items(), 0);
  }
  EXPECT_EQ(along({huge, 1}, 0).items(), huge);
}

TEST(array_axis, is_scanned_the_way_of_its_shape) {
  const struct {
    array_axis axis;
    axis_way way;
  } table[] = {
      {{1, 1, 1}, axis_way::whole_array},      {{1, 1 << 28, 1}, axis_way::whole_array},
      {{1, 1 << 28, 1, true}, axis_way::rows}, {{2, 1, 1}, axis_way::rows},
      {{1 << 20, 100, 1}, axis_way::rows},     {{1 << 20, 100, 1, true}, axis_way::rows},
      {{1, 1 << 27, 2}, axis_way::columns},    {{1, 1, 1 << 28}, axis_way::columns},
      {{3, 1 << 16, 4096}, axis_way::columns}, {{3, 1, 2, true}, axis_way::columns},
  };
  for (const auto& row : table) EXPECT_EQ(axis_way_of(row.axis), row.way) << row.axis.outer << " " << row.axis.length;
}

TEST(small_dividers, divide) {
  for (int d = 1; d < 1 << 15; d += 1 + d / 37) {
    const small_divider by(d);
    for (int i = 0; i < 1 << 15; i += d < 400 || i % d == d - 1 ? 1 : d - 1) ASSERT_EQ(by.quotient(i), i / d);
    ASSERT_EQ(by.quotient((1 << 15) - 1), ((1 << 15) - 1) / d);
  }
}

/// Every item is in one tile, once; what a kernel makes of a tile fits its shared memory and its threads.
void expect_fits(const array_axis& axis, int threads, int group_rows, int strip_bytes, std::size_t item_bytes) {
  const axis_tiling t = tile_axis(axis, threads, group_rows, strip_bytes, 2 * strip_bytes, 3 * strip_bytes, item_bytes);
  SCOPED_TRACE(testing::Message() << axis.outer << " x " << axis.length << " x " << axis.inner << ", " << threads
                                  << " x " << group_rows << " items of " << item_bytes);
  ASSERT_EQ(t.tiles, (axis.outer + t.slices - 1) / t.slices * t.chunks * t.strips);
  ASSERT_TRUE(t.slices == 1 || (t.chunks == 1 && t.strips == 1));
  std::vector<int> seen(static_cast<std::size_t>(axis.items()));
  for (std::int64_t number = 0; number < t.tiles; ++number) {
    const axis_tile tile = t.tile(number);
    ASSERT_TRUE(tile.rows > 0 && tile.columns > 0 && tile.slices > 0);
    ASSERT_LE(tile.rows, t.chunk_rows);
    ASSERT_LE(tile.rows, t.groups * t.group_rows);
    ASSERT_LE(tile.columns, t.strip);
    if (t.groups > 1 || t.is_chained()) {
      ASSERT_LE(t.groups * tile.lines(), threads);
    }
    std::vector<int> shared(static_cast<std::size_t>(threads * group_rows));
    for (int at = 0; at < tile.items(); ++at) {
      const int piece = at / tile.piece_items, in_piece = at % tile.piece_items;
      const std::int64_t place = tile.first + piece * tile.pitch + in_piece;
      const int in_shared = piece * tile.shared_pitch + in_piece;
      ASSERT_TRUE(place >= 0 && place < axis.items());
      ASSERT_TRUE(in_shared >= 0 && in_shared < threads * group_rows);
      ++seen[static_cast<std::size_t>(place)];
      ++shared[static_cast<std::size_t>(in_shared)];
    }
    for (int s = 0; s < tile.slices; ++s) {
      for (int r = 0; r < tile.rows; ++r) {
        for (int c = 0; c < tile.columns; ++c) {
          ASSERT_EQ(shared[static_cast<std::size_t>(s * tile.slice_pitch + r * tile.columns + c)], 1);
        }
      }
    }
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
}

TEST(axis_tilings, have_each_item_once) {
  for (const std::int64_t outer : {1, 2, 50}) {
    for (const std::int64_t length : {1, 2, 7, 8, 23, 24, 25, 64, 96, 97, 400}) {
      for (const std::int64_t inner : {1, 2, 3, 8, 15, 16, 17, 31, 33, 64, 95, 96, 97, 200}) {
        for (const bool backward : {false, true}) {
          if (outer * length * inner > 100'000) continue;
          expect_fits({outer, length, inner, backward}, 32, 3, 64, 4);
          if (testing::Test::HasFatalFailure()) return;
        }
        expect_fits({outer, length, inner}, 96, 1, 512, 64);
        expect_fits({outer, length, inner}, 256, 33, 512, 4);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Every item is in one strip, once, and every column of a row of chunks has a state of its own. Where there is a halo,
/// sectors that begin in a strip end in it or in its halo.
void expect_strips(const array_axis& axis, int warps, int rows, int sector, int before) {
  const axis_tiling t = tile_strips(axis, warps, rows, sector, before);
  SCOPED_TRACE(testing::Message() << axis.outer << " x " << axis.length << " x " << axis.inner << ", " << warps << " x "
                                  << rows << ", " << sector << " items a sector after " << before);
  ASSERT_LE(t.strip + (t.strips > 1 ? t.halo : 0), 32);
  ASSERT_TRUE(t.groups >= 1 && t.groups <= warps && t.group_rows <= rows);
  ASSERT_TRUE(t.is_chained() || t.chunk_rows >= axis.length);
  std::vector<int> seen(static_cast<std::size_t>(axis.items()));
  std::vector<int> states(static_cast<std::size_t>(t.states()));
  for (std::int64_t number = 0; number < t.tiles; ++number) {
    const axis_tile tile = t.tile(number);
    ASSERT_LE(tile.rows, t.groups * t.group_rows);
    const std::int64_t behind = axis.inner - tile.column - tile.columns;
    for (int r = 0; r < tile.rows; ++r) {
      const std::int64_t row = tile.first + r * axis.inner;
      for (int c = 0; c < tile.columns; ++c) {
        ++seen[static_cast<std::size_t>(row + c)];
        const std::int64_t in_sector = (before + row + c) % sector;
        if (t.halo > 0 && in_sector <= c) {
          ASSERT_LT(c - in_sector + sector - 1, behind > t.halo ? tile.columns + t.halo : axis.inner + sector);
        }
      }
    }
    for (int c = 0; t.is_chained() && c < tile.columns; ++c) ++states[static_cast<std::size_t>(tile.first_state + c)];
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
  for (const int times : states) ASSERT_EQ(times, 1);
}

TEST(axis_tilings, of_strips_have_each_item_once_and_whole_sectors) {
  for (const std::int64_t outer : {1, 3}) {
    for (const std::int64_t length : {1, 2, 7, 8, 9, 23, 24, 25, 61}) {
      for (const std::int64_t inner : {1, 2, 8, 31, 32, 33, 34, 36, 40, 57, 58, 64, 65, 96, 100, 257}) {
        for (const int sector : {1, 2, 4, 8}) {
          for (int before = 0; before < sector; ++before) {
            expect_strips({outer, length, inner, before % 2 == 1}, 4, 6, sector, before);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(axis_tilings, of_arrays_past_2_to_the_32_begin_where_they_should) {
  const std::int64_t rows = std::int64_t{1} << 34;
  for (const bool backward : {false, true}) {
    const axis_tiling t = tile_axis({3, rows, 5, backward}, 256, 33, 512, 512, 1024, 4);
    const axis_tile last = t.tile(t.tiles - 1);
    EXPECT_EQ(last.chunk, t.chunks - 1);
    EXPECT_EQ(last.rows, rows - (t.chunks - 1) * t.chunk_rows);
    const std::int64_t row = backward ? 0 : rows - last.rows;
    EXPECT_EQ(last.first, (2 * rows + row) * 5);
  }
  EXPECT_GT(tile_axis({1, std::int64_t{1} << 60, 1}, 256, 33, 512, 512, 1024, 4).tiles, max_tiles);
  const axis_tiling strips = tile_strips({3, rows, 1001}, 8, 88, 8);
  const axis_tile last = strips.tile(strips.tiles - 1);
  EXPECT_EQ(last.column + last.columns, 1001);
  EXPECT_EQ(last.first, (2 * rows + rows - last.rows) * 1001 + last.column);
  EXPECT_EQ(last.first_state + last.columns, strips.states());
  EXPECT_GT(tile_strips({1, std::int64_t{1} << 50, 1001}, 8, 88, 8).tiles, max_tiles);
}

/// The block publishes partial sums of all tiles of a strip of `columns` but the first, which is inclusive, and looks
/// back from the last.
template <class T, int AtOnce>
struct looks_back_kernel {
  static constexpr int block_threads = 32;
  using columns_of = detail::column_lookback<T, block_threads, AtOnce, 2>;
  using temp_storage = typename columns_of::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, detail::tile_states<T> states, int tiles, int columns,
                                 join<std::uint32_t> op, T* out) const {
    const int column = block.thread_rank();
    for (int tile = 0; tile < tiles && column < columns; ++tile) {
      const auto at = static_cast<std::uint32_t>(100 * column + tile + 1);
      states.publish(block, tile * columns + column,
                     tile == 0 ? detail::tile_status::inclusive : detail::tile_status::partial, T{at, at});
    }
    block.fence();
    block.barrier();  // all tiles are there
    const detail::column_tile here{tiles, std::int64_t{tiles} * columns, columns, columns};
    const T before = columns_of::look_back(block, s, states, here, op);
    if (column < columns) out[column] = before;
  }
};

// More tiles than a window has, in which each share has several: of operators that do not commute, in their order.
template <int AtOnce>
void joins_all_tiles(int tiles, int columns) {
  using item = span_of<std::uint32_t>;
  SCOPED_TRACE(std::to_string(tiles) + " tiles of " + std::to_string(columns) + " columns");
  detail::workspace_layout layout;
  const auto slots = detail::tile_states<item>::add_to(layout, tiles * columns);
  std::vector<std::byte> memory(layout.bytes());
  std::vector<item> out(static_cast<std::size_t>(columns));
  std::uint32_t misused = 0;
  sim_executor ex;
  ASSERT_EQ(ex.launch(1, looks_back_kernel<item, AtOnce>{},
                      detail::tile_states<item>(layout, workspace{memory.data(), memory.size()}, slots), tiles, columns,
                      join<std::uint32_t>{&misused}, out.data()),
            status::success)
      << sim_diagnostic();
  for (int c = 0; c < columns; ++c) {
    const auto first = static_cast<std::uint32_t>(100 * c + 1);
    EXPECT_EQ(out[static_cast<std::size_t>(c)], (item{first, first + static_cast<std::uint32_t>(tiles) - 1}));
  }
  EXPECT_EQ(misused, 0u) << "the operator ran on values that do not adjoin";
}

TEST(column_lookback, joins_partial_sums_in_their_order) {
  for (const int tiles : {1, 2, 3, 4, 5, 9, 20}) {
    for (const int columns : {1, 7, 16, 20, 32}) {
      joins_all_tiles<1>(tiles, columns);
      joins_all_tiles<4>(tiles, columns);
    }
  }
}

}  // namespace
}  // namespace upsweep::test
