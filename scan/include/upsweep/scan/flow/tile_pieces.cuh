// Tile states for tiles that publish once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The sums of tiles that publish once, in words of 8 bytes, each with 4 bytes of it and a mark that is not 0. A sum is
/// there when all its words are, so no order is needed. On an H200 loads of two such words are twice as fast as the
/// loads of 16 bytes in one access that tile_states takes. Zero before the launch.
template <class T>
class marked_pieces {
  static constexpr int pieces = static_cast<int>((sizeof(T) + 3) / 4);
  struct alignas(8) word {
    std::uint32_t bits, mark;
  };

 public:
  /// The first words of all tiles, then the second ones, and so on.
  struct state_slots {
    workspace_layout::slot<word> words;
    std::int64_t tiles;
    constexpr std::size_t end_to_clear() const { return words.end(); }
  };
  static constexpr state_slots add_to(workspace_layout& layout, std::int64_t tiles) {
    return {layout.add<word>(tiles * pieces), tiles};
  }
  marked_pieces(const workspace_layout& layout, workspace w, const state_slots& s)
      : words_(layout.at(w, s.words)), tiles_(s.tiles) {}

 protected:
  template <class Ctx>
  UPSWEEP_DEVICE void put(Ctx& block, std::int64_t tile, const T& value, std::uint32_t mark) const {
    std::uint32_t bits[pieces] = {};
    memcpy(bits, __builtin_addressof(value), sizeof(T));
    UPSWEEP_UNROLL
    for (int p = 0; p < pieces; ++p) block.store_relaxed(words_ + p * tiles_ + tile, word{bits[p], mark});
  }
  /// The words as they are: who waits keeps nothing else.
  struct pieces_read {
    std::uint32_t bits[pieces] = {}, mark = 0;
    UPSWEEP_HOST_DEVICE bool is_there() const { return mark != 0; }
    UPSWEEP_HOST_DEVICE void put_to(T& value) const {
      memcpy(static_cast<void*>(__builtin_addressof(value)), bits, sizeof(T));
    }
  };
  template <class Ctx>
  UPSWEEP_DEVICE pieces_read take(Ctx& block, std::int64_t tile) const {
    pieces_read r;
    bool whole = true;
    UPSWEEP_UNROLL
    for (int p = 0; p < pieces; ++p) {
      const word w = block.load_relaxed(words_ + p * tiles_ + tile);
      r.bits[p] = w.bits;
      r.mark = w.mark;
      if (w.mark == 0) whole = false;
    }
    if (!whole) r.mark = 0;
    return r;
  }

 private:
  word* words_;
  std::int64_t tiles_;
};

/// As tile_states, but each tile publishes once.
template <class T>
struct tile_pieces : marked_pieces<T> {
  using marked_pieces<T>::marked_pieces;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, const T& value) const {
    this->put(block, tile, value, static_cast<std::uint32_t>(status));
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<T> read(Ctx& block, std::int64_t tile) const {
    const auto pieces = this->take(block, tile);
    tile_reading<T> r{T{}, static_cast<tile_status>(pieces.mark)};
    if (pieces.is_there()) pieces.put_to(r.value);
    return r;
  }
};

/// Keeps the sums of tiles that publish once.
template <class T>
struct states_of_one_sum {
  using type = std::conditional_t<(sizeof(T) > 4 && fits_tile_word<T>), tile_pieces<T>, tile_states<T>>;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
