// Radix sort of arrays in host memory, which may be larger than the device's memory: the public calls.
//
//   std::vector<std::byte> scratch(upsweep::sort_keys_from_host_scratch_bytes(in, out, n));
//   cudaError_t e = upsweep::sort_keys_from_host({memory, bytes}, {scratch.data(), scratch.size()}, in, out, n);
//
// The workspace is the device memory that the sort may use, of any size from sort_*_from_host_least_bytes on: with
// sort_*_from_host_workspace_bytes everything goes up, is sorted and comes down. With less there are two trips, each of
// them up and down at once: chunks of the input are sorted, as runs, into the scratch; then buckets of all runs, none
// larger than a chunk, are sorted into the output. Besides the arrays, these calls need host memory for the scratch, as
// many bytes as the input (none for one trip), and for the cuts, about one item in 1000.
//
// Host memory that is pinned (cudaMallocHost, cudaHostRegister) is copied directly. Other memory is copied by the CPU
// through pinned buffers, which the call allocates and frees: from_host_options. Arrays may have any alignment.
//
// Unlike other calls these return when all is done: first they wait for the stream, then they work on three streams of
// their own. They cannot be captured. Sorts are stable.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/sort/device/argsort_places.cuh"
#include "upsweep/sort/device/from_host.cuh"
#include "upsweep/sort/host_scratch.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Sorts chunks by the default method.
template <class Key, class Value, class Digits>
struct chunk_sorter {
  Digits digits;
  bit_range bits;

  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr std::size_t key_bytes() { return sizeof(Key); }
  static constexpr std::size_t item_bytes() { return sizeof(Key) + (has_values ? sizeof(Value) : 0); }
  static std::size_t workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : sort_workspace_of<Key, Value>(default_sort_policy{}, n, false);
  }
  static std::size_t order_workspace_bytes(std::int64_t n) {
    return n <= 0 ? 0 : argsort_places_workspace<Key, std::uint32_t>(default_sort_policy{}, n);
  }
  template <class Side>
  status sort(Side& on, workspace w, void* const* in, void* const* out, std::int64_t n) const {
    const Value* values_in = nullptr;
    Value* values_out = nullptr;
    if constexpr (has_values) {
      values_in = static_cast<const Value*>(in[1]);
      values_out = static_cast<Value*>(out[1]);
    }
    return sort_by(default_sort_policy{}, on.executor, w,
                   make_sort_request(digits, bits, n, static_cast<const Key*>(in[0]), static_cast<Key*>(out[0]),
                                     values_in, values_out));
  }
  template <class Side>
  status order(Side& on, workspace w, const void* keys, std::uint32_t* places, std::int64_t n) const {
    return argsort_places(default_sort_policy{}, on.executor, w,
                          make_sort_request(digits, bits, n, static_cast<const Key*>(keys), static_cast<Key*>(nullptr),
                                            static_cast<const std::uint32_t*>(nullptr), places));
  }
};

/// The columns of keys, and of values unless there are none.
template <class Key, class Value>
auto host_columns(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out) {
  const auto column = [](const auto* in, auto* out) {
    return host_column{reinterpret_cast<const char*>(in), reinterpret_cast<char*>(out), nullptr, sizeof *in};
  };
  if constexpr (std::is_same_v<Value, no_value>) {
    return std::array{column(keys_in, keys_out)};
  } else {
    return std::array{column(keys_in, keys_out), column(values_in, values_out)};
  }
}

template <class Key, class Value, class Order, class Stream>
error_of<Stream> sort_from_host(workspace device, const host_scratch& scratch, const Key* keys_in, Key* keys_out,
                                const Value* values_in, Value* values_out, std::int64_t n, const Order& order,
                                bit_range bits, const from_host_options& options, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto digits = digits_of<Key>(order);
  const chunk_sorter<Key, Value, std::remove_cvref_t<decltype(digits)>> sorter{digits, bits};
  auto columns = host_columns(keys_in, keys_out, values_in, values_out);
  status sorted = executor.synchronize();
  if (sorted != status::success) return static_cast<error_of<Stream>>(sorted);
  const status ran = without_exceptions(
      [&] { sorted = sort_from_host(executor, device, scratch, std::span<host_column>(columns), n, sorter, options); });
  return static_cast<error_of<Stream>>(ran != status::success ? ran : sorted);
}

/// ask(columns, n, sorter) of n items; 0 where there are none.
template <class Key, class Value, class Order, class Ask>
std::size_t bytes_from_host(std::int64_t n, const Order& order, Ask ask) {
  if (n <= 0) return 0;
  const auto digits = digits_of<Key>(order);
  const chunk_sorter<Key, Value, std::remove_cvref_t<decltype(digits)>> sorter{digits, {}};
  const auto columns = host_columns<Key, Value>(nullptr, nullptr, nullptr, nullptr);
  return ask(std::span<const host_column>(columns), n, sorter);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys in host memory.
///   device   the device memory that may be used, {pointer, bytes}: sort_keys_from_host_workspace_bytes for one trip,
///            at least sort_keys_from_host_least_bytes; the caller's
///   scratch  host memory for runs, {pointer, bytes}: sort_keys_from_host_scratch_bytes, of any content; {} for one
///            trip; or input_as_scratch, which loses the input
///   in       n keys of host memory; left as they were, unless they are the scratch
///   out      n keys of host memory; no overlap with another array
///   n        how many keys
///   order    sort_order::ascending or descending, or an order of decomposer.hpp, as sort_keys takes it
///   bits     the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default
///   options  how memory that is not pinned is copied, and a callback for progress
///   stream   the call waits for it, and works on its device; with a sim_stream, on the sim
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap, the bits
/// are not the key's, or the scratch is too small; cudaErrorMemoryAllocation, and nothing touched, if the device memory
/// is too small; otherwise the first error of an allocation, copy or launch: the contents of the output and the scratch
/// are then unspecified. Cost: two copies of each key each way, one if all fit; sorts on the device run beside these.
///     cudaError_t e = sort_keys_from_host({memory, bytes}, input_as_scratch, keys, sorted, n);
template <class Key, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys_from_host(workspace device, host_scratch scratch, const Key* in, Key* out,
                                                   std::int64_t n, Order order = {}, Bits bits = {},
                                                   from_host_options options = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, const Key*, Key, detail::no_value, std::int64_t, Order, Bits>()) {
    return detail::sort_from_host(device, scratch, in, out, detail::no_values_in, detail::no_values_out, n, order, bits,
                                  options, stream);
  } else {
    return {};
  }
}

/// Bytes of device memory with which sort_keys_from_host makes one trip. A host formula.
template <class Key, class Order = sort_order>
std::size_t sort_keys_from_host_workspace_bytes(const Key*, Key*, std::int64_t n, Order order = {}) {
  return detail::bytes_from_host<Key, detail::no_value>(n, order,
                                                        [](const auto&... a) { return detail::one_trip_bytes(a...); });
}
/// The least bytes of device memory with which sort_keys_from_host works: a few times those of n^(2/3) keys. A host
/// formula.
template <class Key, class Order = sort_order>
std::size_t sort_keys_from_host_least_bytes(const Key*, Key*, std::int64_t n, Order order = {}) {
  return detail::bytes_from_host<Key, detail::no_value>(
      n, order, [](const auto&... a) { return detail::least_bytes_from_host(a...); });
}
/// Bytes of host memory that sort_keys_from_host needs as scratch for two trips.
template <class Key>
std::size_t sort_keys_from_host_scratch_bytes(const Key*, Key*, std::int64_t n) {
  return n <= 0 ? 0 : static_cast<std::size_t>(n) * sizeof(Key);
}

/// Sorts keys in host memory, and moves a value with each.
///   device      the device memory that may be used, {pointer, bytes}: sort_pairs_from_host_workspace_bytes for one
///               trip, at least sort_pairs_from_host_least_bytes; the caller's
///   scratch     host memory for runs, {pointer, bytes}: sort_pairs_from_host_scratch_bytes, of any content; {} for one
///               trip; or input_as_scratch, which loses the inputs
///   keys_in     n keys of host memory; left as they were, unless they are the scratch
///   keys_out    n keys of host memory; no overlap with another array
///   values_in   n values of host memory, trivially copyable; left as they were, unless they are the scratch
///   values_out  n values of host memory; no overlap with another array
///   n           how many items
///   order       sort_order::ascending or descending, or an order of decomposer.hpp, as sort_pairs takes it
///   bits        the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default
///   options     how memory that is not pinned is copied, and a callback for progress
///   stream      the call waits for it, and works on its device; with a sim_stream, on the sim
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap, the bits
/// are not the key's, or the scratch is too small; cudaErrorMemoryAllocation, and nothing touched, if the device memory
/// is too small; otherwise the first error of an allocation, copy or launch: the contents of the outputs and the
/// scratch are then unspecified. Cost: two copies of each item each way, one if all fit; sorts on the device run beside
/// these.
///     cudaError_t e = sort_pairs_from_host({memory, bytes}, {scratch, scratch_bytes}, keys, sorted, ids, sorted_ids,
///     n);
template <class Key, class Value, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs_from_host(workspace device, host_scratch scratch, const Key* keys_in,
                                                    Key* keys_out, const Value* values_in, Value* values_out,
                                                    std::int64_t n, Order order = {}, Bits bits = {},
                                                    from_host_options options = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, const Key*, Key, Value, std::int64_t, Order, Bits>()) {
    return detail::sort_from_host(device, scratch, keys_in, keys_out, values_in, values_out, n, order, bits, options,
                                  stream);
  } else {
    return {};
  }
}

/// Bytes of device memory with which sort_pairs_from_host makes one trip. A host formula.
template <class Key, class Value, class Order = sort_order>
std::size_t sort_pairs_from_host_workspace_bytes(const Key*, Key*, const Value*, Value*, std::int64_t n,
                                                 Order order = {}) {
  return detail::bytes_from_host<Key, Value>(n, order, [](const auto&... a) { return detail::one_trip_bytes(a...); });
}
/// The least bytes of device memory with which sort_pairs_from_host works. A host formula.
template <class Key, class Value, class Order = sort_order>
std::size_t sort_pairs_from_host_least_bytes(const Key*, Key*, const Value*, Value*, std::int64_t n, Order order = {}) {
  return detail::bytes_from_host<Key, Value>(n, order,
                                             [](const auto&... a) { return detail::least_bytes_from_host(a...); });
}
/// Bytes of host memory that sort_pairs_from_host needs as scratch for two trips.
template <class Key, class Value>
std::size_t sort_pairs_from_host_scratch_bytes(const Key*, Key*, const Value*, Value*, std::int64_t n) {
  return n <= 0 ? 0 : static_cast<std::size_t>(n) * (sizeof(Key) + sizeof(Value));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
