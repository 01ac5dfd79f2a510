// What the passes of a sort tell each other in device memory, and which of them run.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

enum class pass_action : std::uint32_t { skip, sort, copy };
enum class sort_array : std::uint32_t { in, out, spare };

/// What one pass does, decided on the device once all digits are counted.
struct sort_pass {
  pass_action action;
  sort_array from, to;
  std::uint16_t turn;  ///< how many passes sort before this one
  std::uint16_t left;  ///< how many sort after it
};

/// Where the keys lie before the first pass, `in` when nowhere else; whether the values, their places, are yet to be
/// written; and whether every pass between two that sort must sort.
struct sort_input {
  sort_array keys;
  bool makes_places;
  bool fills_gaps = false;
};

/// The keys and values of a sort. `spare` may be `in`, and so may `out`. No values_in: the first pass makes the places.
template <class Key, class Value>
struct sort_arrays {
  const Key* keys_in;
  Key* keys_out;
  Key* keys_spare;
  const Value* values_in;
  Value* values_out;
  Value* values_spare;

  UPSWEEP_HOST_DEVICE const Key* keys_from(sort_array a) const {
    return a == sort_array::in ? keys_in : a == sort_array::out ? keys_out : keys_spare;
  }
  UPSWEEP_HOST_DEVICE const Value* values_from(sort_array a) const {
    return a == sort_array::in ? values_in : a == sort_array::out ? values_out : values_spare;
  }
  UPSWEEP_HOST_DEVICE Key* keys_to(sort_array a) const { return a == sort_array::out ? keys_out : keys_spare; }
  UPSWEEP_HOST_DEVICE Value* values_to(sort_array a) const { return a == sort_array::out ? values_out : values_spare; }

  UPSWEEP_HOST_DEVICE sort_input input() const {
    return {keys_in == keys_out     ? sort_array::out
            : keys_in == keys_spare ? sort_array::spare
                                    : sort_array::in,
            !std::is_same_v<Value, no_value> && values_in == nullptr, false};
  }
};

/// Passes of a plan for so many digits. In the output itself an odd number of them has one pass more, which need not
/// run: it can copy back.
UPSWEEP_HOST_DEVICE constexpr int planned_passes(int digits, sort_input input) {
  return digits + (input.keys == sort_array::out ? digits % 2 : 0);
}

/// Passes in a mask, one a bit.
using pass_mask = std::uint64_t;

UPSWEEP_HOST_DEVICE inline std::uint32_t count_passes(pass_mask mask) {
  return static_cast<std::uint32_t>(count_lanes(static_cast<lane_mask>(mask)) +
                                    count_lanes(static_cast<lane_mask>(mask >> 32)));
}

/// The mask with each pass between two of it.
UPSWEEP_HOST_DEVICE constexpr pass_mask without_gaps(pass_mask mask) {
  pass_mask up_to_last = mask;
  for (int s = 1; s < 64; s *= 2) up_to_last |= up_to_last >> s;
  const pass_mask first = mask & (~mask + 1);
  return first == 0 ? 0 : up_to_last & ~(first - 1);
}

/// What pass p of `passes` does, of which those in `sorts` sort: from where to where each goes, so that the last one
/// ends in `out`. Where the input lies in the array that would be the first to be written, or where no pass sorts, the
/// last pass that need not sort copies instead, perhaps keys onto themselves. The first one takes all from `in`.
UPSWEEP_HOST_DEVICE inline sort_pass plan_pass(int p, int passes, pass_mask sorts, sort_input input) {
  if (input.fills_gaps) sorts = without_gaps(sorts);
  const sort_array first_to = count_passes(sorts) % 2 == 1 ? sort_array::out : sort_array::spare;
  int idle = passes - 1;
  while (idle >= 0 && (sorts >> idle & 1) != 0) --idle;
  const bool copies =
      idle >= 0 && (sorts == 0 ? input.keys != sort_array::out || input.makes_places : input.keys == first_to);
  const pass_mask runs = copies ? sorts | pass_mask{1} << idle : sorts, before = (pass_mask{1} << p) - 1;
  if ((runs >> p & 1) == 0) return {pass_action::skip, sort_array::in, sort_array::in, 0, 0};
  // Those that go to `out` are every second one, counted from the last.
  const bool to_out = count_passes(runs & ~before) % 2 == 1;
  const sort_array to = to_out ? sort_array::out : sort_array::spare;
  const sort_array from = (runs & before) == 0 ? sort_array::in : to_out ? sort_array::spare : sort_array::out;
  return {copies && p == idle ? pass_action::copy : pass_action::sort, from, to,
          static_cast<std::uint16_t>(count_passes(sorts & before)),
          static_cast<std::uint16_t>(count_passes(sorts >> p >> 1))};
}

/// Memory that a sort's kernels share. All but `passes` is zero before the first one.
struct onesweep_control {
  std::uint32_t* ticket;  ///< of the histogram's blocks
  std::uint32_t* count;   ///< of each pass and digit, how many keys; of 2^32 keys and more they are in `first`
  std::uint64_t* first;   ///< of each pass and digit, where its keys begin in the sorted array
  sort_pass* passes;
};

/// What one launch of a pass sorts.
struct sort_portion : lookback_portion {
  bool has_wide_places;  ///< places of keys need not fit 32 bits
};

/// The digits of all passes, which are those of `bits`.
template <class Digit, int Max>
struct pass_digits {
  static constexpr int most = Max;
  Digit digit[Max];
  int count;
  bit_range bits;

  /// Whether digits are bits of a key's code that takes longer to make than they do: not those of integers, nor of
  /// floats by their bits, for which it pays from 2^26 keys on and costs 2 % at 2^22.
  template <class Key>
  static constexpr bool has_codes = !std::is_same_v<Digit, digit_of<Key>> && requires(const Digit& d, const Key& key) {
    d.code_of(key) >> d.shift& d.mask;
  };
  /// What the digits of a key are taken from: its code where there is one, which then is made once for all.
  template <class Key>
  UPSWEEP_HOST_DEVICE auto source_of(const Key& key) const {
    if constexpr (has_codes<Key>) {
      return digit[0].code_of(key);
    } else {
      return key;
    }
  }
  /// The digit of a key of which that is the source.
  template <class Key, class Source>
  static UPSWEEP_HOST_DEVICE std::uint32_t digit_from(const Digit& d, const Source& source) {
    if constexpr (has_codes<Key>) {
      return static_cast<std::uint32_t>(source >> d.shift) & d.mask;
    } else {
      return d(source);
    }
  }

  /// Whether a key must come before another in the sorted array.
  template <class Key>
  UPSWEEP_HOST_DEVICE bool comes_before(const Key& a, const Key& b) const {
    if constexpr (requires { digit[0].code_of(a); }) {
      using code = decltype(digit[0].code_of(a));
      const code mask =
          static_cast<code>(~code{0}) << bits.begin & static_cast<code>(~code{0}) >> (sizeof(code) * 8 - bits.end);
      return (digit[0].code_of(a) & mask) < (digit[0].code_of(b) & mask);
    } else {
      UPSWEEP_UNROLL
      for (int p = Max - 1; p >= 0; --p) {
        if (p >= count) continue;
        const std::uint32_t digit_a = digit[p](a), digit_b = digit[p](b);
        if (digit_a != digit_b) return digit_a < digit_b;
      }
      return false;
    }
  }
};

/// The digits of `passes` passes by the bits of a range, `Max` at the most.
template <int Max, class Digits, class Passes>
auto make_pass_digits(const Digits& digits, bit_range bits, Passes passes) {
  using digit = decltype(digits.at(0, 1));
  auto made = [&]<int... P>(std::integer_sequence<int, P...>) {
    return pass_digits<digit, Max>{{(static_cast<void>(P), digits.at(bits.begin, 1))...}, passes.count, bits};
  }
  (std::make_integer_sequence<int, Max>{});
  int shift = bits.begin;
  for (int p = 0; p < passes.count; ++p) {
    // Not assigned: lambdas with captures cannot be.
    new (made.digit + p) auto(digits.at(shift, passes.width(p)));
    shift += passes.width(p);
  }
  return made;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
