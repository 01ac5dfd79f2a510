// Takes the first k of the items that were kept, or of all: one block sorts few of them and takes these; of more, which
// are sorted before, a kernel takes them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/top_k_keep.cuh"
#include "upsweep/sort/device/top_k_threshold.cuh"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The keys of the kept items, in the order of their places.
template <class KeyIn, int TileItems>
struct kept_keys {
  KeyIn keys;
  kept_directory kept;
  UPSWEEP_HOST_DEVICE auto operator[](std::int64_t j) const { return keys[place(j)]; }
  UPSWEEP_DEVICE std::int64_t place(std::int64_t j) const { return kept.template place<TileItems>(j); }
};

/// The same for one block, which finds them sooner.
template <class KeyIn, int TileItems>
struct kept_keys_of_block {
  kept_keys<KeyIn, TileItems> all;
  const std::uint64_t* first;  // what is kept before every stride-th tile, in shared memory
  int parts;                   // so many
  std::int64_t stride, tiles;

  /// By a block of as many threads. Ends with a barrier.
  template <class Ctx, int Size>
  UPSWEEP_DEVICE kept_keys_of_block(Ctx& block, std::uint64_t (&shared)[Size], const kept_keys<KeyIn, TileItems>& keys)
      : all(keys), first(shared), parts(0), stride(1), tiles(*keys.kept.tiles) {
    if (tiles > Size) stride = ceil_div(tiles, Size);
    parts = static_cast<int>(ceil_div(tiles, stride));
    const int part = block.thread_rank();
    if (part < parts) shared[part] = all.kept.first[part * stride];
    block.barrier();  // the block's part of the directory is there
  }
  UPSWEEP_DEVICE auto operator[](std::int64_t j) const { return all.keys[place(j)]; }
  UPSWEEP_DEVICE std::int64_t place(std::int64_t j) const {
    const std::int64_t begin = kept_directory::last_up_to(first, j, 0, parts) * stride, end = begin + stride;
    return all.kept.template place<TileItems>(j, begin, end < tiles ? end : tiles);
  }
};

/// All keys, where none was kept before.
template <class KeyIn>
struct all_keys {
  KeyIn keys;
  UPSWEEP_DEVICE auto operator[](std::int64_t j) const { return keys[j]; }
  UPSWEEP_DEVICE std::int64_t place(std::int64_t j) const { return j; }
};

/// Where the items came from that were sorted: of all, or of those that were kept.
struct sorted_place {
  const std::uint32_t* places;
  UPSWEEP_DEVICE std::int64_t operator()(std::int64_t i) const { return places[i]; }
};
template <int TileItems>
struct kept_place {
  const std::uint32_t* places;
  kept_directory kept;
  UPSWEEP_DEVICE std::int64_t operator()(std::int64_t i) const { return kept.template place<TileItems>(places[i]); }
};
/// Nothing was sorted.
struct same_place {
  UPSWEEP_DEVICE std::int64_t operator()(std::int64_t i) const { return i; }
};

/// Item i of the first k: its key, and the value of its place, which is the place itself where values_in is null.
template <class KeyIn, class Key, class Value, class PlaceOf>
struct taken_items {
  using key_type = Key;
  KeyIn keys;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  PlaceOf place_of;

  UPSWEEP_DEVICE void take(std::int64_t i) const {
    if (keys_out != nullptr) keys_out[i] = keys[i];
    if constexpr (!std::is_same_v<Value, no_value>) take_value(i, place_of(i));
  }
  UPSWEEP_DEVICE void take_value(std::int64_t i, std::int64_t place) const {
    if constexpr (std::is_integral_v<Value>) {
      if (values_in == nullptr) {
        values_out[i] = static_cast<Value>(place);
        return;
      }
    }
    values_out[i] = values_in[place];
  }
};

/// The first k of sorted items.
struct top_k_take_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Count, class K, class Items>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Count count, K k, Items items) const {
    const std::int64_t i = block.block_index() * block_threads + block.thread_rank();
    if (i < k_of(k, items_of(count))) items.take(i);
  }
};

/// An array of which the first `count` items are written; the others are dropped.
template <class T>
struct first_items {
  T* out;
  std::int64_t count;
  struct item {
    T* p;
    UPSWEEP_DEVICE void operator=(const T& x) const {
      if (p != nullptr) *p = x;
    }
  };
  UPSWEEP_DEVICE item operator[](std::int64_t i) const { return {i < count ? out + i : nullptr}; }
};

/// One block sorts few items and takes the first k. `numbers` is for as many as are sorted.
template <class Sort>
struct top_k_sort_and_take_kernel {
  static constexpr int block_threads = Sort::block_threads;
  struct temp_storage {
    typename Sort::temp_storage sort_storage;
    std::uint64_t first[block_threads];
  };

  /// The code of no key is above *most, if that is there.
  template <class Ctx, class Digits, class Count, class Code, class Keys, class Number, class N, class K, class Items>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count,
                                 const Code* most, Keys keys_in, carried_values<Number> numbers, N n, K k_count,
                                 Items items) const {
    constexpr int digit_bits = Sort::order::radix_bits;
    if (most != nullptr) {
      const Code code = *most;
      while (bits.end - bits.begin > digit_bits && code >> (bits.end - digit_bits) == 0) bits.end -= digit_bits;
    }
    const std::int64_t k = k_of(k_count, items_of(n));
    const auto keys = found_by(block, s.first, keys_in);
    const first_items<typename Items::key_type> keys_out{items.keys_out, items.keys_out != nullptr ? k : 0};
    Sort{}(block, s.sort_storage, digits, bits, count, keys, keys_out, numbers);
    if constexpr (Sort::has_values) {
      block.barrier();  // the numbers are written
      for (std::int64_t i = block.thread_rank(); i < k; i += block_threads) {
        items.take_value(i, keys.place(numbers.out[i]));
      }
    }
  }

 private:
  template <class Ctx, class KeyIn>
  static UPSWEEP_DEVICE all_keys<KeyIn> found_by(Ctx&, std::uint64_t (&)[block_threads], const KeyIn& keys) {
    return {keys};
  }
  template <class Ctx, class KeyIn, int TileItems>
  static UPSWEEP_DEVICE kept_keys_of_block<KeyIn, TileItems> found_by(Ctx& block, std::uint64_t (&first)[block_threads],
                                                                      const kept_keys<KeyIn, TileItems>& keys) {
    return {block, first, keys};
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
