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

/// As tile_states, but each tile publishes once: a sum in words of 8 bytes, each with 4 bytes of it and the status. A
/// sum is there when all its words are, so no order is needed. On an H200 loads of two such words are twice as fast as
/// the loads of 16 bytes in one access that tile_states takes.
template <class T>
class tile_pieces {
  static constexpr int pieces = static_cast<int>((sizeof(T) + 3) / 4);
  struct alignas(8) word {
    std::uint32_t bits;
    tile_status status;
  };

 public:
  /// The first words of all tiles, then the second ones, and so on.
  struct state_slots {
    workspace_layout::slot<word> words;
    std::int64_t tiles;
    constexpr std::size_t end_to_clear() const { return words.end(); }
  };
  static constexpr state_slots add_to(workspace_layout& layout, std::int64_t tiles) {
    return {layout.add<word>(static_cast<std::size_t>(tiles) * pieces), tiles};
  }

  tile_pieces(const workspace_layout& layout, workspace w, const state_slots& s)
      : words_(layout.at(w, s.words)), tiles_(s.tiles) {}

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, const T& value) const {
    std::uint32_t bits[pieces] = {};
    memcpy(bits, __builtin_addressof(value), sizeof(T));
    UPSWEEP_UNROLL
    for (int p = 0; p < pieces; ++p) block.store_relaxed(words_ + p * tiles_ + tile, word{bits[p], status});
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<T> read(Ctx& block, std::int64_t tile) const {
    std::uint32_t bits[pieces];
    tile_reading<T> r{T{}, tile_status::invalid};
    bool whole = true;
    UPSWEEP_UNROLL
    for (int p = 0; p < pieces; ++p) {
      const word w = block.load_relaxed(words_ + p * tiles_ + tile);
      bits[p] = w.bits;
      if (w.status == tile_status::invalid) whole = false;
      if (p == 0) r.status = w.status;
    }
    if (!whole) return {T{}, tile_status::invalid};
    memcpy(static_cast<void*>(__builtin_addressof(r.value)), bits, sizeof(T));
    return r;
  }

 private:
  word* words_;
  std::int64_t tiles_;
};

/// Keeps the sums of tiles that publish once.
template <class T>
struct states_of_one_sum {
  using type = std::conditional_t<(sizeof(T) > 4 && fits_tile_word<T>), tile_pieces<T>, tile_states<T>>;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
