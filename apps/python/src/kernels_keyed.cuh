// Sorts of segments, the first k, and what is done with sorted keys, behind kernels.hpp, on a stream of the GPU or of
// the sim.
#pragma once

#include "kernels.hpp"

#include <type_traits>

#include "key_digits.hpp"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/top_k.cuh"

namespace upsweep::python {

/// use(Code{}, Value{}, digits) with the types of a call's keys and values.
template <class Use>
auto with_segments(const segmented_sort_call& c, Use use) {
  return with_wide_keys(c.keys, [&](auto code, const auto& digits) {
    if (c.value_bytes == 0) return use(code, detail::no_value{}, digits);
    return c.value_bytes == 4 ? use(code, std::uint32_t{}, digits) : use(code, std::uint64_t{}, digits);
  });
}

template <class Stream>
status enqueue_call(const segmented_sort_call& c, Stream stream) {
  return with_segments(c, [&]<class Code, class Value>(Code, Value, const auto& digits) {
    return static_cast<status>(detail::segmented_sort<default_segmented_sort_policy>(
        c.work, static_cast<const Code*>(c.in), static_cast<Code*>(c.out), static_cast<const Value*>(c.values_in),
        static_cast<Value*>(c.values_out), c.begins, c.ends, c.n, c.segments, digits, c.bits, false, stream));
  });
}
inline std::size_t bytes_of(const segmented_sort_call& c) {
  return with_segments(c, [&]<class Code, class Value>(Code, Value, const auto&) {
    return detail::segmented_sort_bytes<default_segmented_sort_policy, Code, Value>(c.n, c.segments);
  });
}

/// Little more than k keys are sorted, by the one method that compiles quickly.
using top_k_method = detail::sampled_top_k<detail::top_k_tuned, detail::onesweep<>>;

/// Of n keys of a code whose digits are told.
template <class Code, class Digits, class Count, class Stream>
status top_k_by_digits(const top_k_call& c, Code, const Digits& digits, const Count& n, Stream stream) {
  const auto* const in = static_cast<const Code*>(c.in);
  return static_cast<status>(top_k_indices<top_k_method>(c.work, in, c.places, n, c.k, digits, c.bits, stream));
}

/// The kernels of integers that are counted by the host are in a file of their own: the keys are looked at once, so
/// that what a look costs is what a call costs.
status top_k_integers_on_cuda(const top_k_call& c, void* stream);

template <class Stream>
status enqueue_call(const top_k_call& c, Stream stream) {
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    if (are_plain_integers(c.keys) && c.n.count == nullptr) return top_k_integers_on_cuda(c, stream);
  }
  return with_wide_keys(c.keys,
                        [&](auto code, const auto& digits) { return top_k_by_digits(c, code, digits, c.n, stream); });
}
inline std::size_t bytes_of(const top_k_call& c) {
  return with_wide_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    const auto* const in = static_cast<const Code*>(c.in);
    return top_k_indices_workspace_bytes<top_k_method>(in, c.places, c.n, c.k, digits);
  });
}

template <class Stream>
status enqueue_call(const gather_call& c, Stream stream) {
  if (c.n.bound == 0) return status::success;
  auto executor = executor_of(stream);
  return detail::gather_rows(executor, c.in, c.out, c.row_bytes, c.places, c.n);
}
inline std::size_t bytes_of(const gather_call&) {
  return 0;
}

template <class Stream>
status enqueue_call(const merge_call& c, Stream stream) {
  return with_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    const auto *const a = static_cast<const Code*>(c.a), *const b = static_cast<const Code*>(c.b);
    if (c.bounds == nullptr) {
      return static_cast<status>(merge_keys(c.work, a, b, static_cast<Code*>(c.out), c.n_a, c.n_b, digits, stream));
    }
    return static_cast<status>(c.upper ? upper_bound(a, b, c.bounds, c.n_a, c.n_b, digits, stream)
                                       : lower_bound(a, b, c.bounds, c.n_a, c.n_b, digits, stream));
  });
}
inline std::size_t bytes_of(const merge_call& c) {
  if (c.bounds != nullptr) return 0;
  return with_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    return merge_keys_workspace_bytes(static_cast<const Code*>(c.a), static_cast<const Code*>(c.b),
                                      static_cast<Code*>(c.out), c.n_a, c.n_b, digits);
  });
}

}  // namespace upsweep::python
