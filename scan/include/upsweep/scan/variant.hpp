// The names of scan variants: a variant is a device strategy x a block algorithm x a tile.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <optional>
#include <string_view>

#include "upsweep/simt/names.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How a scan of n items is spread over the device.
enum class scan_strategy {
  default_scan,                  ///< one of the others, by n, type and device
  serial,                        ///< a loop on the CPU: for host memory and the sim
  naive_quadratic,               ///< every thread adds its whole prefix; at most 2^18 items
  hillis_steele,                 ///< log2 n passes over all items (Hillis & Steele 1986)
  blelloch,                      ///< an up-sweep and a down-sweep over all items (Blelloch 1990)
  scan_then_propagate,           ///< scans tiles, then their sums, and adds those to the tiles
  reduce_then_scan,              ///< sums tiles, scans the sums, and scans the tiles from there
  chained_scan,                  ///< one pass; every tile waits for the one before
  decoupled_lookback,            ///< one pass; every tile looks back over the sums of those before
  decoupled_lookback_pipelined,  ///< the same with a role for every warp: loads, reduces, looks back, scans
  single_block,                  ///< one block, for few items
  cluster,                       ///< one cluster of blocks that exchange their sums, for some more
};

/// How a block scans one value of each thread.
enum class block_algorithm {
  kogge_stone,                  ///< log2 steps, all threads in each
  sklansky,                     ///< log2 steps, half of the threads in each
  brent_kung,                   ///< up and down a tree: twice the steps, the fewest additions
  brent_kung_padded,            ///< brent_kung without conflicts of shared memory's banks
  blelloch,                     ///< up-sweep and down-sweep, exclusive by nature
  reduce_scan,                  ///< reduces to a few partial sums, scans those, spreads them
  raking,                       ///< one warp adds up rows of shared memory
  warp_scans,                   ///< a scan by shuffles in every warp, then over the warps; the default
  warp_radix_brent_kung,        ///< brent_kung with nodes of a warp
  warp_radix_brent_kung_fused,  ///< the same, the way down merged into the results of each thread
  warp_radix_sklansky,          ///< sklansky with nodes of a warp
  warp_radix_raking,            ///< raking with rows of a warp
};

/// The names of the strategies, in the order of scan_strategy, as configs, options and messages spell them.
inline constexpr auto scan_strategy_names = std::to_array<std::string_view>(
    {"default", "serial", "naive_quadratic", "hillis_steele", "blelloch", "scan_then_propagate", "reduce_then_scan",
     "chained_scan", "decoupled_lookback", "decoupled_lookback_pipelined", "single_block", "cluster"});
/// The names of the block algorithms, in the order of block_algorithm.
inline constexpr auto block_algorithm_names = std::to_array<std::string_view>(
    {"kogge_stone", "sklansky", "brent_kung", "brent_kung_padded", "blelloch", "reduce_scan", "raking", "warp_scans",
     "warp_radix_brent_kung", "warp_radix_brent_kung_fused", "warp_radix_sklansky", "warp_radix_raking"});

/// The name of a strategy, as options and configs spell it.
constexpr std::string_view name_of(scan_strategy s) {
  return scan_strategy_names[static_cast<std::size_t>(s)];
}
/// The name of a block algorithm, as options and configs spell it.
constexpr std::string_view name_of(block_algorithm b) {
  return block_algorithm_names[static_cast<std::size_t>(b)];
}

/// True for strategies that scan tiles, each by a block: they alone have a block algorithm and a tile.
constexpr bool has_tiles(scan_strategy s) {
  return s >= scan_strategy::scan_then_propagate;
}

/// The strategy of that name; nothing when there is none.
constexpr std::optional<scan_strategy> scan_strategy_named(std::string_view name) {
  return detail::enumerator_named<scan_strategy>(scan_strategy_names, name);
}

/// The block algorithm of that name; nothing when there is none.
constexpr std::optional<block_algorithm> block_algorithm_named(std::string_view name) {
  return detail::enumerator_named<block_algorithm>(block_algorithm_names, name);
}

/// A scan variant at run time. `block`, `block_threads` and `items_per_thread` are ignored unless has_tiles(strategy).
struct scan_variant {
  scan_strategy strategy = scan_strategy::default_scan;  ///< the kernels of the device
  block_algorithm block = block_algorithm::warp_scans;   ///< how a block scans
  int block_threads = 256;                               ///< threads of a block
  int items_per_thread = 16;                             ///< of a tile

  friend constexpr bool operator==(const scan_variant&, const scan_variant&) = default;
};

}  // namespace upsweep::inline UPSWEEP_ABI
