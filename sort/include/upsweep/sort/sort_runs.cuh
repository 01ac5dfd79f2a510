// Sorts that also tell where the runs of equal keys begin and end: the calls of radix_sort.cuh, with run_arrays behind
// n.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"

namespace upsweep {

/// The digits by which runs are numbered: the keys' own, whichever way they are sorted; or those that are the order.
template <class Key, class Order>
auto run_digits_of(const Order& order) {
  if constexpr (std::is_same_v<Order, sort_order>) {
    return key_digits<Key>{};
  } else {
    return digits_of<Key>(order);
  }
}

/// sort_pairs, and run_starts of keys_out by the same bits, which are at most 48. As both; and begins or ends that
/// overlap an array of the sort: cudaErrorInvalidValue, nothing touched.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Count, class Index,
          class Order = sort_order, class Stream = default_stream>
requires key_input<KeyIn, Key>
[[nodiscard]] error_of<Stream> sort_pairs(workspace w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                                          Value* values_out, Count n, run_arrays<Index> runs, bit_range bits = {},
                                          Order order = {}, Stream stream = {}) {
  const auto digits = run_digits_of<Key>(order);
  const auto bound = static_cast<std::int64_t>(bound_of(n));
  if (bound < 0 || !can_have_runs(runs, bits, digits,
                                  std::array{use_of(keys_in, bound, false), use_of(keys_out, bound, true),
                                             use_of(values_in, bound, false), use_of(values_out, bound, true),
                                             use_of(place_of(n), 1, false)})) {
    return static_cast<error_of<Stream>>(status::invalid_value);
  }
  const error_of<Stream> sorted =
      sort_pairs<Policy>(w, keys_in, keys_out, values_in, values_out, n, bits, order, stream);
  if (static_cast<status>(sorted) != status::success) return sorted;
  return run_starts(static_cast<const Key*>(keys_out), n, runs.begins, runs.ends, runs.runs, bits, digits, stream);
}

/// The same without values.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Count, class Index,
          class Order = sort_order, class Stream = default_stream>
requires key_input<KeyIn, Key>
[[nodiscard]] error_of<Stream> sort_keys(workspace w, KeyIn in, Key* out, Count n, run_arrays<Index> runs,
                                         bit_range bits = {}, Order order = {}, Stream stream = {}) {
  const no_value* const none = nullptr;
  return sort_pairs<Policy>(w, in, out, none, static_cast<no_value*>(nullptr), n, runs, bits, order, stream);
}

}  // namespace upsweep
