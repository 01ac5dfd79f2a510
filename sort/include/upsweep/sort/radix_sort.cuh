// Radix sort of device memory: the public calls.
//
//   std::size_t bytes = upsweep::sort_pairs_workspace_bytes<std::uint32_t, std::uint32_t>(n);
//   upsweep::sort_pairs({workspace, bytes}, keys, sorted_keys, values, sorted_values, n, {}, order, stream);
//
// Sorts are stable; descending keeps equal keys in input order too. Keys are 4- and 8-byte integers, float and double;
// values are any trivially copyable type. The input is left as it was; in == out is refused. A call enqueues its
// kernels on `stream` and returns: it neither allocates nor waits, and it can be captured in a graph. With a sim_stream
// it runs on the CPU and has finished when it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/policy.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// Bytes of workspace for sort_keys. A host formula; more keys never need less. 0 for n <= 0.
template <class Key, class Policy = default_sort_policy>
std::size_t sort_keys_workspace_bytes(std::int64_t n) {
  return Policy{}.template workspace_bytes<Key, no_value>(n);
}

/// Bytes of workspace for sort_pairs.
template <class Key, class Value, class Policy = default_sort_policy>
std::size_t sort_pairs_workspace_bytes(std::int64_t n) {
  return Policy{}.template workspace_bytes<Key, Value>(n);
}

/// Sorts by the bits of the range: see key_codec.hpp for the order of floats. An empty range copies.
/// n < 0, a null pointer with n > 0, overlapping input and output, a range outside the key, or a workspace too small:
/// cudaErrorInvalidValue, nothing touched. O(n) for each 8 bits of the range.
template <class Policy = default_sort_policy, class Key, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace w, const Key* in, Key* out, std::int64_t n, bit_range bits = {},
                                         sort_order order = sort_order::ascending, Stream stream = {}) {
  auto executor = executor_of(stream);
  const sort_request<Key, no_value, key_digits<Key>> request{{order}, bits, n, in, out, nullptr, nullptr};
  return static_cast<error_of<Stream>>(sort_by(Policy{}, executor, w, request));
}

/// The same with a value that travels with each key.
template <class Policy = default_sort_policy, class Key, class Value, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace w, const Key* keys_in, Key* keys_out, const Value* values_in,
                                          Value* values_out, std::int64_t n, bit_range bits = {},
                                          sort_order order = sort_order::ascending, Stream stream = {}) {
  static_assert(std::is_trivially_copyable_v<Value>, "values are moved as bytes");
  auto executor = executor_of(stream);
  const sort_request<Key, Value, key_digits<Key>> request{{order}, bits, n, keys_in, keys_out, values_in, values_out};
  return static_cast<error_of<Stream>>(sort_by(Policy{}, executor, w, request));
}

}  // namespace upsweep
