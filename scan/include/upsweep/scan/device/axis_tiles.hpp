// How a scan along an axis is cut into tiles. A tile is what a block has in shared memory at once: some whole slices;
// or a strip of the columns of one slice, with all of its rows; or, of slices with more rows than that, with a chunk of
// them. Only the chunks of a strip wait for one another.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// i / d without a division, for i and d below 2^15. (2 i + 1) / (2 d) is at least 1 / (2 d) away from the next
/// integer, more than rounding the reciprocal up adds.
class small_divider {
 public:
  explicit UPSWEEP_HOST_DEVICE small_divider(int d)
      : half_reciprocal_(((std::uint32_t{1} << 31) - 1) / static_cast<std::uint32_t>(d) + 1) {}
  UPSWEEP_HOST_DEVICE int quotient(int i) const {
    return static_cast<int>(std::uint64_t{2 * static_cast<std::uint32_t>(i) + 1} * half_reciprocal_ >> 32);
  }

 private:
  std::uint32_t half_reciprocal_;
};

/// Tickets have 32 bits.
inline constexpr std::int64_t max_tiles = (std::int64_t{1} << 31) - 1;

/// One tile. Its items lie in global memory in `pieces` of `piece_items` side by side, which begin `pitch` items apart;
/// in shared memory they begin `shared_pitch` apart.
struct axis_tile {
  std::int64_t first;        ///< its first item among all of the array
  std::int64_t chunk;        ///< how many chunks of its strip are before it
  std::int64_t column;       ///< its first column
  std::int64_t first_state;  ///< the number of that column's state: each row of chunks has one for each column
  std::int64_t pitch;
  int pieces, piece_items, shared_pitch;
  int slices, rows, columns;  ///< of each slice
  int slice_pitch;            ///< in shared memory

  UPSWEEP_HOST_DEVICE int items() const { return pieces * piece_items; }
  /// The columns of all slices of the tile: a scan each.
  UPSWEEP_HOST_DEVICE int lines() const { return slices * columns; }
};

/// The tiles of an array, in the order of outer, chunk, strip. `group_rows` rows of a line are scanned by one thread,
/// by as many as `groups` threads a line.
struct axis_tiling {
  array_axis axis;
  int strip, slices, group_rows, groups, chunk_rows;
  int slice_rows;  ///< that a slice takes in shared memory where there are several
  std::int64_t strips, chunks, tiles;
  int halo = 0;  ///< so many columns of the strip behind it are scanned with a strip, too

  /// What tiles publish, where they wait for one another: a state of each column of each chunk.
  UPSWEEP_HOST_DEVICE constexpr std::int64_t states() const {
    return is_chained() ? axis.outer * chunks * axis.inner : 0;
  }

  /// Whether tiles wait for one another.
  UPSWEEP_HOST_DEVICE constexpr bool is_chained() const { return chunks > 1; }

  /// Of fewer than max_tiles.
  UPSWEEP_HOST_DEVICE axis_tile tile(std::int64_t number) const {
    // By 32 bits, which a GPU divides several times as fast.
    const auto n = static_cast<std::uint32_t>(number), a_row = static_cast<std::uint32_t>(strips);
    const auto a_slice = static_cast<std::uint32_t>(chunks);
    const std::uint32_t row_of_tiles = n / a_row, slice_number = row_of_tiles / a_slice;
    axis_tile t;
    t.chunk = row_of_tiles - slice_number * a_slice;
    const std::uint32_t strip_number = n - row_of_tiles * a_row;
    t.column = std::int64_t{strip_number} * strip;
    t.first_state = std::int64_t{row_of_tiles} * axis.inner + t.column;
    const std::int64_t slice = std::int64_t{slice_number} * slices;
    t.slices = at_most(slices, axis.outer - slice);
    t.columns = at_most(strip, axis.inner - t.column);
    const std::int64_t row = t.chunk * chunk_rows;
    t.rows = at_most(chunk_rows, axis.length - row);
    const std::int64_t top = axis.is_backward ? axis.length - row - t.rows : row;
    t.first = (slice * axis.length + top) * axis.inner + t.column;
    t.slice_pitch = slice_rows * t.columns;
    if (t.slices > 1) {
      t.pieces = t.slices;
      t.piece_items = t.rows * t.columns;
      t.pitch = t.piece_items;
      t.shared_pitch = t.slice_pitch;
    } else if (t.columns == axis.inner) {
      t.pieces = 1;
      t.piece_items = t.rows * t.columns;
      t.pitch = t.shared_pitch = t.piece_items;
    } else {
      t.pieces = t.rows;
      t.piece_items = t.shared_pitch = t.columns;
      t.pitch = axis.inner;
    }
    return t;
  }

 private:
  static UPSWEEP_HOST_DEVICE int at_most(int most, std::int64_t left) {
    return left < most ? static_cast<int>(left) : most;
  }
};

/// How a block of `threads` threads, which hold `group_rows` items each, shares an array of items() > 0 items of
/// `item_bytes` bytes. A strip has about `lined_bytes` bytes of a row where rows begin at lines of 128 bytes, else
/// `loose_bytes`; or all of it where that is no more than twice `lined_bytes`, or without lines `whole_bytes`.
constexpr axis_tiling tile_axis(const array_axis& axis, int threads, int group_rows, int lined_bytes, int loose_bytes,
                                int whole_bytes, std::size_t item_bytes) {
  const auto bytes = static_cast<std::int64_t>(item_bytes);
  const auto items_of = [&](std::int64_t some_bytes) { return (std::max)(std::int64_t{1}, some_bytes / bytes); };
  const std::int64_t capacity = std::int64_t{threads} * group_rows;
  const std::int64_t banks = (std::min)(std::int64_t{32}, items_of(128));
  axis_tiling t{axis, 1, 1, group_rows, 1, 1, 1, 1, 1, 1};
  // The fewest strips of at most `most` columns, all but the last of the same width, which is one of whole sectors.
  const auto share_columns = [&](std::int64_t most) {
    const std::int64_t sector = items_of(32), even = ceil_div(axis.inner, ceil_div(axis.inner, most));
    t.strip = static_cast<int>((std::min)({axis.inner, most, ceil_div(even, sector) * sector}));
    t.strips = ceil_div(axis.inner, t.strip);
  };
  const bool has_lines = axis.inner % items_of(128) == 0;
  const std::int64_t narrow = items_of(lined_bytes) * (has_lines ? 1 : 2);

  if ((std::min)(axis.inner, narrow) <= capacity && axis.length < capacity / (std::min)(axis.inner, narrow)) {
    t.chunk_rows = static_cast<int>(axis.length);
    std::int64_t lines = capacity / (axis.length | 1);
    share_columns(lines);
    const auto share_lines = [&] {
      if (t.strips == 1) t.slices = static_cast<int>(std::clamp(lines / t.strip, std::int64_t{1}, axis.outer));
      const std::int64_t groups = (std::max)(std::int64_t{1}, threads / (std::int64_t{t.slices} * t.strip));
      t.group_rows = static_cast<int>(ceil_div(axis.length, groups) | 1);
      t.groups = static_cast<int>(ceil_div(axis.length, t.group_rows));
    };
    share_lines();
    // Slices so far apart that lanes side by side, which have the lines of a group of rows and then the next group,
    // meet in few banks: an odd number of rows, or the width of as many groups as lanes have of each line.
    const std::int64_t of_lanes = std::int64_t{t.slices} * t.strip;
    t.slice_rows = t.chunk_rows | 1;
    if (t.slices > 1 && of_lanes < banks) {
      const std::int64_t apart = ceil_div(banks, of_lanes) * t.group_rows;
      t.slice_rows = static_cast<int>(axis.length + ((apart - axis.length) % banks + banks) % banks);
      lines = (std::min)(lines, capacity / t.slice_rows);
      share_lines();
    }
  } else {
    const std::int64_t whole = items_of(has_lines ? 2 * lined_bytes : whole_bytes);
    const std::int64_t strip = axis.inner <= whole ? axis.inner : items_of(has_lines ? lined_bytes : loose_bytes);
    share_columns((std::min)(std::int64_t{threads}, strip));
    t.groups = threads / t.strip;
    // Lanes at several groups of rows meet in no bank where a group has `group_rows`. A multiple of what a vector of 16
    // bytes has, so that all chunks begin as well aligned as the first one.
    const std::int64_t rows = t.strip < banks ? std::int64_t{t.groups} * group_rows : capacity / t.strip;
    const std::int64_t of_vector = items_of(16);
    t.chunk_rows = static_cast<int>(rows < of_vector ? rows : rows / of_vector * of_vector);
    if (t.strip >= banks) t.group_rows = static_cast<int>(ceil_div(t.chunk_rows, t.groups));
    t.chunks = ceil_div(axis.length, t.chunk_rows);
  }
  t.tiles = product_of(product_of(ceil_div(axis.outer, t.slices), t.chunks), t.strips);
  return t;
}

/// How blocks of `warps` warps, each lane of which holds up to `most_rows` items of a column, share an array of items()
/// > 0 items: in strips of about as many columns as a warp has lanes. A tile has a warp for each group of its rows, and
/// where that is not all of them, a block may have several tiles. With `sector_items` items of the output in 32 bytes,
/// of which `before_output` lie before its first one, a strip has a halo up to where a sector ends that begins in it,
/// in whatever row; with 1, none.
constexpr axis_tiling tile_strips(const array_axis& axis, int warps, int most_rows, int sector_items,
                                  int before_output = 0) {
  const bool is_chained = axis.length > warps * most_rows;
  const int groups = is_chained ? warps : static_cast<int>(ceil_div(axis.length, most_rows));
  const int group_rows = is_chained ? most_rows : static_cast<int>(ceil_div(axis.length, groups));
  axis_tiling t{axis, 1, 1, group_rows, groups, groups * group_rows, 1, 1, 1, 1};
  // Strips begin in a sector at multiples of `common`.
  int common = static_cast<int>((std::min)(axis.inner & -axis.inner, std::int64_t{sector_items}));  // powers of two
  if (before_output % common != 0) common = 1;
  if (axis.inner > warp_size) t.halo = sector_items - common;
  const std::int64_t even = ceil_div(axis.inner, ceil_div(axis.inner, warp_size - t.halo));
  t.strip = static_cast<int>((std::min)(axis.inner, ceil_div(even, common) * common));
  t.strips = ceil_div(axis.inner, t.strip);
  t.chunks = ceil_div(axis.length, t.chunk_rows);
  t.tiles = product_of(product_of(axis.outer, t.chunks), t.strips);
  return t;
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
