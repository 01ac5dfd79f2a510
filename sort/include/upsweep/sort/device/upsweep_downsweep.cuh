// LSD radix sort, three kernels a digit (Merrill & Grimshaw, "High performance and scalable radix sorting", 2011):
// upsweep counts the digits of each tile, a scan of all counts (digit by digit, in each the tiles in order) is where
// each tile's keys of each digit go, downsweep ranks the keys of a tile and moves them there. Stable. Any scan will do.
// 3 trips of the keys and 2 of the values a pass. Where all keys have the same digit, downsweep finds that out by the
// scanned counts and leaves them where they are: 1 trip of the keys.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/stable_rank.cuh"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/block/digit_histogram.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The tile that upsweep and downsweep share. Its keys fit 32 KiB, or are one a thread.
template <class Key, int RadixBits>
struct sort_tile {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = sizeof(Key) <= 8     ? 16
                                          : sizeof(Key) <= 128 ? static_cast<int>(128 / sizeof(Key))
                                                               : 1;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int radix_bits = RadixBits;
  static constexpr int radix = 1 << radix_bits;

  /// Keys of the block's tile, and where it begins.
  template <class Ctx, class Count>
  static UPSWEEP_DEVICE int valid_items(Ctx& block, const Count& count, std::int64_t& first) {
    first = block.block_index() * tile_items;
    const std::int64_t n = items_of(count);
    if constexpr (may_be_empty<Count>) {
      if (n <= first) return 0;
    }
    return n - first < tile_items ? static_cast<int>(n - first) : tile_items;
  }
};

/// Where a pass finds the keys, and where they go if it moves them. Passes tell each other in device memory, by two
/// words in turns: the host does not know which of them moved anything.
struct pass_turn {
  const sort_array* before;  ///< of the pass before; null for the first one
  sort_array* after;         ///< for the next one
  sort_array input;          ///< where the keys lie before the first pass
  sort_array from_input_to;  ///< ends in `out` if all passes from this one on move the keys

  UPSWEEP_DEVICE sort_array from() const { return before == nullptr ? input : *before; }
  UPSWEEP_DEVICE sort_array to(sort_array from) const {
    return from == sort_array::in ? from_input_to : from == sort_array::out ? sort_array::spare : sort_array::out;
  }
};

/// counts[digit * tiles + tile] = how often the digit occurs in the tile.
template <class Key, class Digit, class Offset, int RadixBits>
struct upsweep_kernel : sort_tile<Key, RadixBits> {
  using tile = sort_tile<Key, RadixBits>;
  using tile::block_threads, tile::radix, tile::radix_bits;
  using histogram = digit_histogram<block_threads, radix_bits>;
  using temp_storage = typename histogram::temp_storage;

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, no_value> arrays, pass_turn turn,
                                 Count n, Digit digit, Offset* counts) const {
    std::int64_t first;
    const int valid = tile::valid_items(block, n, first);
    histogram::count(block, s, arrays.keys_from(turn.from()) + first, valid, digit);
    for (int d = block.thread_rank(); d < radix; d += block_threads) {
      counts[d * block.num_blocks() + block.block_index()] = s.count[d];
    }
  }
};

/// Moves each key, and its value, to offsets[digit * tiles + tile] + its rank among the tile's keys of that digit; none
/// where all have one digit.
template <class Key, class Value, class Digit, class Offset, int RadixBits>
struct downsweep_kernel : sort_tile<Key, RadixBits> {
  using tile = sort_tile<Key, RadixBits>;
  using tile::block_threads, tile::items_per_thread, tile::tile_items, tile::radix, tile::radix_bits;
  using rank = stable_rank<block_threads, items_per_thread, radix>;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  /// As many as the registers of these take without a spill.
  static constexpr int blocks_per_multiprocessor = has_values && sizeof(Key) <= 4 ? 3 : 2;
  /// Wider values would not fit shared memory; each fills separate sectors, and goes straight to its place.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
  using staged_value = std::conditional_t<stages_values, Value, no_value>;

  struct temp_storage {
    typename rank::temp_storage rank_storage;
    Offset to[radix];  // where the tile's keys of a digit go, less their first place in the tile
    union {
      uninitialized_array<Key, tile_items> key;
      uninitialized_array<staged_value, tile_items> value;
    };
  };

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, Value> arrays, pass_turn turn, Count n,
                                 Digit digit, const Offset* offsets) const {
    std::int64_t first;
    const int valid = tile::valid_items(block, n, first);
    const sort_array from = turn.from(), to = turn.to(from);
    const Key* const keys_in = arrays.keys_from(from);
    const bool moves = !all_alike(block, keys_in, items_of(n), digit, offsets);
    if (block.block_index() == 0 && block.thread_rank() == 0) *turn.after = moves ? to : from;
    if (!moves || valid == 0) return;
    Key* const keys_out = arrays.keys_to(to);
    const Value* const values_in = arrays.values_from(from);
    Value* const values_out = arrays.values_to(to);
    Key key[items_per_thread];
    std::uint32_t digits[items_per_thread], place[items_per_thread];
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = warp_striped<items_per_thread>(block, i);
      key[i] = at < valid ? keys_in[first + at] : Key{};
      digits[i] = at < valid ? digit(key[i]) : no_bucket;
    }
    rank::rank_items(block, s.rank_storage, digit_buckets<radix>{}, digits, place);

    for (int d = block.thread_rank(); d < radix; d += block_threads) {
      s.to[d] = offsets[d * block.num_blocks() + block.block_index()] - s.rank_storage.first[d];
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      if (digits[i] != no_bucket) s.key[static_cast<int>(place[i])] = key[i];
    }
    block.barrier();  // s.key and s.to are written

    // Runs of equal digits leave in order: neighbouring threads write neighbouring places.
    std::uint32_t digit_there[items_per_thread] = {};
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      if (at < valid) {
        const Key k = s.key[at];
        digit_there[i] = digit(k);
        keys_out[s.to[digit_there[i]] + static_cast<Offset>(at)] = k;
      }
    }
    if constexpr (stages_values) {
      block.barrier();  // s.key has been read
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        if (digits[i] != no_bucket)
          s.value[static_cast<int>(place[i])] = values_in[first + warp_striped<items_per_thread>(block, i)];
      }
      block.barrier();  // s.value is written
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        if (at < valid) values_out[s.to[digit_there[i]] + static_cast<Offset>(at)] = s.value[at];
      }
    } else if constexpr (has_values) {
      for (int i = 0; i < items_per_thread; ++i) {
        if (digits[i] != no_bucket)
          values_out[s.to[digits[i]] + place[i]] = values_in[first + warp_striped<items_per_thread>(block, i)];
      }
    }
  }

 private:
  /// Whether the digit of the first key is that of all; so, too, if there is none.
  template <class Ctx>
  static UPSWEEP_DEVICE bool all_alike(Ctx& block, const Key* keys, std::int64_t n, Digit digit,
                                       const Offset* offsets) {
    if (n <= 0) return true;
    const std::int64_t d = digit(keys[0]);
    const Offset end = d + 1 < radix ? offsets[(d + 1) * block.num_blocks()] : static_cast<Offset>(n);
    return end - offsets[d * block.num_blocks()] == static_cast<Offset>(n);
  }
};

/// The sorted items to the output, if the last pass left them elsewhere. Any number of blocks.
template <class Key, class Value>
struct move_out_kernel {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 4;
  static constexpr std::int64_t tile_items = block_threads * items_per_thread;
  struct temp_storage {};

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, sort_arrays<Key, Value> arrays, pass_turn turn,
                                 Count count) const {
    const sort_array from = turn.from();
    if (from == sort_array::out) return;
    const std::int64_t n = items_of(count);
    for (std::int64_t first = block.block_index() * tile_items; first < n; first += block.num_blocks() * tile_items) {
      const std::int64_t i = first + block.thread_rank();
      move(arrays.keys_from(from), arrays.keys_out, i, n);
      if constexpr (!std::is_same_v<Value, no_value>) move(arrays.values_from(from), arrays.values_out, i, n);
    }
  }

 private:
  template <class T>
  static UPSWEEP_DEVICE void move(const T* from, T* to, std::int64_t i, std::int64_t n) {
    T item[items_per_thread];
    UPSWEEP_UNROLL
    for (int j = 0; j < items_per_thread; ++j) {
      if (i + j * block_threads < n) item[j] = from[i + j * block_threads];
    }
    UPSWEEP_UNROLL
    for (int j = 0; j < items_per_thread; ++j) {
      if (i + j * block_threads < n) to[i + j * block_threads] = item[j];
    }
  }
};

/// The method. `Scan` is a scan policy, or a spine (upsweep/scan/spine.cuh). Up to `Narrow` keys are placed by
/// 32-bit numbers, more by 64-bit ones. Digits have 1 to 8 bits.
template <class Scan, std::int64_t Narrow = 0xffffffff, int RadixBits = 8>
class upsweep_downsweep {
 public:
  using Spine = spine_of_t<Scan>;

  static constexpr int radix_bits = RadixBits;
  static_assert(radix_bits >= 1 && radix_bits <= 8, "digits of 1 to 8 bits");
  static constexpr int radix = 1 << radix_bits;

  explicit upsweep_downsweep(Spine spine = {}) : spine_(spine) {}

  /// With `has_spare`, what a request with a spare needs.
  template <class Key, class Value>
  std::size_t workspace_bytes(std::int64_t n, bool has_spare = false) const {
    if (n <= 0) return 0;
    return wide(n) ? bytes_of<Key, Value, std::uint64_t>(n, has_spare)
                   : bytes_of<Key, Value, std::uint32_t>(n, has_spare);
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  status run(Executor& ex, workspace w, const Request& r) const {
    return wide(bound_of(r.n)) ? run_with<std::uint64_t>(ex, w, r) : run_with<std::uint32_t>(ex, w, r);
  }

 private:
  template <class Key, class Value, class Offset>
  struct layout_plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<sort_array> places;
    workspace_layout::slot<Offset> counts;
    workspace_layout::slot<Key> keys;
    workspace_layout::slot<Value> values;

    layout_plan(std::int64_t n, bool has_spare)
        : tiles(ceil_div(n, sort_tile<Key, radix_bits>::tile_items)),
          places(layout.add<sort_array>(2)),
          counts(layout.add<Offset>(tiles * radix)),
          keys(layout.add<Key>(has_spare ? 0 : n)),
          values(layout.add<Value>(has_spare || std::is_same_v<Value, no_value> ? 0 : n)) {}
  };

  static bool wide(std::int64_t n) { return n > Narrow; }

  template <class Key, class Value, class Offset>
  std::size_t bytes_of(std::int64_t n, bool has_spare) const {
    const layout_plan<Key, Value, Offset> p(n, has_spare);
    return p.layout.bytes() + spine_.template workspace_bytes<Offset>(p.tiles * radix);
  }

  /// Passes alternate between the spare and the output. Had all of them something to move, the last one would end
  /// in the output. Of n in device memory, each tile that the bound allows has counts.
  template <class Offset, class Executor, class Request>
  status run_with(Executor& ex, workspace w, const Request& r) const {
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    const bool has_spare = r.keys_spare != nullptr;
    const std::int64_t bound = bound_of(r.n);
    const layout_plan<key, value, Offset> p(bound, has_spare);
    if (!spine_.takes(p.tiles * radix)) return status::not_supported;
    Offset* const counts = p.layout.at(w, p.counts);
    sort_array* const places = p.layout.at(w, p.places);
    const sort_arrays<key, value> arrays{
        r.keys_in,   r.keys_out,   has_spare ? r.keys_spare : p.layout.at(w, p.keys),
        r.values_in, r.values_out, has_spare ? r.values_spare : p.layout.at(w, p.values)};
    const sort_arrays<key, no_value> keys{arrays.keys_in, arrays.keys_out, arrays.keys_spare,
                                          nullptr,        nullptr,         nullptr};
    const digit_passes passes(r.bits, radix_bits);
    const auto turn = [&](int pass) {
      return pass_turn{pass == 0 ? nullptr : places + pass % 2, places + (pass + 1) % 2, arrays.input().keys,
                       (passes.count - pass) % 2 == 1 ? sort_array::out : sort_array::spare};
    };
    int shift = r.bits.begin;
    for (int pass = 0; pass < passes.count; ++pass) {
      const auto digit = r.digits.at(shift, passes.width(pass));
      using digit_type = std::remove_const_t<decltype(digit)>;
      shift += passes.width(pass);

      const upsweep_kernel<key, digit_type, Offset, radix_bits> upsweep;
      const downsweep_kernel<key, value, digit_type, Offset, radix_bits> downsweep;
      status s = ex.launch(p.tiles, upsweep, keys, turn(pass), count_argument(r.n), digit, counts);
      if (s != status::success) return s;
      s = spine_.exclusive_sum(ex, p.layout.rest(w), counts, p.tiles * radix);
      if (s != status::success) return s;
      s = ex.launch(p.tiles, downsweep, arrays, turn(pass), count_argument(r.n), digit,
                    static_cast<const Offset*>(counts));
      if (s != status::success) return s;
    }
    using move_out = move_out_kernel<key, value>;
    const std::int64_t full = ceil_div(bound, move_out::tile_items), most = ex.multiprocessors() * 8;
    return ex.launch(full < most ? full : most, move_out{}, arrays, turn(passes.count), count_argument(r.n));
  }

  Spine spine_;
};
template <class Scan>
upsweep_downsweep(Scan) -> upsweep_downsweep<Scan>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
