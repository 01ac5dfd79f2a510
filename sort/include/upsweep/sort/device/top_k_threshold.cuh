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
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/sort/block/rank_select.cuh"
#include "upsweep/sort/order_code.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles and samples of a top k, as measured on an H100.
struct top_k_tuned {
  static constexpr int sample_threads = 1024;
  /// What a block draws, and how many keys there are for each such block, up to so many blocks; powers of two.
  template <class Code>
  static constexpr int samples = 32768 / static_cast<int>(sizeof(Code));
  static constexpr std::int64_t keys_a_sample_block = std::int64_t{1} << 20;
  static constexpr std::int64_t most_sample_blocks = 64;

  static constexpr int keep_threads = 512;
  template <class Key>
  static constexpr int keep_items = sizeof(Key) <= 4 ? 16 : sizeof(Key) <= 8 ? 8 : 4;
  static constexpr int keep_blocks = 3;  // a multiprocessor has room for

  /// Fewer keys, and k of fewer than 8 k, are sorted.
  static constexpr std::int64_t sorted_up_to = std::int64_t{1} << 15;

  /// Which of the samples, counted from 1, is the threshold where k / ratio of them are expected among the top k; in
  /// 16ths. More of them are there than expected by 5 standard deviations and 6 about once in 10^8 calls.
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t rank(std::int64_t expected_16ths);
};

/// The largest number whose square is not above x.
UPSWEEP_HOST_DEVICE constexpr std::int64_t square_root(std::int64_t x) {
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t{1} << 31; bit > 0; bit /= 2) {
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
  static constexpr std::int64_t of_block = Tiles::template samples<Code>;

  std::int64_t n;
  std::int64_t blocks;         // a power of two, as of_block is
  std::int64_t samples;        // of all blocks; all items where they are fewer
  int log_samples;             // of fewer than n
  std::int64_t rank;           // 1 to samples
  std::int64_t rank_in_block;  // none of a block's samples behind its so manieth is looked at again

  UPSWEEP_HOST_DEVICE constexpr top_k_sampling(std::int64_t n, std::int64_t k)
      : n(n), blocks(1), samples(of_block < n ? of_block : n), log_samples(0), rank(1), rank_in_block(1) {
    while (blocks < Tiles::most_sample_blocks && blocks * Tiles::keys_a_sample_block < n && 2 * samples <= n) {
      blocks *= 2;
      samples *= 2;
    }
    while (std::int64_t{1} << log_samples < samples) ++log_samples;
    if (n == 0) return;
    const std::int64_t expected = (16 * k * samples + n - 1) / n;
    rank = least(Tiles::rank(expected), samples);
    rank_in_block = least(Tiles::rank((16 * rank + blocks - 1) / blocks), samples / blocks);
    rank_in_block = rank_in_block * blocks < rank ? samples / blocks : rank_in_block;
  }

  /// Where sample number j lies: somewhere in the j-th part of all items.
  UPSWEEP_HOST_DEVICE constexpr std::int64_t place(std::int64_t j) const {
    if (samples == n) return j;
    const std::int64_t begin = begin_of(j), width = begin_of(j + 1) - begin;
    return begin + static_cast<std::int64_t>(std::uint64_t{scattered(static_cast<std::uint32_t>(j))} *
                                                 static_cast<std::uint64_t>(width) >>
                                             32);
  }

  /// Most of the items that come before the threshold or are it, as a rule: k, 5 standard deviations by which the
  /// threshold is chosen too large, and 6 of the rank of that sample. It grows with n and k.
  static constexpr std::int64_t most_kept(std::int64_t n, std::int64_t k) {
    std::int64_t ratio = (n + of_block - 1) / of_block;
    if (n > Tiles::keys_a_sample_block) {
      const std::int64_t of_many = n / (of_block * Tiles::most_sample_blocks);
      ratio = (Tiles::keys_a_sample_block + of_block - 1) / of_block;
      ratio = ratio < of_many ? of_many : ratio;
    }
    return least(n, k + 11 * (square_root(k * ratio) + 1) + 31 * ratio);
  }

 private:
  static UPSWEEP_HOST_DEVICE constexpr std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  UPSWEEP_HOST_DEVICE constexpr std::int64_t begin_of(std::int64_t j) const { return j * n >> log_samples; }

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
  std::uint32_t sample_ticket;  // zero before a sample of several blocks
  std::uint32_t keep_ticket;
  std::uint64_t reserved;  // slots that tiles have taken, also beyond the room
  std::uint64_t kept;      // how many items are kept: at least k
  std::int64_t tiles;
  ranked_item<Code> threshold;  // by code and place
};

/// The k that there is room for: of a count in device memory, and no more than items.
template <class K>
UPSWEEP_DEVICE std::int64_t k_of(const K& k, std::int64_t n) {
  const std::int64_t wanted = items_of(k);
  return wanted < n ? wanted : n;
}

/// Finds the threshold; all items lie before it where there is room for them. Blocks draw samples and hand on the
/// first of them; the last block to be done selects.
template <class Digits, class Tiles>
struct top_k_threshold_kernel {
  using code_of_key = order_code<Digits>;
  using code = typename code_of_key::code;
  using sampling = top_k_sampling<Tiles, code>;
  static constexpr int block_threads = Tiles::sample_threads;
  static constexpr bool lets_next_begin = true;
  static constexpr int samples = static_cast<int>(sampling::of_block);
  using select = rank_select<code, block_threads>;
  using item = ranked_item<code>;

  struct temp_storage {
    typename select::temp_storage select_storage;
    uninitialized_array<code, samples> codes;
    std::uint32_t handed_on;
    bool is_last;
  };

  /// `codes` and `numbers` of samples that are handed on: room for those of all blocks.
  template <class Ctx, class KeyIn, class Count, class K>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, KeyIn keys, Count count, K k, code_of_key code_of,
                                 top_k_control<code>* control, std::int64_t room, code* codes,
                                 std::uint32_t* numbers) const {
    const std::int64_t n = items_of(count);
    const sampling by(n, k_of(k, n));
    const std::int64_t b = block.block_index();
    if (b >= by.blocks) return;
    if (n <= room) {
      if (b == 0 && block.thread_rank() == 0) begin(control, {static_cast<code>(~code{0}), ~std::uint64_t{0}});
      return;
    }
    const auto drawn = static_cast<int>(by.samples / by.blocks);
    draw(block, s, keys, code_of, by, drawn);
    const int bits = code_of.bits.end - code_of.bits.begin;
    const auto of_block = [&](std::int64_t i) {
      return item{s.codes[static_cast<int>(i)], static_cast<std::uint64_t>(b + i * by.blocks)};
    };
    const auto select_of = [&](std::int64_t items, std::int64_t rank, auto item_at) {
      return select::select(block, s.select_storage, bits, number_bits, items, static_cast<std::uint64_t>(rank - 1),
                            item_at);
    };
    item threshold;
    if (by.blocks == 1) {
      threshold = select_of(drawn, by.rank, of_block);
    } else {
      const item last = select_of(drawn, by.rank_in_block, of_block);
      hand_on(block, s, of_block, drawn, last, codes + b * by.rank_in_block, numbers + b * by.rank_in_block);
      if (block.thread_rank() == 0) {
        block.fence();  // releases what the block hands on
        s.is_last = block.atomic_add(&control->sample_ticket, 1u) == static_cast<std::uint32_t>(by.blocks - 1);
        block.fence();  // acquires what the blocks before have
      }
      block.barrier();  // s.is_last is known
      if (!s.is_last) return;
      threshold = select_of(by.blocks * by.rank_in_block, by.rank,
                            [&](std::int64_t i) { return item{codes[i], numbers[i]}; });
    }
    if (block.thread_rank() == 0) {
      begin(control, {threshold.code, static_cast<std::uint64_t>(by.place(static_cast<std::int64_t>(threshold.id)))});
    }
  }

 private:
  static constexpr int number_bits = 24;
  static_assert(samples * Tiles::most_sample_blocks <= std::int64_t{1} << number_bits);

  static UPSWEEP_DEVICE void begin(top_k_control<code>* control, const item& threshold) {
    control->keep_ticket = 0;
    control->reserved = 0;
    control->threshold = threshold;
  }

  /// The codes of every blocks-th sample to s.codes. Ends with a barrier.
  template <class Ctx, class KeyIn>
  static UPSWEEP_DEVICE void draw(Ctx& block, temp_storage& s, KeyIn keys, const code_of_key& code_of,
                                  const sampling& by, int drawn) {
    constexpr int at_once = samples / block_threads < 8 ? samples / block_threads : 8;
    static_assert(samples % (block_threads * at_once) == 0);
    UPSWEEP_NO_UNROLL
    for (int first = block.thread_rank(); first < drawn; first += block_threads * at_once) {
      std::remove_cvref_t<decltype(keys[0])> key[at_once];
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int at = first + i * block_threads;
        key[i] = keys[by.place(block.block_index() + (at < drawn ? at : 0) * by.blocks)];
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int at = first + i * block_threads;
        if (at < drawn) s.codes[at] = code_of(key[i]);
      }
    }
    if (block.thread_rank() == 0) s.handed_on = 0;
    block.barrier();  // s.codes is written
  }

  /// The samples up to `last`, in any order. Ends with a barrier.
  template <class Ctx, class Items>
  static UPSWEEP_DEVICE void hand_on(Ctx& block, temp_storage& s, Items items, int drawn, const item& last, code* codes,
                                     std::uint32_t* numbers) {
    for (int i = block.thread_rank(); i < drawn; i += block_threads) {
      const item x = items(i);
      if (!x.comes_before_or_is(last)) continue;
      const std::uint32_t slot = block.atomic_add(&s.handed_on, 1u, block_scope);
      codes[slot] = x.code;
      numbers[slot] = static_cast<std::uint32_t>(x.id);
    }
    block.barrier();  // all are written
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
