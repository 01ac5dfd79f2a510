// Merge of two sorted arrays by merge path (block/merge_path.cuh), stable: a tile of the output for each block. Where
// the inputs of a tile begin and end, its own block asks while all blocks fit the GPU at once; of more tiles, a kernel
// before them asks with a thread for each, since a block's wait for some twenty answers would show.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/block/merge_path.cuh"
#include "upsweep/sort/block/padded.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Two sorted arrays of keys, as a kernel sees them.
template <class Key, class A, class B, class CountA, class CountB>
struct sorted_pair {
  using key_type = Key;
  A a;
  B b;
  CountA count_a;
  CountB count_b;

  /// Of the first `diagonal` keys of the merge, how many are of `a`.
  template <class Less, class Search>
  UPSWEEP_DEVICE std::int64_t split(std::int64_t n_a, std::int64_t n_b, std::int64_t diagonal, Less& less,
                                    const Search& search) const {
    return merge_split(
        n_a, n_b, diagonal, [this](std::int64_t i) { return static_cast<Key>(a[i]); },
        [this](std::int64_t i) { return static_cast<Key>(b[i]); }, less, search);
  }
};

/// splits[t] = how many of the keys of the tiles before tile t are of `a`, for the tiles that there are, and the place
/// after the last.
template <int TileItems>
struct merge_splits_kernel {
  static constexpr int block_threads = 128;
  static constexpr bool lets_next_begin = true;
  struct temp_storage {};

  template <class Ctx, class Keys, class Less>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Keys keys, std::int64_t* splits, Less given) const {
    using key = typename Keys::key_type;
    const std::int64_t n_a = items_of(keys.count_a), n_b = items_of(keys.count_b), n = n_a + n_b;
    const std::int64_t tile = block.block_index() * block_threads + block.thread_rank();
    if (tile > ceil_div(n, TileItems)) return;
    const std::int64_t first = tile * TileItems;
    auto&& less = callable<const key&, const key&>(given);
    splits[tile] = keys.split(n_a, n_b, first < n ? first : n, less,
                              [](std::int64_t low, std::int64_t high, const auto& is_before) {
                                return partition_point(low, high, is_before);
                              });
  }
};

/// The values of a merge of pairs; of one of keys alone there are none.
template <class Value, class A, class B, class Out>
struct merged_values {
  using value_type = Value;
  A a;
  B b;
  Out out;
};
using no_merged_values = merged_values<no_value, const no_value*, const no_value*, no_value*>;

/// Block t merges tile t. No `splits`: it finds where its keys begin and end by itself.
template <class Key, class Value, int Threads, int Items>
struct merge_tiles_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using tile_io = block_io<Key, Threads, Items>;
  static_assert(tile_items <= 1 << 16, "places in a tile are numbers of 16 bits");

  struct temp_storage {
    std::int64_t split[2];
    union {
      uninitialized_array<Key, tile_items> key;  // those of a, then those of b
      typename tile_io::temp_storage io;
    };
    uninitialized_array<std::uint16_t, has_values ? padded(tile_items) : 1> from;  // padded: of a place, where in `key`
  };

  template <class Ctx, class Keys, class KeysOut, class Values, class Less>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Keys keys, KeysOut keys_out, Values values,
                                 const std::int64_t* splits, Less given) const {
    const std::int64_t n_a = items_of(keys.count_a), n_b = items_of(keys.count_b), n = n_a + n_b;
    const std::int64_t first = block.block_index() * tile_items;
    if (first >= n) return;
    const int valid = static_cast<int>(n - first < tile_items ? n - first : tile_items);
    auto&& less = callable<const Key&, const Key&>(given);

    const std::int64_t* ends = s.split;
    if (splits != nullptr) {
      ends = splits + block.block_index();
    } else {
      find_ends(block, s, keys, n_a, n_b, first, first + valid, less);
      block.barrier();  // s.split is written
    }
    const std::int64_t first_a = ends[0], first_b = first - first_a;
    // Of arrays that are not sorted the end may be anywhere: no place outside of the arrays may be read.
    const std::int64_t least = first_b + valid > n_b ? first_a + (first_b + valid - n_b) : first_a;
    const std::int64_t most = first_a + valid < n_a ? first_a + valid : n_a;
    const std::int64_t end_a = ends[1] < least ? least : ends[1] > most ? most : ends[1];
    const int count_a = static_cast<int>(end_a - first_a);

    Key item[Items];
    each(block, valid, [&](int k, int at) {
      item[k] =
          at < count_a ? static_cast<Key>(keys.a[first_a + at]) : static_cast<Key>(keys.b[first_b + at - count_a]);
    });
    each(block, valid, [&](int k, int at) { s.key[at] = item[k]; });
    block.barrier();  // s.key is written
    merge(block, s, count_a, valid, less, item);
    block.barrier();  // s.key has been read, and s.from is written
    if (valid == tile_items) {
      tile_io::template store<true>(block, s.io, keys_out + first, valid, item);
    } else {
      tile_io::template store<false>(block, s.io, keys_out + first, valid, item);
    }
    if constexpr (has_values) move_values(block, s, values, first, first_a, first_b, count_a, valid);
  }

 private:
  /// The caller's items of a tile in the order of memory, up to `valid`, by their number and their place.
  template <class Ctx, class Body>
  static UPSWEEP_DEVICE void each(Ctx& block, int valid, const Body& body) {
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      const int at = k * Threads + block.thread_rank();
      if (at < valid) body(k, at);
    }
  }

  /// The first warp finds where the tile begins, the last one where it ends.
  template <class Ctx, class Keys, class Less>
  static UPSWEEP_DEVICE void find_ends(Ctx& block, temp_storage& s, const Keys& keys, std::int64_t n_a,
                                       std::int64_t n_b, std::int64_t first, std::int64_t last, Less& less) {
    UPSWEEP_NO_UNROLL
    for (int end = 0; end < 2; ++end) {
      if (block.warp() != (end == 0 ? 0 : Ctx::warps - 1)) continue;
      const std::int64_t split = keys.split(n_a, n_b, end == 0 ? first : last, less,
                                            [&](std::int64_t low, std::int64_t high, const auto& is_before) {
                                              return partition_point_by_warp(block, low, high, is_before);
                                            });
      if (block.lane() == 0) s.split[end] = split;
    }
  }

  /// Each thread merges its Items of the tile.
  template <class Ctx, class Less>
  static UPSWEEP_DEVICE void merge(Ctx& block, temp_storage& s, int count_a, int valid, Less& less,
                                   Key (&item)[Items]) {
    const int mine = block.thread_rank() * Items, diagonal = mine < valid ? mine : valid;
    const Key* const key = s.key.data();
    const int a = merge_split(
        count_a, valid - count_a, diagonal, [key](int i) -> const Key& { return key[i]; },
        [key, count_a](int i) -> const Key& { return key[count_a + i]; }, less,
        [](int low, int high, const auto& is_before) { return partition_point(low, high, is_before); });
    merge_serially<Items>(key, a, count_a, count_a + diagonal - a, valid, less,
                          [&](int k, const Key& merged, int from) {
                            item[k] = merged;
                            if constexpr (has_values) s.from[padded(mine + k)] = static_cast<std::uint16_t>(from);
                          });
  }

  /// Neighbours of the output have two sequences of neighbours as inputs, so that values are read from where they are.
  template <class Ctx, class Values>
  static UPSWEEP_DEVICE void move_values(Ctx& block, const temp_storage& s, const Values& values, std::int64_t first,
                                         std::int64_t first_a, std::int64_t first_b, int count_a, int valid) {
    constexpr int fit = sizeof(Value) < 64 ? static_cast<int>(64 / sizeof(Value)) : 1;
    constexpr int at_once = fit < Items ? fit : Items;
    UPSWEEP_NO_UNROLL
    for (int begin = block.thread_rank(); begin < valid; begin += at_once * Threads) {
      Value value[at_once];
      UPSWEEP_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int at = begin + k * Threads;
        if (at >= valid) continue;
        const int from = s.from[padded(at)];
        value[k] = from < count_a ? static_cast<Value>(values.a[first_a + from])
                                  : static_cast<Value>(values.b[first_b + from - count_a]);
      }
      UPSWEEP_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int at = begin + k * Threads;
        if (at < valid) values.out[first + at] = value[k];
      }
    }
  }
};

/// The method. Threads and Items of a tile; 0: by the size of the keys. Up to FewTiles tiles find their ends by
/// themselves: about as many as an H100 holds at once.
template <int Threads = 0, int Items = 0, int FewTiles = 512>
struct merge_path {
  template <class Key>
  static constexpr int tile_threads = Threads > 0         ? Threads
                                      : sizeof(Key) <= 64 ? 256
                                                          : 64;
  template <class Key>
  static constexpr int thread_items = Items > 0           ? Items
                                      : sizeof(Key) <= 4  ? 16
                                      : sizeof(Key) <= 64 ? static_cast<int>(64 / sizeof(Key))
                                                          : 1;
  template <class Key>
  static constexpr int tile_items = tile_threads<Key>* thread_items<Key>;

  /// For n keys of the two arrays together.
  template <class Key>
  static std::size_t workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : plan(ceil_div(n, tile_items<Key>)).layout.bytes();
  }

  /// What is checked: at most n keys, more than none, and a workspace that has room.
  template <class Executor, class Keys, class KeysOut, class Values, class Less>
  static status run(Executor& ex, workspace w, const Keys& keys, KeysOut keys_out, const Values& values, std::int64_t n,
                    const Less& less) {
    using key = typename Keys::key_type;
    constexpr int items = tile_items<key>;
    const std::int64_t tiles = ceil_div(n, items);
    std::int64_t* splits = nullptr;
    if (tiles > FewTiles) {
      const plan_of_splits p = plan(tiles);
      splits = p.layout.at(w, p.splits);
      using kernel = merge_splits_kernel<items>;
      grid asking(ceil_div(tiles + 1, kernel::block_threads));
      asking.overlaps_next = true;
      const status s = ex.launch(asking, kernel{}, keys, splits, less);
      if (s != status::success) return s;
    }
    return ex.launch(tiles,
                     merge_tiles_kernel<key, typename Values::value_type, tile_threads<key>, thread_items<key>>{}, keys,
                     keys_out, values, static_cast<const std::int64_t*>(splits), less);
  }

 private:
  struct plan_of_splits {
    workspace_layout layout;
    workspace_layout::slot<std::int64_t> splits;
  };
  static plan_of_splits plan(std::int64_t tiles) {
    plan_of_splits p{};
    p.splits = p.layout.template add<std::int64_t>(tiles > FewTiles ? static_cast<std::size_t>(tiles) + 1 : 0);
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
