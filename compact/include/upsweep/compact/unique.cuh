// The first element of each run of equal ones: the public calls. As select.cuh otherwise; stable.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/select.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// The vote of element i by whether it is the first, or not equal(in[i - 1], in[i]). A vote for select_arrays too,
/// where `in` itself is not compacted in place.
template <class In, class Equal = equal_to>
struct vote_run_head {
  In in;
  mutable Equal equal;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return i == 0 || !equal(in[i - 1], in[i]); }
  /// In two parts: no array can stay in place of which vote i reads the element before too.
  auto reads(std::int64_t n) const {
    if constexpr (std::is_pointer_v<In>) {
      const std::int64_t half = n / 2;
      return std::array{use_of(in, half, false), use_of(in + half, n - half, false)};
    } else {
      return std::array<memory_use, 0>{};
    }
  }
};

/// Bytes of workspace for unique.
template <class Policy = default_compact_policy, class T>
std::size_t unique_workspace_bytes(const T* in, const T* out, std::int64_t n) {
  return select_workspace_bytes<Policy>(in, out, n);
}

/// Keeps the first of each run of equal elements. `in` and `out` do not overlap at all; out == in is refused, too:
/// cudaErrorInvalidValue. Else as select_arrays.
template <class Policy = default_compact_policy, class T, class Count, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> unique(workspace w, const T* in, T* out, std::type_identity_t<select_results> results,
                                      Count n, Equal equal = {}, Stream stream = {}) {
  if (bound_of(n) > 0 && in == out) return static_cast<error_of<Stream>>(status::invalid_value);
  return select<Policy>(w, in, out, results, n, vote_run_head<const T*, Equal>{in, equal}, stream);
}

/// Bytes of workspace for unique_by_key.
template <class Policy = default_compact_policy, class Key, class Value>
std::size_t unique_by_key_workspace_bytes(const Key* keys_in, const Value* values_in, const Key* keys_out,
                                          const Value* values_out, std::int64_t n) {
  const soa_array arrays[] = {{keys_in, const_cast<Key*>(keys_out), sizeof(Key)},
                              {values_in, const_cast<Value*>(values_out), sizeof(Value)}};
  return select_arrays_workspace_bytes<Policy>(arrays, n);
}

/// Keeps the first of each run of equal keys, and its value. No output overlaps any other array, nor
/// is it one: cudaErrorInvalidValue. Else as select_arrays.
template <class Policy = default_compact_policy, class Key, class Value, class Count, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> unique_by_key(workspace w, const Key* keys_in, const Value* values_in, Key* keys_out,
                                             Value* values_out, std::type_identity_t<select_results> results, Count n,
                                             Equal equal = {}, Stream stream = {}) {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>,
                "elements are moved as bytes");
  if (bound_of(n) > 0 && (keys_in == keys_out || values_in == values_out)) {
    return static_cast<error_of<Stream>>(status::invalid_value);
  }
  const soa_array arrays[] = {{keys_in, keys_out, sizeof(Key)}, {values_in, values_out, sizeof(Value)}};
  return select_arrays<Policy>(w, arrays, n, vote_run_head<const Key*, Equal>{keys_in, equal}, results, stream);
}

}  // namespace upsweep
