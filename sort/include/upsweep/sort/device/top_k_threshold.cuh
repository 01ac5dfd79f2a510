// A threshold of the top k from a sample: an item that at least k and not many more items come before or are. Items are
// told apart by their places where keys are equal, so how many lie before the threshold has one distribution, whatever
// the keys are: that of the rank of a sample.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/block/rank_select.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"
#include "upsweep/sort/order_code.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles and samples of a top k, as measured on an H100.
struct top_k_tuned {
  static constexpr int sample_threads = 1024;
  /// Up to so many keys, by how many blocks a sample is drawn, one by a thread; powers of two, as are all these.
  static constexpr std::int64_t small_up_to = std::int64_t{1} << 21;
  static constexpr std::int64_t small_blocks = 32;
  /// Of more keys: by how many blocks, of how many keys one is drawn, and at most how many by a thread.
  static constexpr std::int64_t large_blocks = 64;
  static constexpr std::int64_t keys_a_sample = 64;
  template <class Code>
  static constexpr int large_items = sizeof(Code) <= 4 ? 8 : 4;

  static constexpr int keep_threads = 512;
  template <class Key>
  static constexpr int keep_items = sizeof(Key) <= 4   ? 16
                                    : sizeof(Key) <= 8 ? 8
                                                       : 4;
  static constexpr int keep_blocks = 3;  // a multiprocessor has room for

  /// Fewer keys, and k of fewer than 8 k, are sorted.
  static constexpr std::int64_t sorted_up_to = std::int64_t{1} << 15;
  /// So few are sorted by the block that takes the first k of them.
  template <class Key, class Value>
  using block_sort = single_block_sort_kernel<Key, Value, 512, 8, 2>;

  /// Which of the samples, counted from 1, is the threshold where so many of them are expected among the top k, in
  /// 16ths. More of them are there than expected by 5 standard deviations and 6 about once in 10^8 calls.
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t rank(std::int64_t expected_16ths);
};

/// The largest number whose square is not above x.
UPSWEEP_HOST_DEVICE constexpr std::int64_t square_root(std::int64_t x) {
  std::int64_t root = 0, bit = 1;
  while (bit * bit <= x / 4) bit *= 2;
  for (; bit > 0; bit /= 2) {
    if ((root + bit) * (root + bit) <= x) root += bit;
  }
  return root;
}

UPSWEEP_HOST_DEVICE constexpr std::int64_t top_k_tuned::rank(std::int64_t expected_16ths) {
  return expected_16ths / 16 + 1 + square_root(25 * expected_16ths / 16) + 6;
}

/// Which samples are drawn for the top k of n, and which of them is the threshold.
template <class Tiles, class Code>
struct top_k_sampling {
  static constexpr std::int64_t threads = Tiles::sample_threads;
  static constexpr std::int64_t small = threads * Tiles::small_blocks;
  static constexpr std::int64_t least_large = threads * Tiles::large_blocks;
  static constexpr std::int64_t most = least_large * Tiles::template large_items<Code>;

  std::int64_t n;
  bool is_small;         // a thread draws one at most
  std::int64_t blocks;   // that draw, each as many
  std::int64_t samples;  // a power of two, at most n
  int log_samples;
  std::int64_t rank;           // 1 to samples
  std::int64_t rank_in_block;  // of a block's samples, those after this one are done

  UPSWEEP_HOST_DEVICE constexpr top_k_sampling(std::int64_t n, std::int64_t k)
      : n(n),
        is_small(n <= Tiles::small_up_to),
        blocks(is_small ? Tiles::small_blocks : Tiles::large_blocks),
        samples(is_small ? small : least_large),
        log_samples(0),
        rank(1),
        rank_in_block(1) {
    if (n < blocks) return;
    while (samples > n) samples /= 2;
    while (!is_small && samples < most && samples * Tiles::keys_a_sample < n) samples *= 2;
    while (std::int64_t{1} << log_samples < samples) ++log_samples;
    rank = least(Tiles::rank((16 * k * samples + n - 1) / n), samples);
    rank_in_block = least(Tiles::rank((16 * rank + blocks - 1) / blocks), samples / blocks);
    if (rank_in_block * blocks < rank) rank_in_block = samples / blocks;
  }

  /// Where sample number j lies: somewhere in the j-th part of all items.
  UPSWEEP_HOST_DEVICE constexpr std::int64_t place(std::int64_t j) const {
    const std::int64_t begin = j * n >> log_samples, width = ((j + 1) * n >> log_samples) - begin;
    return begin +
           static_cast<std::int64_t>(
               std::uint64_t{scattered(static_cast<std::uint32_t>(j))} * static_cast<std::uint64_t>(width) >> 32);
  }

  /// Most of the items that come before the threshold or are it, as a rule: k, 5 standard deviations by which the
  /// threshold is chosen too large, and 6 of the rank of that sample. It grows with n and k.
  static constexpr std::int64_t most_kept(std::int64_t n, std::int64_t k) {
    std::int64_t ratio = (n + small - 1) / small;
    if (n > Tiles::small_up_to) {
      ratio = Tiles::small_up_to / small;
      if (ratio < Tiles::keys_a_sample) ratio = Tiles::keys_a_sample;
      if (ratio < n / most + 1) ratio = n / most + 1;
    }
    return least(n, k + 11 * (square_root(k * ratio) + 1) + 31 * ratio);
  }

 private:
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  /// A number that looks random (Wellons, "Prospecting for hash functions", 2018).
  static UPSWEEP_HOST_DEVICE constexpr std::uint32_t scattered(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
  }
};

/// What the kernels of a top k tell each other.
template <class Code>
struct top_k_control {
  std::uint32_t sample_ticket;  // zero before
  std::uint32_t keep_ticket;
  std::uint64_t reserved;  // slots that tiles have taken, also beyond the room
  std::uint64_t kept;      // how many items are kept: at least k
  std::int64_t tiles;
  ranked_item<Code, std::uint64_t> threshold;  // by code and place
};

/// The k that there is room for: of a count in device memory, and no more than items.
template <class K>
UPSWEEP_DEVICE std::int64_t k_of(const K& k, std::int64_t n) {
  const std::int64_t wanted = items_of(k);
  return wanted < n ? wanted : n;
}

/// Finds the threshold; all items lie before it where there is room for them. Blocks draw samples, of which each hands
/// on only its first ones, and the last block to be done selects.
template <class Digits, class Tiles>
struct top_k_threshold_kernel {
  using code_of_key = order_code<Digits>;
  using code = typename code_of_key::code;
  using sampling = top_k_sampling<Tiles, code>;
  static constexpr int block_threads = Tiles::sample_threads;
  static constexpr int blocks_per_multiprocessor = 1;
  static constexpr bool lets_next_begin = true;
  using select = rank_select<code, std::uint32_t, block_threads>;
  using item = typename select::item;  // of the sample's number

  struct temp_storage {
    typename select::temp_storage select_storage;
    std::uint32_t handed_on;
    bool is_last;
  };

  /// `planned` is for the bounds of the counts, and right where these are values. `codes` and `numbers` have room for
  /// sampling::most, or ::small where is_small. The room is no less than the blocks that draw.
  template <class Ctx, class KeyIn, class Count, class K>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, KeyIn keys, Count count, K k, code_of_key code_of,
                                 sampling planned, top_k_control<code>* control, std::int64_t room, code* codes,
                                 std::uint32_t* numbers) const {
    const std::int64_t n = items_of(count);
    const sampling by = may_be_empty<Count> || may_be_empty<K> ? sampling(n, k_of(k, n)) : planned;
    if (n <= room) {
      if (block.block_index() == 0) begin(block, control, static_cast<code>(~code{0}), ~std::uint64_t{0});
      return;
    }
    if (block.block_index() >= by.blocks) return;
    if (by.is_small) {
      draw<1>(block, s, keys, code_of, by, codes, numbers);
    } else {
      draw<Tiles::template large_items<code>>(block, s, keys, code_of, by, codes, numbers);
    }
    block.barrier();  // the block's samples are written
    if (block.thread_rank() == 0) {
      block.fence();  // releases them
      s.is_last = block.atomic_add(&control->sample_ticket, 1u) == static_cast<std::uint32_t>(by.blocks - 1);
      block.fence();  // acquires those of the blocks before
    }
    block.barrier();  // s.is_last is known
    if (!s.is_last) return;
    const item threshold = select_handed_on(block, s, code_of.bits.end, by, codes, numbers);
    begin(block, control, threshold.code, static_cast<std::uint64_t>(by.place(threshold.id)));
  }

 private:
  static constexpr int number_bits = 24;
  static_assert(sampling::most <= std::int64_t{1} << number_bits && sampling::small <= sampling::most);

  template <class Ctx>
  static UPSWEEP_DEVICE void begin(Ctx& block, top_k_control<code>* control, code last, std::uint64_t place) {
    if (block.thread_rank() != 0) return;
    control->keep_ticket = 0;
    control->reserved = 0;
    control->threshold = {last, place};
  }

  /// A block's samples are some from all over, of which it hands on the first, in any order.
  template <int Items, class Ctx, class KeyIn>
  static UPSWEEP_DEVICE void draw(Ctx& block, temp_storage& s, KeyIn keys, const code_of_key& code_of,
                                  const sampling& by, code* codes, std::uint32_t* numbers) {
    const int samples = static_cast<int>(by.samples / by.blocks);  // of the block
    const auto is_drawn = [&](int i) { return i * block_threads + block.thread_rank() < samples; };
    const auto number = [&](int i) {
      return (i * block_threads + block.thread_rank()) * static_cast<int>(by.blocks) +
             static_cast<int>(block.block_index());
    };
    std::remove_cvref_t<decltype(keys[0])> key[Items];
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      key[i] = keys[is_drawn(i) ? by.place(number(i)) : 0];
    }
    code own[Items];
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) own[i] = code_of(key[i]);
    const auto for_each = [&](auto body) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (is_drawn(i)) body(item{own[i], static_cast<std::uint32_t>(number(i))});
      }
    };
    if (block.thread_rank() == 0) s.handed_on = 0;
    const item last = select::select(block, s.select_storage, code_of.bits.end, number_bits,
                                     static_cast<std::uint32_t>(by.rank_in_block - 1), for_each);
    const std::int64_t first = block.block_index() * by.rank_in_block;
    for_each([&](const item& x) {
      if (!x.comes_before_or_is(last)) return;
      const std::int64_t slot = first + block.atomic_add(&s.handed_on, 1u, block_scope);
      codes[slot] = x.code;
      numbers[slot] = x.id;
    });
  }

  template <class Ctx>
  static UPSWEEP_DEVICE item select_handed_on(Ctx& block, temp_storage& s, int bits, const sampling& by,
                                              const code* codes, const std::uint32_t* numbers) {
    return select::select(
        block, s.select_storage, bits, number_bits, static_cast<std::uint32_t>(by.rank - 1), [&](auto body) {
          UPSWEEP_NO_UNROLL
          for (std::int64_t i = block.thread_rank(); i < by.blocks * by.rank_in_block; i += block_threads) {
            body(item{codes[i], numbers[i]});
          }
        });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
