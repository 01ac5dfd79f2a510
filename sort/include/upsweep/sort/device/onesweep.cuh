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
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/argsort_pass.cuh"
#include "upsweep/sort/device/onesweep_histogram.cuh"
#include "upsweep/sort/device/onesweep_pass.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/device/onesweep_tiles.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The method. Passes go over portions of `Portion` keys, at most 2^30, one after the other; up to `Narrow` keys, at
/// most 2^32, are placed by 32-bit numbers, more by 64-bit ones, which takes longer. `Tiles` has radix_bits, 1 to 8,
/// and choices<Key, Value, ByKeys>, onesweep_choices of which the first one is taken that is for so many keys and fits
/// the GPU; for digits of 8 bits it may have argsort_choices, too, for argsort_from keys and more.
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
    const auto by_first_choice = [&]<bool ByKeys>(std::bool_constant<ByKeys>) {
      const auto try_one = [&]<class Choice>(Choice, status& s) {
        using pass = onesweep_pass_kernel<key, value, digit, typename Choice::tile, ByKeys>;
        if (Choice::may_not_fit && !pass::runs_on(ex, r.n)) return false;
        s = run_passes<pass>(ex, w, r);
        return true;
      };
      return run_first<typename Tiles::template choices<key, value, ByKeys>>(bound_of(r.n), try_one);
    };
    if constexpr (keys_tell_order<key, value, digit>) {
      if (r.bits.begin == 0 && r.bits.end == r.digits.bits) return by_first_choice(std::true_type{});
    }
    return by_first_choice(std::false_type{});
  }

  /// Whether places may be sorted without their keys by words of both, from argsort_from keys on: places of numbers of
  /// 4 bytes that have as many.
  template <class Key, class Place>
  static constexpr bool makes_words = has_argsort<Tiles>&& std::is_arithmetic_v<Key> && sizeof(Key) == 4 &&
                                      sizeof(Place) == 4;
  static constexpr std::int64_t argsort_from = [] {
    if constexpr (has_argsort<Tiles>) return Tiles::argsort_from;
    return INT64_MAX;
  }();

  /// What argsort needs beside room for n words.
  std::size_t argsort_workspace_bytes(std::int64_t n) const { return argsort_layout(n).layout.bytes(); }

  /// A request for places that sort_by has checked, whose keys_out is room for n words: see argsort_pass_kernel.
  template <class Executor, class Request>
  status argsort(Executor& ex, workspace w, const Request& r) const {
    using key = typename Request::key_type;
    using place = typename Request::value_type;
    using digit = decltype(r.digits.at(0, 1));
    static_assert(makes_words<key, place>);
    const auto try_one = [&]<class Choice>(Choice, status& s) {
      using pass = argsort_pass_kernel<key, place, digit, max_passes<key>, typename Choice::tile>;
      if (Choice::may_not_fit && !pass::runs_on(ex, r.n)) return false;
      const argsort_layout p(bound_of(r.n));
      const byte_passes passes(r.bits);
      const auto digits = make_pass_digits<max_passes<key>>(r.digits, r.bits, passes);
      const argsort_arrays<key, place> arrays{r.keys_in, reinterpret_cast<std::uint64_t*>(r.keys_out),
                                              p.layout.at(w, p.upper_halves), r.values_out};
      s = run_passes<pass>(ex, w, r, p.layout, p.control, digits, sort_input{sort_array::in, true, true},
                           [&](const grid& g, int i, const sort_pass* pass_i, const sort_portion& portion) {
                             return ex.launch(g, pass{}, arrays, count_argument(r.n), digits, i, pass_i, portion);
                           });
      return true;
    };
    return run_first<typename Tiles::template argsort_choices<std::uint64_t>>(bound_of(r.n), try_one);
  }

 private:
  /// Passes of the widest code of a key.
  template <class Key>
  static constexpr int max_passes = (static_cast<int>(sizeof(Key)) * 8 + radix_bits - 1) / radix_bits;

  /// What the kernels of a sort share, at the begin of the workspace.
  struct control_slots {
    workspace_layout::slot<std::uint32_t> tickets;
    workspace_layout::slot<std::uint32_t> count;
    workspace_layout::slot<std::uint64_t> first;
    workspace_layout::slot<sort_pass> passes;
    workspace_layout::slot<std::uint64_t> first_of_portion;  // of those after the first one, in turns
    workspace_layout::slot<std::uint32_t> states;

    control_slots(workspace_layout& layout, std::int64_t n, int most, std::int64_t words) {
      const std::int64_t portions = most_portions_of<Portion>(n);
      tickets = layout.add<std::uint32_t>(1 + portions * (most + 1));
      count = layout.add<std::uint32_t>(most * radix);
      first = layout.add<std::uint64_t>(most * radix);
      passes = layout.add<sort_pass>(most + 1);
      first_of_portion = layout.add<std::uint64_t>(portions > 1 ? 2 * radix : 0);
      states = layout.add<std::uint32_t>(words);
    }
  };

  /// std::max without <algorithm>, which would be the largest header of a sort.
  static std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

  template <class Key, class Value>
  struct layout_plan {
    workspace_layout layout;
    control_slots control;
    workspace_layout::slot<Key> keys;
    workspace_layout::slot<Value> values;

    layout_plan(std::int64_t n, bool has_spare)
        : control(layout, n, max_passes<Key>,
                  larger(most_words<typename Tiles::template choices<Key, Value, false>>(n),
                         most_words<typename Tiles::template choices<Key, Value, true>>(n))) {
      keys = layout.add<Key>(has_spare ? 0 : n);
      values = layout.add<Value>(has_spare || std::is_same_v<Value, no_value> ? 0 : n);
    }
  };

  struct argsort_layout {
    workspace_layout layout;
    control_slots control;
    workspace_layout::slot<std::uint16_t> upper_halves;

    explicit argsort_layout(std::int64_t n)
        : control(layout, n, max_passes<std::uint32_t>,
                  most_words<typename Tiles::template argsort_choices<std::uint64_t>>(n)),
          upper_halves(layout.add<std::uint16_t>(n)) {}
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

  /// Of the look-back, for up to n keys, whichever of the Choices' kernels the GPU can run.
  template <class Choices>
  static std::int64_t most_words(std::int64_t n) {
    return std::apply(
        [n]<class... Choice>(Choice...) {
          std::int64_t most = 0;
          ((most = larger(most, words_of<typename Choice::tile>(n < Choice::up_to ? n : Choice::up_to))), ...);
          return most;
        },
        Choices{});
  }

  /// Runs the first of the Choices for n keys that the GPU can run: run(choice, status) is false where it cannot.
  template <class Choices, class Run>
  static status run_first(std::int64_t n, Run run) {
    status s = status::not_supported;
    const auto try_one = [&]<class Choice>(Choice choice) {
      return n >= Choice::from && n <= Choice::up_to && run(choice, s);
    };
    std::apply([&](auto... choice) { static_cast<void>((try_one(choice) || ...)); }, Choices{});
    return s;
  }

  template <class Pass, class Executor, class Request>
  status run_passes(Executor& ex, workspace w, const Request& r) const {
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    // Of a structure, those of the fields that are compared.
    constexpr int most = static_cast<int>(ceil_div(decltype(r.digits)::bits, radix_bits));
    static_assert(most <= max_passes<key>, "an order has at most as many bits as its key: for more, upsweep_downsweep");
    const digit_passes passes(r.bits, radix_bits);
    const auto digits = make_pass_digits<most>(r.digits, r.bits, passes);

    const bool has_spare = r.keys_spare != nullptr;
    const layout_plan<key, value> p(bound_of(r.n), has_spare);
    const sort_arrays<key, value> arrays{
        r.keys_in,   r.keys_out,   has_spare ? r.keys_spare : p.layout.at(w, p.keys),
        r.values_in, r.values_out, has_spare ? r.values_spare : p.layout.at(w, p.values)};
    return run_passes<Pass>(ex, w, r, p.layout, p.control, digits, arrays.input(),
                            [&](const grid& g, int i, const sort_pass* pass, const sort_portion& portion) {
                              return ex.launch(g, Pass{}, arrays, count_argument(r.n),
                                               digits.digit[i < passes.count ? i : 0], pass, portion);
                            });
  }

  /// Counts the digits, and launches the planned passes by launch(grid, number, its plan, portion).
  template <class Pass, class Executor, class Request, class Digits, class Launch>
  status run_passes(Executor& ex, workspace w, const Request& r, const workspace_layout& layout,
                    const control_slots& control_at, const Digits& digits, sort_input input, Launch launch) const {
    using key = typename Request::key_type;
    using digit = decltype(r.digits.at(0, 1));
    static_assert(Pass::radix == radix, "the digits of the method and of its tiles have one width");
    const std::int64_t bound = bound_of(r.n), tiles = ceil_div(bound, Pass::tile_items);
    const onesweep_control control{layout.at(w, control_at.tickets), layout.at(w, control_at.count),
                                   layout.at(w, control_at.first), layout.at(w, control_at.passes)};
    std::uint32_t* const states = layout.at(w, control_at.states);

    status s = ex.clear(control.ticket, control_at.first.offset + control_at.first.bytes());
    if (s != status::success) return s;
    const std::int64_t words = words_of<typename Pass::tile>(bound);
    const bool overlap = passes_overlap(tiles, ex.multiprocessors(), Request::has_values);
    using histogram = onesweep_histogram_kernel<key, digit, Digits::most, radix_bits>;
    if constexpr (radix_bits == 8 && requires { r.digit_counts; }) {
      s = ex.clear(states, static_cast<std::size_t>(words) * sizeof *states);
      if (s == status::success) {
        s = ex.launch(1, onesweep_known_counts_kernel<histogram>{}, r.digit_counts, count_argument(r.n), digits.count,
                      control, input);
      }
    } else {
      const std::int64_t full = ceil_div(bound, histogram::tile_items), blocks = ex.multiprocessors() * 4;
      grid counting(full < blocks ? full : blocks);
      counting.overlaps_next = overlap;
      s = ex.launch(counting, histogram{}, r.keys_in, count_argument(r.n), digits, control, states, words, input);
    }

    constexpr std::int64_t items = portion_items<typename Pass::tile>;
    const std::int64_t portions = ceil_div(bound, items);
    const int planned = planned_passes(digits.count, input);
    for (int i = 0; i < planned; ++i) {
      for (std::int64_t j = 0; j < portions && s == status::success; ++j) {
        std::uint64_t* const turns = layout.at(w, control_at.first_of_portion);
        const sort_portion portion{
            {j * items, items, control.ticket + 1 + i * portions + j, states + words_of<typename Pass::tile>(j * items),
             j == 0 ? control.first + i * radix : turns + j % 2 * radix,
             j + 1 < portions ? turns + (j + 1) % 2 * radix : nullptr},
            bound > Narrow};
        grid sorting(ceil_div(portion.share_of(bound), Pass::tile_items));
        sorting.overlaps_next = overlap && (i + 1 < planned || j + 1 < portions);
        s = launch(sorting, i, control.passes + i, portion);
      }
    }
    return s;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
