// Which kernels the compaction of one array runs: what its types, its arguments and the device say of it. A function
// without side effects, whose table is tests/compact/kernel_choice_test.cpp. Several arrays whose elements are words of
// 4 bytes ask it, too, while they are few; all others, and iterators, go by compact_tiles.cuh (device/fused.cuh).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

enum class array_kernels {
  one_block,     ///< register_compact.cuh: few items, which wait in registers
  cluster,       ///< the same in blocks of 256 threads, which tell one another how many they keep
  wide_cluster,  ///< the same in larger ones
  two_launches,  ///< the same in many, of which an earlier launch has counted
  ring,          ///< compact_ring.cuh
  look_back,     ///< register_compact.cuh: items of any number in registers, at any address
  tiles,         ///< compact_tiles.cuh: many by lists, with a look-back; and items too wide for registers
};
constexpr bool is_of_few(array_kernels k) {
  return k <= array_kernels::two_launches;
}

/// What the ring would let vote.
enum class vote_source {
  items,    ///< the items, or another array of their type that is not flags, which it does not take
  stencil,  ///< another array
  other,    ///< what cannot be staged
};

/// The sizes from which each kernel is chosen, and which kernels the device can run.
struct kernel_limits {
  std::int64_t few_bytes = 4 << 20;         ///< the most that two launches take
  std::int64_t few_parted_bytes = 2 << 20;  ///< the same with rejected items: two short runs of each warp
  std::int64_t ring_bytes = 1 << 20;        ///< the fewest that the ring takes
  std::size_t ring_item_bytes = 128;        ///< the widest item of which it takes tiles
  int cluster_blocks = max_cluster_blocks;  ///< 1: there are no clusters
  bool runs_ring = true;
};

/// What the types of a call say. Kernels that it may not take are not compiled.
struct array_types {
  std::size_t item_bytes, item_alignment;
  vote_source votes = vote_source::other;
  std::size_t stencil_bytes = 0;
  bool rejects = false;

  constexpr bool fit_registers() const { return item_bytes <= 64; }
  /// Of many items those that a tile keeps leave faster by a list, as words one after another: where votes are not by
  /// the item that a register holds, and of 3 bytes, which are not a word. Registers need no copy in place, and know
  /// where the rejected and the indices go.
  constexpr bool may_go_by_lists() const {
    return fit_registers() && !rejects && (votes == vote_source::other || item_bytes == 3);
  }
  constexpr bool may_be_few(const kernel_limits& limits) const { return fit_registers() && limits.few_bytes > 0; }
  constexpr bool fit_ring(const kernel_limits& limits) const {
    return item_bytes >= 4 && item_bytes <= limits.ring_item_bytes;
  }
  constexpr bool may_take_ring(const kernel_limits& limits) const {
    return fit_ring(limits) &&
           (votes == vote_source::items || (votes == vote_source::stencil && stencil_bytes <= item_bytes &&
                                            !(rejects && stencil_bytes > 4)));  // items of a partition would spill
  }

  /// Items that a thread of few holds: 16 bytes of them, at most 4 of narrow ones, and at least one.
  constexpr int few_each() const {
    return item_bytes < 4 ? 4 : item_bytes > 16 ? 1 : static_cast<int>(16 / item_bytes);
  }
  static constexpr int few_threads = 512, cluster_threads = 256;
  /// Of wider items each thread has one, and 1024 of a block take longer than two launches would.
  constexpr int wide_cluster_threads() const { return item_bytes > 16 ? 512 : 1024; }
};

inline std::uintptr_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// What its arguments say; the pointers as addresses.
struct array_call {
  std::int64_t n;
  std::uintptr_t in, out, rejected = 0, stencil = 0;
  rejected_order order = rejected_order::apart;
  bool wants_indices = false;

  constexpr bool in_place() const { return in == out; }
  /// Rejected items have no place until all have voted, or one from which others have yet to be read: they are copied
  /// there afterwards.
  constexpr bool copies_rejected() const {
    return rejected == 0 && (order == rejected_order::after || (order == rejected_order::backwards && in_place()));
  }
  constexpr bool rejects_nothing() const { return rejected == 0 && order == rejected_order::apart; }
  constexpr bool is_aligned_to(std::size_t bytes) const { return (in | out | rejected) % bytes == 0; }
  /// In clusters, which have a power of two of blocks.
  constexpr std::int64_t blocks(const array_types& types, int threads) const {
    const std::int64_t tiles = ceil_div(n, std::int64_t{threads} * types.few_each());
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tiles)));
  }
};

/// The kernels for n > 0 items.
constexpr array_kernels choose(const array_types& types, const array_call& call, const kernel_limits& limits) {
  const std::int64_t bytes = call.n * static_cast<std::int64_t>(types.item_bytes);
  const bool is_direct = call.is_aligned_to(types.item_alignment) &&
                         !(types.rejects && (call.copies_rejected() || call.rejects_nothing()));
  const std::int64_t few_bytes = types.rejects ? limits.few_parted_bytes : limits.few_bytes;
  if (is_direct && types.may_be_few(limits) && bytes <= few_bytes) {
    if (call.n <= types.few_threads * types.few_each()) return array_kernels::one_block;
    if (limits.cluster_blocks > 1) {
      if (call.blocks(types, types.cluster_threads) <= limits.cluster_blocks) return array_kernels::cluster;
      if (call.blocks(types, types.wide_cluster_threads()) <= limits.cluster_blocks) return array_kernels::wide_cluster;
    }
    if (!call.in_place()) return array_kernels::two_launches;
  }
  if (is_direct && types.may_take_ring(limits) && limits.runs_ring && bytes >= limits.ring_bytes &&
      !call.wants_indices && (types.votes == vote_source::stencil || call.stencil == call.in) &&
      aligned_tiles::items_in_front(call.in, types.item_bytes, call.stencil, types.stencil_bytes) >= 0 &&
      (call.out | call.rejected) % widest_word(types.item_bytes) == 0) {  // the ring writes no others
    return array_kernels::ring;
  }
  if (!types.fit_registers()) return array_kernels::tiles;
  const bool by_lists = types.may_go_by_lists() && !call.in_place() && !call.wants_indices;
  return by_lists ? array_kernels::tiles : array_kernels::look_back;
}

/// Takes note that the device, which has clusters or none, has refused these kernels. False when nothing else is left
/// to choose.
constexpr bool refuse(kernel_limits& limits, array_kernels kernels, const array_types& types, const array_call& call,
                      bool has_clusters) {
  if (kernels == array_kernels::ring) {
    limits.runs_ring = false;
    return true;
  }
  if (kernels != array_kernels::cluster && kernels != array_kernels::wide_cluster) return false;
  const bool is_wide = kernels == array_kernels::wide_cluster;
  const std::int64_t blocks = call.blocks(types, is_wide ? types.wide_cluster_threads() : types.cluster_threads);
  limits.cluster_blocks = has_clusters ? static_cast<int>(blocks / 2) : 1;
  return true;
}

/// The kernels that are chosen, and where the device refuses them, those that are chosen without.
struct chosen_kernels {
  array_types types;
  array_call call;
  kernel_limits left;
  array_kernels kernels;

  constexpr chosen_kernels(const array_types& t, const array_call& c, const kernel_limits& limits)
      : types(t), call(c), left(limits), kernels(choose(t, c, limits)) {}
  /// The device, which has clusters or none, has refused them: whether there are others now.
  constexpr bool take_others(bool has_clusters) {
    if (!refuse(left, kernels, types, call, has_clusters)) return false;
    kernels = choose(types, call, left);
    return true;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
