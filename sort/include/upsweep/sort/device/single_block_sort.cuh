// LSD radix sort by one block, for few keys: one launch, no workspace. Keys are read once, stay in registers and shared
// memory over all passes, and are written once. Stable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/few_keys_rank.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// For a grid of one block, of at most Threads * Items keys.
template <class Key, class Value, int Threads, int Items, int Step>
struct single_block_sort_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using rank = few_keys_rank<Threads, Items, Step>;
  using values = carried_values<Value>;
  using carried = typename values::item;

  struct temp_storage {
    typename rank::temp_storage rank_storage;
    bool one_digit;  // all keys have the same
    uninitialized_array<Key, tile_items> key;
    uninitialized_array<carried, has_values ? tile_items : 1> value;
  };

  template <class Ctx, class Digits, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count,
                                 const Key* keys_in, Key* keys_out, values v) const {
    const int n = static_cast<int>(items_of(count));
    const int items = (n + Threads * Step - 1) / (Threads * Step) * Step;
    const int mine = block.warp() * warp_size * items + block.lane();
    Key key[Items];
    carried value[Items];
    std::uint32_t place[Items];
    const auto each = [&](auto body) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i / Step * Step < items) {
          const int at = mine + i * warp_size;
          if (at < n) body(i, at);
        }
      }
    };
    each([&](int i, int at) {
      key[i] = keys_in[at];
      if constexpr (has_values) value[i] = v.take(at);
    });
    for (int shift = bits.begin; shift < bits.end; shift += rank::radix_bits) {
      const int width = bits.end - shift < rank::radix_bits ? bits.end - shift : rank::radix_bits;
      const auto digit = digits.at(shift, width);
      const auto digit_of = [&](int i) { return mine + i * warp_size < n ? digit(key[i]) : rank::padding; };
      rank::places(block, s.rank_storage, items, digit_of, place, [&](const auto& total, const auto&) {
        bool all = false;
        UPSWEEP_UNROLL
        for (int k = 0; k < rank::lane_words; ++k) {
          const int low = static_cast<int>(total.item[k] & 0xffff), high = static_cast<int>(total.item[k] >> 16);
          const bool is_padding = block.lane() == warp_size - 1 && k == rank::lane_words - 1;
          all = all || low == n || high == (is_padding ? Threads * items : n);
        }
        all = block.any(all);
        if (block.lane() == 0) s.one_digit = all;
      });
      if (s.one_digit) {
        block.warp_sync();  // the warp's counts have been read
        continue;
      }
      each([&](int i, int) {
        s.key[static_cast<int>(place[i])] = key[i];
        if constexpr (has_values) s.value[static_cast<int>(place[i])] = value[i];
      });
      block.barrier();  // s.key and s.value are written
      each([&](int i, int at) {
        key[i] = s.key[at];
        if constexpr (has_values) value[i] = s.value[at];
      });
    }
    each([&](int i, int at) {
      keys_out[at] = key[i];
      if constexpr (has_values) v.put(at, value[i]);
    });
  }
};

/// The method, for up to Threads * Items keys; not_supported for more.
template <int Threads, int Items, int Step = 1>
struct single_block_sort {
  static constexpr std::int64_t max_keys = std::int64_t{Threads} * Items;

  template <class Key, class Value>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  static status run(Executor& ex, workspace, const Request& r) {
    if (bound_of(r.n) > max_keys) return status::not_supported;
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    return ex.launch(1, single_block_sort_kernel<key, value, Threads, Items, Step>{}, r.digits, r.bits,
                     count_argument(r.n), r.keys_in, r.keys_out, carried_values<value>{r.values_in, r.values_out});
  }
};

}  // namespace upsweep
