// Merge of two sorted arrays of integers by Batcher's bitonic networks ("Sorting networks and their applications",
// 1968): each warp merges 1024 keys at a time by itself, from the arrays to the output, and meets no other.
//
// What is before the keys of a warp in either array, merge path tells (block/merge_path.cuh). Its keys of a in order
// and those of b backwards after them are bitonic: they rise, then fall. Ten steps sort them, in each of which words
// meet whose numbers differ in one bit. Lane l has words l, l + 32, ... at first, so that five steps stay in its
// registers; then the words are turned over in shared memory, and the other five do, too. No thread looks for where its
// own keys begin, and no load waits for a comparison.
//
// A network does not keep equal words in their order: words are codes that tell all bits of their keys.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/block/sub_warp_sort.cuh"
#include "upsweep/sort/device/merge_path.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/key_order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Codes of integers in ascending order.
template <class Key>
struct ascending_codes {
  UPSWEEP_HOST_DEVICE auto code_of(const Key& key) const { return key_codec<Key>::encode(key); }
  UPSWEEP_HOST_DEVICE Key key_of(typename key_codec<Key>::code c) const { return key_codec<Key>::decode(c); }
};

/// The codes of keys of up to 4 bytes whose order is that of a comparison: what has code_of(key) and key_of(code);
/// nullptr where there are none.
template <class Key, class Less>
auto codes_in_order(const Less& order) {
  if constexpr (sizeof(Key) > 4) {
    return nullptr;
  } else if constexpr (std::is_same_v<Less, less> && std::is_integral_v<Key>) {
    return ascending_codes<Key>{};
  } else if constexpr (requires { order.digits.at(0, 1).key_of(order.digits.at(0, 1).code_of(Key{})); }) {
    return order.digits.at(0, 1);
  } else {
    return nullptr;
  }
}

/// Whether x comes before y, by their codes.
template <class Codes>
struct lower_code {
  Codes codes;
  template <class Key>
  UPSWEEP_DEVICE bool operator()(const Key& x, const Key& y) const {
    return codes.code_of(x) < codes.code_of(y);
  }
};

/// splits[c] = how many of the first c * CellItems merged keys are of `a`, for the cells that there are, and of all
/// keys after the last: each by a warp.
template <int CellItems>
struct merge_cells_kernel {
  static constexpr int block_threads = 128;
  static constexpr bool lets_next_begin = true;
  struct temp_storage {};

  template <class Ctx, class Keys, class Codes>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Keys keys, std::int64_t* splits, Codes codes) const {
    const std::int64_t n_a = items_of(keys.count_a), n_b = items_of(keys.count_b), n = n_a + n_b;
    const std::int64_t cell = block.block_index() * Ctx::warps + block.warp();
    if (cell > ceil_div(n, CellItems)) return;
    const std::int64_t first = cell * CellItems;
    lower_code<Codes> less{codes};
    const std::int64_t split = keys.split(n_a, n_b, first < n ? first : n, less,
                                          [&](std::int64_t low, std::int64_t high, const auto& is_before) {
                                            return partition_point_by_warp(block, low, high, is_before);
                                          });
    if (block.lane() == 0) splits[cell] = split;
  }
};

/// Warp w of all merges keys 1024 w on. No `splits`: warps look for where their keys begin in the whole arrays.
template <class Key, class Codes, int Warps, int CellItems>
struct bitonic_merge_kernel {
  static constexpr int block_threads = Warps * warp_size;
  static constexpr int rows = warp_size, warp_items = rows * warp_size;
  using word_type = std::uint32_t;
  static_assert(CellItems % warp_items == 0, "a warp's keys begin and end in one cell");

  struct temp_storage {
    uninitialized_array<word_type, rows*(warp_size + 1)> words[Warps];  // a free one after each row, for the banks
  };

  template <class Ctx, class Keys, class KeysOut>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Keys keys, KeysOut keys_out, const std::int64_t* splits,
                                 Codes codes) const {
    const std::int64_t n_a = items_of(keys.count_a), n_b = items_of(keys.count_b), n = n_a + n_b;
    const std::int64_t first = (block.block_index() * Warps + block.warp()) * warp_items;
    if (first >= n) return;
    const std::int64_t split = find_splits(block, keys, n_a, n_b, first, splits, codes);
    const int valid = static_cast<int>(n - first < warp_items ? n - first : warp_items);
    const std::int64_t first_a = block.shuffle(split, 0), first_b = first - first_a;
    const std::int64_t end = block.shuffle(split, warp_size / 2);
    // Of arrays that are not sorted the end may be anywhere in them, even 2^31 places away: a count must be an int.
    const std::int64_t least = first_b + valid > n_b ? first_a + (first_b + valid - n_b) : first_a;
    const std::int64_t most = first_a + valid < n_a ? first_a + valid : n_a;
    const std::int64_t end_a = end < least ? least : end > most ? most : end;

    word_type word[rows];
    load(block, keys, first_a, first_b, static_cast<int>(end_a - first_a), valid, codes, word);
    const auto order = [](word_type& x, word_type& y) { order_pair(x, y); };
    sort_bitonic_of_lane(word, order);
    word_type* const words = s.words[block.warp()].data();
    const int lane = block.lane();
    UPSWEEP_UNROLL
    for (int i = 0; i < rows; ++i) words[i * (warp_size + 1) + lane] = word[i];
    block.warp_sync();  // the words of a row come from all lanes
    UPSWEEP_UNROLL
    for (int i = 0; i < rows; ++i) word[i] = words[lane * (warp_size + 1) + i];
    sort_bitonic_of_lane(word, order);
    // A lane writes where it alone has read.
    UPSWEEP_UNROLL
    for (int i = 0; i < rows; ++i) words[lane * (warp_size + 1) + i] = word[i];
    block.warp_sync();  // the words of a row go to all lanes
    const auto out = keys_out + (first + lane);
    UPSWEEP_UNROLL
    for (int i = 0; i < rows; ++i) {
      if (i * warp_size + lane >= valid) continue;
      out[i * warp_size] = codes.key_of(static_cast<code>(words[i * (warp_size + 1) + lane]));
    }
  }

 private:
  using code = typename key_codec<Key>::code;

  /// How many keys of `a` come before those of the warp, found by its first half, and after them, by the other one.
  template <class Ctx, class Keys>
  static UPSWEEP_DEVICE std::int64_t find_splits(Ctx& block, const Keys& keys, std::int64_t n_a, std::int64_t n_b,
                                                 std::int64_t first, const std::int64_t* splits, const Codes& codes) {
    const int end = block.lane() / (warp_size / 2);
    const std::int64_t n = n_a + n_b, place = first + end * warp_items, diagonal = place < n ? place : n;
    lower_code<Codes> less{codes};
    return keys.split(n_a, n_b, diagonal, less, [&](std::int64_t low, std::int64_t high, const auto& is_before) {
      if (splits != nullptr) {
        const std::int64_t cell = diagonal / CellItems;
        const std::int64_t before = splits[cell], behind = splits[cell + (diagonal % CellItems != 0 ? 1 : 0)];
        low = low < before ? before : low;
        high = high > behind ? behind : high;
      }
      return partition_point_by_halves(block, low, high, is_before);
    });
  }

  /// Row i of a lane: word i * 32 + lane of the keys of a, then of what comes after all keys, then of the keys of b
  /// backwards.
  template <class Ctx, class Keys>
  static UPSWEEP_DEVICE void load(Ctx& block, const Keys& keys, std::int64_t first_a, std::int64_t first_b, int count_a,
                                  int valid, const Codes& codes, word_type (&word)[rows]) {
    const int lane = block.lane(), begin_b = warp_items - (valid - count_a);
    const auto a = keys.a + (first_a + lane);
    const auto b = keys.b + (first_b + (warp_items - 1 - lane));
    Key key[rows];
    UPSWEEP_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int at = i * warp_size + lane;
      if (at < count_a) key[i] = static_cast<Key>(a[i * warp_size]);
      if (at >= begin_b) key[i] = static_cast<Key>(b[-i * warp_size]);
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int at = i * warp_size + lane;
      word[i] = at < count_a || at >= begin_b ? word_type{codes.code_of(key[i])} : ~word_type{0};
    }
  }
};

/// The method, of integers of up to 4 bytes by less{} or an order of the sorts, without values; `Otherwise` merges all
/// else. Up to FewItems items, warps look for their keys in the whole arrays; of more, in cells of CellItems items,
/// which an earlier kernel finds.
template <int Warps = 4, int CellItems = 1 << 16, std::int64_t FewItems = std::int64_t{1} << 21,
          class Otherwise = merge_path<>>
struct bitonic_merge {
  template <class Key>
  static constexpr int tile_items = warp_size* warp_size;

  /// For n keys of the two arrays together.
  template <class Key>
  static std::size_t workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : (std::max)(Otherwise::template workspace_bytes<Key>(n), plan(n).layout.bytes());
  }

  /// As that of merge_path.
  template <class Executor, class Keys, class KeysOut, class Values, class Less>
  static status run(Executor& ex, workspace w, const Keys& keys, KeysOut keys_out, const Values& values, std::int64_t n,
                    const Less& less) {
    using key = typename Keys::key_type;
    using codes = decltype(codes_in_order<key>(less));
    if constexpr (std::is_same_v<codes, std::nullptr_t> || !std::is_same_v<Values, no_merged_values>) {
      return Otherwise::run(ex, w, keys, keys_out, values, n, less);
    } else {
      const codes of = codes_in_order<key>(less);
      std::int64_t* splits = nullptr;
      if (n > FewItems) {
        const plan_of_splits p = plan(n);
        splits = p.layout.at(w, p.splits);
        using kernel = merge_cells_kernel<CellItems>;
        grid asking(ceil_div(ceil_div(n, CellItems) + 1, kernel::block_threads / warp_size));
        asking.overlaps_next = true;
        const status s = ex.launch(asking, kernel{}, keys, splits, of);
        if (s != status::success) return s;
      }
      using kernel = bitonic_merge_kernel<key, codes, Warps, CellItems>;
      return ex.launch(ceil_div(n, Warps * kernel::warp_items), kernel{}, keys, keys_out,
                       static_cast<const std::int64_t*>(splits), of);
    }
  }

 private:
  struct plan_of_splits {
    workspace_layout layout;
    workspace_layout::slot<std::int64_t> splits;
  };
  static plan_of_splits plan(std::int64_t n) {
    plan_of_splits p{};
    p.splits =
        p.layout.template add<std::int64_t>(n > FewItems ? static_cast<std::size_t>(ceil_div(n, CellItems)) + 1 : 0);
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
