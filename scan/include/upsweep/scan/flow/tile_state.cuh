// How tiles publish their sums to the tiles after them (Merrill & Garland 2016, section 4).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// invalid: nothing yet; partial: the sum of the tile; inclusive: the sum of everything up to the tile's end.
enum class tile_status : std::uint32_t { invalid = 0, partial = 1, inclusive = 2 };

template <class T>
struct tile_reading {
  T value{};
  tile_status status = tile_status::invalid;

  UPSWEEP_HOST_DEVICE bool is_there() const { return status != tile_status::invalid; }
  UPSWEEP_HOST_DEVICE const T& get() const { return value; }
};

/// Element i of an array of the layout, from a host copy of what the layout's arrays hold, at any address.
template <class T>
T element_of_copy(const std::byte* copy, workspace_layout::slot<T> s, std::int64_t i) {
  T element;
  std::memcpy(static_cast<void*>(__builtin_addressof(element)),
              copy + s.offset + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return element;
}

/// Status and value share a word of at most 16 bytes, which one access writes and reads: no order is needed.
template <class T>
inline constexpr bool fits_tile_word = sizeof(T) + sizeof(tile_status) <= 16;

template <class T>
struct alignas(sizeof(T) <= 4 ? 8 : 16) tile_word {
  T value;
  tile_status status;

  static UPSWEEP_HOST_DEVICE tile_word of(const T& value, tile_status status) { return {value, status}; }
  UPSWEEP_HOST_DEVICE tile_reading<T> reading() const { return {value, status}; }
};

/// A word of each tile, zero before the launch; slots and constructor are as tile_workspace asks.
template <class Word>
class tile_words {
 public:
  struct state_slots {
    workspace_layout::slot<Word> words;
    constexpr std::size_t end_to_clear() const { return words.end(); }
  };
  static constexpr state_slots add_to(workspace_layout& layout, std::int64_t tiles) {
    return {layout.add<Word>(tiles)};
  }
  tile_words(const workspace_layout& layout, workspace w, const state_slots& s) : words_(layout.at(w, s.words)) {}

 protected:
  Word* words_;
};

template <class T, bool OneWord = fits_tile_word<T>>
class tile_states;

template <class T>
class tile_states<T, true> : public tile_words<tile_word<T>> {
  using word = tile_word<T>;
  using base = tile_words<word>;
  using base::words_;
  static_assert(sizeof(word) == alignof(word));

 public:
  using base::base;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, const T& value) const {
    block.store_relaxed(words_ + tile, word::of(value, status));
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<T> read(Ctx& block, std::int64_t tile) const {
    return block.load_relaxed(words_ + tile).reading();
  }
  /// What the tile has published, from a host copy of the layout's arrays.
  static tile_reading<T> read_copy(const std::byte* copy, const typename base::state_slots& s, std::int64_t tile) {
    return element_of_copy(copy, s.words, tile).reading();
  }
};

/// The value is written before the status (release), and read after it (acquire). The two kinds of sums have arrays of
/// their own: a reader of the partial sum never sees it overwritten.
template <class T>
class tile_states<T, false> {
 public:
  struct state_slots {
    workspace_layout::slot<tile_status> status;
    workspace_layout::slot<T> partial, inclusive;
    constexpr std::size_t end_to_clear() const { return status.end(); }
  };
  static constexpr state_slots add_to(workspace_layout& layout, std::int64_t tiles) {
    const auto n = static_cast<std::size_t>(tiles);
    const auto status = layout.add<tile_status>(n);
    const auto partial = layout.add<T>(n);
    return {status, partial, layout.add<T>(n)};
  }

  tile_states(const workspace_layout& layout, workspace w, const state_slots& s)
      : status_(layout.at(w, s.status)), partial_(layout.at(w, s.partial)), inclusive_(layout.at(w, s.inclusive)) {}

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, const T& value) const {
    (status == tile_status::partial ? partial_ : inclusive_)[tile] = value;
    block.store_release(status_ + tile, status);
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<T> read(Ctx& block, std::int64_t tile) const {
    const tile_status status = block.load_acquire(status_ + tile);
    tile_reading<T> r{T{}, status};
    if (status == tile_status::partial) r.value = partial_[tile];
    if (status == tile_status::inclusive) r.value = inclusive_[tile];
    return r;
  }
  /// What the tile has published, from a host copy of the layout's arrays.
  static tile_reading<T> read_copy(const std::byte* copy, const state_slots& s, std::int64_t tile) {
    const tile_status status = element_of_copy(copy, s.status, tile);
    return {element_of_copy(copy, status == tile_status::partial ? s.partial : s.inclusive, tile), status};
  }

 private:
  tile_status* status_;
  T *partial_, *inclusive_;
};

/// Calls take(reading, last) for each window of 32 tiles before `tile`, which is not the first, nearest first, until
/// one is inclusive; returns then. Lane l has the reading of the l-th nearest tile of the window, and `last` is the
/// lane of the inclusive one, else 31. One warp calls. Waits for smaller tiles. Tile 0 publishes nothing but inclusive.
template <class Ctx, class States, class Take>
UPSWEEP_DEVICE void look_back_windows(Ctx& block, const States& tiles, std::int64_t tile, Take take) {
  for (std::int64_t nearest = tile - 1;; nearest -= warp_size) {
    const std::int64_t mine = nearest - block.lane();
    decltype(tiles.read(block, mine)) r;
    lane_mask ends;
    for (;;) {
      if (mine >= 0 && r.status == tile_status::invalid) r = tiles.read(block, mine);
      ends = block.ballot(r.status == tile_status::inclusive);
      const lane_mask nearer = ends == 0 ? full_warp : (ends & (0 - ends)) - 1;
      const lane_mask unready = block.ballot(r.status == tile_status::invalid) & nearer;
      if (unready == 0) break;
      block.back_off();
    }
    take(r.value, ends != 0 ? lowest_lane(ends) : warp_size - 1, nearest == tile - 1);
    if (ends != 0) return;
  }
}

/// The sum of all tiles before `tile`, which is not the first, in all lanes. One warp calls.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE T look_back(Ctx& block, const tile_states<T>& tiles, std::int64_t tile, Op op) {
  T sum{};
  look_back_windows(block, tiles, tile, [&](const T& value, int last, bool is_nearest) {
    const T of_window = warp_reduce_backwards(block, value, op, last);
    if (block.lane() == 0) sum = is_nearest ? of_window : op(of_window, sum);
  });
  return block.shuffle(sum, 0);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_ABI {
template <class T>
inline constexpr bool is_bitwise_copyable<detail::tile_word<T>> = is_bitwise_copyable<T>;
}  // namespace upsweep::inline UPSWEEP_ABI
