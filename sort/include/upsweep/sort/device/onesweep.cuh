// LSD radix sort in one kernel a digit (Adinets & Merrill, "Onesweep: A faster least significant digit radix sort for
// GPUs", 2022): the digits of all passes are counted in one trip of the keys; then each pass reads and writes keys and
// values once, its tiles finding out by look-back where their keys go. Stable. A pass whose digit is the same in all
// keys is skipped, and so are all where the keys are sorted already; the device decides that.
// 2 trips of keys and values a pass and 1 of the keys.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/onesweep_histogram.cuh"
#include "upsweep/sort/device/onesweep_pass.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A tile of a pass. Tiles look back by groups of LookbackGroup tiles, at most LookbackGroups groups at a time; tile by
/// tile where LookbackGroup is 0.
template <int Threads, int Items, int RadixBits = 8, int Blocks = 1, int LookbackGroup = 0,
          int LookbackGroups = LookbackGroup>
struct onesweep_tile {
  static_assert(RadixBits >= 1 && RadixBits <= 8, "digits of 1 to 8 bits");
  static constexpr int block_threads = Threads;
  static constexpr int items_per_thread = Items;
  static constexpr int radix_bits = RadixBits;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int lookback_group = LookbackGroup;
  static constexpr int lookback_groups = LookbackGroups;
};

/// A tile for From to UpTo keys; whether a GPU may have too little memory for it.
template <class Tile, std::int64_t From, std::int64_t UpTo, bool MayNotFit = false>
struct onesweep_choice {
  using tile = Tile;
  static constexpr std::int64_t from = From, up_to = UpTo;
  static constexpr bool may_not_fit = MayNotFit;
};

/// The same tile for everything.
template <class Tile>
struct onesweep_fixed {
  static constexpr int radix_bits = Tile::radix_bits;
  template <class Key, class Value, bool ByKeys>
  using choices = std::tuple<onesweep_choice<Tile, 0, INT64_MAX>>;
};

/// Tiles by the size of keys and values, as measured on an H200: as large as two of them fit a multiprocessor. Small
/// ones keep all multiprocessors at work when there are few keys, and fit any GPU; tiny ones are for fewer still, and
/// the least for so few that each tile has a multiprocessor for itself.
struct onesweep_tuned {
  static constexpr int radix_bits = 8;

  /// Bytes of what a tile holds for each item.
  template <class Key, class Value>
  static constexpr int width = static_cast<int>(sizeof(Value) > sizeof(Key) && sizeof(Value) <= 8 ? sizeof(Value)
                                                                                                  : sizeof(Key));
  /// As many items a thread as fit `bytes` with their positions, `most` at the most.
  static constexpr int items(int bytes, int threads, int width, int most) {
    const int fit = bytes / (threads * (width + 2));
    return fit > most ? most : fit >= 8 ? fit / 8 * 8 : fit >= 1 ? fit : 1;
  }

  template <class Key, class Value, bool ByKeys>
  static constexpr auto large() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile < 512, std::is_floating_point_v<Key> ? 32 : 36, radix_bits, 2 > {};
    } else if constexpr (ByKeys) {
      return onesweep_tile<384, 24, radix_bits, 2>{};
    } else if constexpr (width<Key, Value> <= 4) {
      return onesweep_tile<512, 24, radix_bits, 2>{};
    } else {
      return onesweep_tile<256, items(84 << 10, 256, width<Key, Value>, 32), radix_bits, 2>{};
    }
  }
  template <class Key, class Value, bool ByKeys>
  static constexpr auto small_of() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile<512, 16, radix_bits, 3, 16>{};
    } else if constexpr (ByKeys) {
      return onesweep_tile<256, 20, radix_bits, 3, 16>{};
    } else {
      return onesweep_tile<256, items(40 << 10, 256, width<Key, Value>, 16), radix_bits, 2, 16, 64>{};
    }
  }
  template <class Key, class Value, bool ByKeys>
  static constexpr auto tiny() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile<256, 16, radix_bits, 2, 16>{};
    } else if constexpr (width<Key, Value> <= 8 && (ByKeys || !std::is_same_v<Value, no_value>)) {
      return onesweep_tile<256, 8, radix_bits, 2, 16>{};
    } else {
      return small_of<Key, Value, ByKeys>();
    }
  }
  template <class Key, class Value, bool ByKeys>
  static constexpr auto least() {
    if constexpr (ByKeys && sizeof(Key) == 4) {
      return onesweep_tile<256, 8, radix_bits, 2, 16>{};
    } else if constexpr (sizeof(Key) == 8 && width<Key, Value> == 8) {
      return onesweep_tile<1024, 2, radix_bits, 1, 16>{};
    } else {
      return tiny<Key, Value, ByKeys>();
    }
  }
  template <class Key, class Value, bool ByKeys>
  using tile = decltype(large<Key, Value, ByKeys>());
  template <class Key, class Value, bool ByKeys>
  using small_tile = decltype(small_of<Key, Value, ByKeys>());
  template <class Key, class Value, bool ByKeys>
  using tiny_tile = decltype(tiny<Key, Value, ByKeys>());
  template <class Key, class Value, bool ByKeys>
  using least_tile = decltype(least<Key, Value, ByKeys>());

  // Public, since clang 14 lets no alias of this class take a private variable template.
  template <class Key, bool ByKeys>
  static constexpr std::int64_t small_up_to = std::int64_t{1} << (ByKeys             ? 22
                                                                  : sizeof(Key) <= 4 ? 21
                                                                                     : 20);
  template <class Key, bool ByKeys>
  static constexpr std::int64_t tiny_up_to = std::int64_t{1} << (ByKeys && sizeof(Key) == 4 ? 19 : 18);
  template <class Key>
  static constexpr std::int64_t least_from = sizeof(Key) <= 4 ? 0 : (std::int64_t{3} << 15) + 1;
  static constexpr std::int64_t least_up_to = std::int64_t{1} << 17;

  template <class Key, class Value, bool ByKeys>
  using choices = std::tuple<onesweep_choice<least_tile<Key, Value, ByKeys>, least_from<Key>, least_up_to, true>,
                             onesweep_choice<tiny_tile<Key, Value, ByKeys>, 0, tiny_up_to<Key, ByKeys>>,
                             onesweep_choice<small_tile<Key, Value, ByKeys>, 0, small_up_to<Key, ByKeys>>,
                             onesweep_choice<tile<Key, Value, ByKeys>, 0, INT64_MAX, true>,
                             onesweep_choice<small_tile<Key, Value, ByKeys>, 0, INT64_MAX>>;
};

/// The method. Passes go over portions of `Portion` keys, at most 2^30, one after the other; up to `Narrow` keys, at
/// most 2^32, are placed by 32-bit numbers, more by 64-bit ones, which takes longer. `Tiles` has radix_bits, 1 to 8,
/// and choices<Key, Value, ByKeys>, onesweep_choices of which the first one is taken that is for so many keys and fits
/// the GPU.
template <class Tiles = onesweep_tuned, std::int64_t Portion = std::int64_t{1} << 30,
          std::int64_t Narrow = std::int64_t{1} << 32>
class onesweep {
 public:
  static_assert(Portion <= std::int64_t{1} << 30 && Narrow <= std::int64_t{1} << 32);
  static constexpr int radix_bits = Tiles::radix_bits;
  static_assert(radix_bits >= 1 && radix_bits <= 8, "digits of 1 to 8 bits");
  static constexpr int radix = 1 << radix_bits;

  /// With `has_spare`, what a request with a spare needs.
  template <class Key, class Value>
  std::size_t workspace_bytes(std::int64_t n, bool has_spare = false) const {
    return n <= 0 ? 0 : layout_plan<Key, Value>(n, has_spare).layout.bytes();
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  status run(Executor& ex, workspace w, const Request& r) const {
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    using digit = decltype(r.digits.at(0, 1));
    const std::int64_t n = bound_of(r.n);
    const auto by_first_choice = [&]<bool ByKeys>(std::bool_constant<ByKeys>) {
      status s = status::not_supported;
      const auto try_one = [&]<class Choice>(Choice) {
        using pass = onesweep_pass_kernel<key, value, digit, typename Choice::tile, ByKeys>;
        if (n < Choice::from || n > Choice::up_to || (Choice::may_not_fit && !pass::runs_on(ex, r.n))) return false;
        s = run_passes<pass>(ex, w, r);
        return true;
      };
      std::apply([&](auto... choice) { static_cast<void>((try_one(choice) || ...)); },
                 typename Tiles::template choices<key, value, ByKeys>{});
      return s;
    };
    if constexpr (keys_tell_order<key, value, digit>) {
      if (r.bits.begin == 0 && r.bits.end == r.digits.bits) return by_first_choice(std::true_type{});
    }
    return by_first_choice(std::false_type{});
  }

 private:
  /// Passes of the widest code of a key.
  template <class Key>
  static constexpr int max_passes = (static_cast<int>(sizeof(Key)) * 8 + radix_bits - 1) / radix_bits;

  template <class Key, class Value>
  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> tickets;
    workspace_layout::slot<std::uint32_t> count;
    workspace_layout::slot<std::uint64_t> first;
    workspace_layout::slot<sort_pass> passes;
    workspace_layout::slot<std::uint64_t> first_of_portion;  // of those after the first one, in turns
    workspace_layout::slot<std::uint32_t> states;
    workspace_layout::slot<Key> keys;
    workspace_layout::slot<Value> values;

    layout_plan(std::int64_t n, bool has_spare) {
      constexpr int most = max_passes<Key>;
      const std::int64_t portions = most_portions_of<Portion>(n);
      tickets = layout.add<std::uint32_t>(1 + portions * (most + 1));
      count = layout.add<std::uint32_t>(most * radix);
      first = layout.add<std::uint64_t>(most * radix);
      passes = layout.add<sort_pass>(most + 1);
      first_of_portion = layout.add<std::uint64_t>(portions > 1 ? 2 * radix : 0);
      const std::int64_t by_list = most_words<Key, Value, false>(n), by_keys = most_words<Key, Value, true>(n);
      states = layout.add<std::uint32_t>(by_list > by_keys ? by_list : by_keys);
      keys = layout.add<Key>(has_spare ? 0 : n);
      values = layout.add<Value>(has_spare || std::is_same_v<Value, no_value> ? 0 : n);
    }
  };

  /// Whether a pass is on the GPU while the one before runs: where its tiles find multiprocessors of their own, or
  /// there are so many that all get their share. Else some multiprocessors get several of them and others none.
  static bool passes_overlap(std::int64_t tiles, std::int64_t multiprocessors, bool has_values) {
    return 2 * tiles <= multiprocessors || 2 * tiles > (has_values ? 3 : 6) * multiprocessors;
  }

  template <class Tile>
  static constexpr std::int64_t tile_items = std::int64_t{Tile::block_threads} * Tile::items_per_thread;

  template <class Tile>
  static constexpr std::int64_t portion_items = items_of_portion<Portion, tile_items<Tile>>;

  /// Of the look-back of a tile's portions.
  template <class Tile>
  static std::int64_t words_of(std::int64_t n) {
    constexpr std::int64_t items = portion_items<Tile>;
    using lookback = tile_lookback<Tile>;
    return n / items * lookback::words_of(items / tile_items<Tile>) +
           lookback::words_of(ceil_div(n % items, tile_items<Tile>));
  }

  /// Of the look-back, for up to n keys, whichever of its kernels the GPU can run.
  template <class Key, class Value, bool ByKeys>
  static std::int64_t most_words(std::int64_t n) {
    return std::apply(
        [n]<class... Choice>(Choice...) {
          std::int64_t most = 0;
          const auto consider = [&most](std::int64_t words) { most = words > most ? words : most; };
          (consider(words_of<typename Choice::tile>(n < Choice::up_to ? n : Choice::up_to)), ...);
          return most;
        },
        typename Tiles::template choices<Key, Value, ByKeys>{});
  }

  template <class Pass, class Executor, class Request>
  status run_passes(Executor& ex, workspace w, const Request& r) const {
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    using digit = decltype(r.digits.at(0, 1));
    // Of a structure, those of the fields that are compared.
    constexpr int most = static_cast<int>(ceil_div(decltype(r.digits)::bits, radix_bits));
    const digit_passes passes(r.bits, radix_bits);
    static_assert(most <= max_passes<key>, "an order has at most as many bits as its key: for more, upsweep_downsweep");
    const auto digits = make_pass_digits<most>(r.digits, r.bits, passes);

    static_assert(Pass::radix == radix, "the digits of the method and of its tiles have one width");
    const bool has_spare = r.keys_spare != nullptr;
    const std::int64_t bound = bound_of(r.n), tiles = ceil_div(bound, Pass::tile_items);
    const layout_plan<key, value> p(bound, has_spare);
    const sort_arrays<key, value> arrays{
        r.keys_in,   r.keys_out,   has_spare ? r.keys_spare : p.layout.at(w, p.keys),
        r.values_in, r.values_out, has_spare ? r.values_spare : p.layout.at(w, p.values)};
    const onesweep_control control{p.layout.at(w, p.tickets), p.layout.at(w, p.count), p.layout.at(w, p.first),
                                   p.layout.at(w, p.passes)};
    std::uint32_t* const states = p.layout.at(w, p.states);

    status s = ex.clear(control.ticket, p.first.offset + p.first.bytes());
    if (s != status::success) return s;
    const std::int64_t words = words_of<typename Pass::tile>(bound);
    const bool overlap = passes_overlap(tiles, ex.multiprocessors(), Request::has_values);
    using histogram = onesweep_histogram_kernel<key, digit, most, radix_bits>;
    if constexpr (radix_bits == 8 && requires { r.digit_counts; }) {
      s = ex.clear(states, static_cast<std::size_t>(words) * sizeof *states);
      if (s == status::success) {
        s = ex.launch(1, onesweep_known_counts_kernel<histogram>{}, r.digit_counts, count_argument(r.n), passes.count,
                      control, arrays.input());
      }
    } else {
      const std::int64_t full = ceil_div(bound, histogram::tile_items), blocks = ex.multiprocessors() * 4;
      grid counting(full < blocks ? full : blocks);
      counting.overlaps_next = overlap;
      s = ex.launch(counting, histogram{}, r.keys_in, count_argument(r.n), digits, control, states, words,
                    arrays.input());
    }

    constexpr std::int64_t items = portion_items<typename Pass::tile>;
    const std::int64_t portions = ceil_div(bound, items);
    const int planned = planned_passes(passes.count, arrays.input());
    for (int i = 0; i < planned; ++i) {
      const digit& by = digits.digit[i < passes.count ? i : 0];
      const sort_pass* const pass = control.passes + i;
      for (std::int64_t j = 0; j < portions && s == status::success; ++j) {
        std::uint64_t* const turns = p.layout.at(w, p.first_of_portion);
        const sort_portion portion{
            {j * items, items, control.ticket + 1 + i * portions + j, states + words_of<typename Pass::tile>(j * items),
             j == 0 ? control.first + i * radix : turns + j % 2 * radix,
             j + 1 < portions ? turns + (j + 1) % 2 * radix : nullptr},
            bound > Narrow};
        grid sorting(ceil_div(portion.share_of(bound), Pass::tile_items));
        sorting.overlaps_next = overlap && (i + 1 < planned || j + 1 < portions);
        s = ex.launch(sorting, Pass{}, arrays, count_argument(r.n), by, pass, portion);
      }
    }
    return s;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
