// Compaction of items that wait in registers until it is known what is kept before them. Few go by one block, by the
// blocks of a cluster, which tell one another how many items they keep, or by many blocks in two launches that overlap,
// of which the first counts: nothing is cleared then, and none of many blocks waits for another. Others learn it by
// look-back.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/copy_back.cuh"
#include "upsweep/compact/device/rejected_items.hpp"
#include "upsweep/compact/device/tile_votes.cuh"
#include "upsweep/compact/kernel_choice.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/few_tiles.cuh"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// kept[tile] = how many elements of the tile are kept, and *items = n, which the launch after may overwrite.
template <int Threads, int Items>
struct count_votes_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int tile_items = Threads * Items;
  static constexpr bool lets_next_begin = true;

  struct temp_storage {
    uninitialized_array<int, warps> kept;  // of each warp
  };

  template <class Ctx, class Vote, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Vote& vote, Count count, std::uint32_t* kept,
                                 std::int64_t* items) const {
    const std::int64_t n = items_of(block, count);
    const std::int64_t first = block.block_index() * tile_items + block.thread_rank();
    bool is_kept[Items];
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      const std::int64_t i = first + k * Threads;
      is_kept[k] = i < n && vote(i);
    }
    int mine = 0;
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) mine += is_kept[k] ? 1 : 0;
    mine = block.reduce_add(mine);
    if (block.lane() == 0) s.kept[block.warp()] = mine;
    block.barrier();  // s.kept is written
    if (block.warp() > 0) return;
    const int all = block.reduce_add(block.lane() < warps ? s.kept[block.lane()] : 0);
    if (block.lane() != 0) return;
    kept[block.block_index()] = static_cast<std::uint32_t>(all);
    if (block.block_index() == 0) *items = n;
  }
};

/// One array, as register_compact_kernel takes it: items are loaded and stored one by one.
template <class T>
struct one_array {
  using item = T;
  const T* in;
  T* out;

  UPSWEEP_DEVICE const T& load(std::int64_t i) const { return in[i]; }
  UPSWEEP_DEVICE void store(T* to, const T& x) const { *to = x; }
  UPSWEEP_DEVICE void put(std::int64_t i, const T& x) const { store(out + i, x); }
};

/// The same, also where a T may not lie: there its items go byte by byte.
template <class T>
struct array_anywhere {
  using item = T;
  const T* in;
  T* out;
  bool aligned;

  UPSWEEP_DEVICE T load(std::int64_t i) const {
    if (aligned) return in[i];
    uninitialized_array<T, 1> x;
    copy_bytes(x.bytes, in + i);
    return x[0];
  }
  UPSWEEP_DEVICE void store(T* to, const T& x) const {
    if (aligned) {
      *to = x;
    } else {
      copy_bytes(to, __builtin_addressof(x));
    }
  }
  UPSWEEP_DEVICE void put(std::int64_t i, const T& x) const { store(out + i, x); }

 private:
  static UPSWEEP_DEVICE void copy_bytes(void* to, const void* from) {
    UPSWEEP_UNROLL
    for (std::size_t b = 0; b < sizeof(T); ++b) {
      static_cast<unsigned char*>(to)[b] = static_cast<const unsigned char*>(from)[b];
    }
  }
};

/// The same with the items that are not kept, unless `rejected` is null, and what tells which they are.
template <class Array>
struct parted : Array {
  rejected_items<typename Array::item> rejected;
  compact_totals* totals;

  UPSWEEP_DEVICE void reject(std::int64_t j, std::int64_t n, const typename Array::item& x) const {
    if (rejected.first != nullptr) this->store(rejected.at(j, n), x);
  }
};

/// Moved is one of the arrays above, or word_columns; Counts is one of few_tiles.cuh or counts_by_look_back. The blocks
/// have room for all items. It is safe in place but by two launches.
template <class Moved, int Threads, int Items, class Counts>
struct register_compact_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;

  static constexpr bool begins_early = true;

  struct temp_storage {
    typename Counts::temp_storage counts;
    typename tile_votes<Threads, Items>::temp_storage votes;
  };

  template <class Ctx, class Vote, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Moved& moved, const Vote& vote, Count count,
                                 const select_results& results, Counts counts) const {
    // The launch that counts writes nothing that is read before `counts`, but for n where that is in device memory.
    if constexpr (may_be_empty<Count> || Counts::takes_tickets) block.wait_for_previous();
    const std::int64_t n = items_of(block, count);
    const std::int64_t last = n > 0 ? (n - 1) / tile_items : 0;
    if constexpr (may_be_empty<Count> && Counts::takes_tickets) {
      if (block.block_index() > last) return;
    }
    const std::int64_t tile = counts.tile(block, s.counts);
    const std::int64_t first = tile * tile_items + block.warp() * warp_size * Items + block.lane();
    uninitialized_array<typename Moved::item, Items> item;
    bool keep[Items];
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      const std::int64_t i = first + k * warp_size;
      keep[k] = false;
      if (i < n) {
        keep[k] = vote(i);
        item[k] = moved.load(i);
      }
    }
    const tile_votes<Threads, Items> votes(block, s.votes, keep);
    const int kept = votes.kept();
    const std::int64_t before = counts.before(block, s.counts, tile, kept, [] {});
    votes.places(block, before, [&](int k, std::int64_t at) {
      const std::int64_t i = first + k * warp_size;
      if (keep[k] && at < results.capacity) {
        moved.put(at, item[k]);
        if (results.indices.wanted()) results.indices.put(at, i);
      }
      if constexpr (requires { moved.rejected; }) {
        if (!keep[k] && i < n) moved.reject(i - at, n, item[k]);
      }
    });
    if (tile == last && block.thread_rank() == 0) {
      results.put(block, before + kept);
      if constexpr (requires { moved.totals; }) {
        if (moved.totals != nullptr) *moved.totals = {n, before + kept};
      }
    }
  }
};

/// Few items, by the kernels that are chosen for them (kernel_choice.hpp).
class register_compact {
 public:
  /// Of n items of at most so many bytes in all.
  template <class T>
  static std::size_t workspace_bytes(std::int64_t n, std::int64_t most_bytes) {
    return memory((std::min)(n, most_bytes / static_cast<std::int64_t>(sizeof(T))), tile_items<T>).layout.bytes();
  }

  /// not_supported, and nothing has happened, for a cluster that is larger than the device takes. `w` is large enough.
  template <class Moved, class Executor, class Count, class Vote>
  static status run(array_kernels kernels, Executor& ex, workspace w, const Moved& moved, Count count, const Vote& vote,
                    const select_results& results) {
    using T = typename Moved::item;
    constexpr int each = shape<T>.few_each();
    const auto by_cluster = [&]<int Threads>(std::integral_constant<int, Threads>) {
      const auto tiles = static_cast<unsigned>(ceil_div(bound_of(count), Threads * each));
      const int blocks = static_cast<int>(std::bit_ceil(tiles));
      return ex.launch(grid(blocks, 0, blocks), register_compact_kernel<Moved, Threads, each, counts_of_cluster>{},
                       moved, vote, count, results, counts_of_cluster{});
    };
    switch (kernels) {
      case array_kernels::one_block: {
        const register_compact_kernel<Moved, threads, each, counts_of_one_tile> kernel;
        return ex.launch(1, kernel, moved, vote, count, results, counts_of_one_tile{});
      }
      case array_kernels::cluster:
        return by_cluster(std::integral_constant<int, shape<T>.cluster_threads>{});
      case array_kernels::wide_cluster:
        return by_cluster(std::integral_constant<int, shape<T>.wide_cluster_threads()>{});
      default:
        break;
    }
    // By two launches.
    const std::int64_t n = bound_of(count);
    const memory m(n, tile_items<T>);
    std::uint32_t* const kept = m.layout.at(w, m.kept);
    std::int64_t* const items = m.layout.at(w, m.items);
    grid tiles(ceil_div(n, tile_items<T>));
    tiles.overlaps_next = true;
    const status counted = ex.launch(tiles, count_votes_kernel<threads, many_items<T>>{}, vote, count, kept, items);
    if (counted != status::success) return counted;
    tiles.overlaps_next = false;
    const counts_of_launch counts{kept};
    const register_compact_kernel<Moved, threads, many_items<T>, counts_of_launch> mover;
    if constexpr (may_be_empty<Count>) {
      return ex.launch(tiles, mover, moved, vote, device_count<std::int64_t>{items, n}, results, counts);
    } else {
      return ex.launch(tiles, mover, moved, vote, count, results, counts);
    }
  }

 private:
  template <class T>
  static constexpr array_types shape{sizeof(T), alignof(T)};
  template <class T>
  static constexpr int many_items = sizeof(T) > 16 ? 1 : 2 * shape<T>.few_each();
  static constexpr int threads = array_types::few_threads;
  template <class T>
  static constexpr int tile_items = threads* many_items<T>;

  struct memory {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> kept;
    workspace_layout::slot<std::int64_t> items;

    memory(std::int64_t n, int tile_items) {
      kept = layout.add<std::uint32_t>(ceil_div(n, tile_items));
      items = layout.add<std::int64_t>(1);
    }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
