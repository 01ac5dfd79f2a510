// Radix sort of the keys of several GPUs: the public calls. The sorted whole lies on the ranks one after the other,
// each with as many keys as it asks for; equal keys stay in the order of their ranks, and on a rank in input order.
//
//   const auto total = ...;                                        // of all ranks
//   const auto n_out = upsweep::balanced_share(total, comm.rank(), comm.ranks());
//   std::size_t bytes = upsweep::sort_keys_across_workspace_bytes(comm, in, out, n, n_out);
//   cudaError_t e = upsweep::sort_keys_across({memory, bytes}, comm, in, out, n, n_out, {}, stream);
//
// How: two ranks that reach each other's memory split their keys by ranges of codes, which a sample cuts, and each
// sorts its range (device/ranges_across.cuh). If keys are few or many are equal, each of the two sorts its own, and
// merges its part from both sorted runs (device/merge_across.cuh). More ranks find the codes at which the sorted whole
// is cut exactly (device/global_cuts.cuh); each GPU stores its keys directly into the memory of the GPU that they
// belong to (device/rank_exchange.cuh), which sorts what arrives. If kernels cannot reach the memory of other ranks,
// keys are sent. Ranges, a merge and sending copy a few numbers to the host, and wait for them.
//
// `comm` is the rank's communicator (simt/communicator.hpp). Every rank makes the same call, with sizes of its own. The
// ranks' hosts meet in a call. If ranks reach each other's memory, the workspace must be memory that they reach: from
// cudaMalloc, not from a pool.
//
// Errors: if a rank's arguments are refused, every rank's call returns cudaErrorInvalidValue, and nothing was touched:
// n < 0 or n_out < 0, a null pointer with items, an output that overlaps another array, a workspace that is too small,
// or sizes n_out that do not add up to the items of all ranks. cudaErrorNotSupported for more than most_ranks ranks.
// Any other error of a rank reaches the others by the communicator.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/sort_across.cuh"
#include "upsweep/sort/device/values_across.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The default policy of a sort over ranks. Two ranks sort by ranges, or sort and merge; with more, keys go to their
/// ranks first and are sorted there, by all bits.
using default_sort_across_policy = detail::sort_across_policy<>;
/// Keys of two ranks, too, go to their ranks first. Where ranks reach each other's memory, the host waits for no GPU.
using exchanging_sort_across_policy = detail::sort_across_policy<default_sort_policy, std::int64_t{1} << 62, 0>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Key, class Order>
constexpr bool check_sort_across() {
  constexpr bool is_number = is_number_key<Key>;
  static_assert(is_number, "upsweep: a sort over ranks takes keys that are numbers");
  if constexpr (is_number) {
    using digit = decltype(digits_of<Key>(Order{}).at(0, 1));
    constexpr bool has_codes = requires(const digit& d, const Key& key) {
      d.code_of(key);
    };
    static_assert(has_codes, "upsweep: after the sizes comes a sort_order, or key_digits<Key, nan_order>{direction}");
    return has_codes;
  }
  return false;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts the keys of all ranks.
///   w       a workspace of sort_keys_across_workspace_bytes bytes; the caller keeps it until this rank's work has
///           finished
///   comm    this rank's communicator
///   in      this rank's n keys, in device memory; left as they were
///   out     its part of the sorted keys: n_out keys of device memory; no overlap with another array
///   n       how many keys this rank has; 0 is allowed
///   n_out   how many sorted items it gets; balanced_share(total, rank, ranks) for equal parts
///   order   sort_order::ascending or descending, or key_digits<float, nan_order::last>{direction}
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0 or n_out < 0, a pointer is
/// null whose array has items, an output overlaps another array, the workspace is too small, or the sizes n_out do not
/// add up to the items of all ranks; cudaErrorNotSupported for more than most_ranks ranks. Any other error of a rank
/// reaches the others by the communicator (communicator.hpp). Cost: two ranks read and write their keys once to split
/// them, send what belongs to the other, and sort; or sort, send and merge. With more ranks, keys are usually read
/// twice to find the cuts, sent once, and sorted where they arrive. The workspace of large sorts of two ranks has
/// arrays of n, n_out and 0.75 n_out keys. That of other sorts has two of the larger of n and n_out, if keys are sent
/// another of n, and n / 16 codes.
///     cudaError_t e = sort_keys_across({memory, bytes}, comm, in, out, n, n_out, sort_order::descending, stream);
template <class Policy = default_sort_across_policy, class Communicator, class Key, class Order = sort_order>
[[nodiscard]] error_of<typename Communicator::stream_type> sort_keys_across(
    workspace w, Communicator& comm, const Key* in, Key* out, std::int64_t n, std::int64_t n_out, Order order = {},
    typename Communicator::stream_type stream = {}) {
  if constexpr (detail::check_sort_across<Key, Order>()) {
    return static_cast<error_of<typename Communicator::stream_type>>(
        Policy::run(w, comm, in, out, detail::no_values_in, detail::no_values_out, n, n_out,
                    detail::digits_of<Key>(order), stream));
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_keys_across with these arguments: a host formula; more keys never need less.
template <class Policy = default_sort_across_policy, class Communicator, class Key, class Order = sort_order>
std::size_t sort_keys_across_workspace_bytes(const Communicator& comm, const Key*, Key*, std::int64_t n,
                                             std::int64_t n_out, Order = {}) {
  return Policy::template workspace_bytes<Key, detail::no_value>(comm, n, n_out);
}

/// Sorts the keys of all ranks, and moves a value with each.
///   w           a workspace of sort_pairs_across_workspace_bytes bytes; the caller keeps it until this rank's work has
///               finished
///   comm        this rank's communicator
///   keys_in     this rank's n keys, in device memory; left as they were
///   keys_out    its part of the sorted keys: n_out keys of device memory; no overlap with another array
///   values_in   n values, trivially copyable; left as they were
///   values_out  n_out values; no overlap with another array
///   n           how many pairs this rank has; 0 is allowed
///   n_out       how many sorted items it gets; balanced_share(total, rank, ranks) for equal parts
///   order       sort_order::ascending or descending, or key_digits<float, nan_order::last>{direction}
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0 or n_out < 0, a pointer is
/// null whose array has items, an output overlaps another array, the workspace is too small, or the sizes n_out do not
/// add up to the items of all ranks; cudaErrorNotSupported for more than most_ranks ranks. Any other error of a rank
/// reaches the others by the communicator (communicator.hpp). Cost: as sort_keys_across; values are read and sent once,
/// and sorted with their keys.
///     cudaError_t e = sort_pairs_across({memory, bytes}, comm, keys, sorted_keys, ids, sorted_ids, n, n_out, {},
///     stream);
template <class Policy = default_sort_across_policy, class Communicator, class Key, class Value,
          class Order = sort_order>
[[nodiscard]] error_of<typename Communicator::stream_type> sort_pairs_across(
    workspace w, Communicator& comm, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
    std::int64_t n, std::int64_t n_out, Order order = {}, typename Communicator::stream_type stream = {}) {
  if constexpr (detail::check_sort_across<Key, Order>() && detail::check_values<Value>()) {
    return static_cast<error_of<typename Communicator::stream_type>>(Policy::run(
        w, comm, keys_in, keys_out, values_in, values_out, n, n_out, detail::digits_of<Key>(order), stream));
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_pairs_across with these arguments: a host formula; more pairs never need less.
template <class Policy = default_sort_across_policy, class Communicator, class Key, class Value,
          class Order = sort_order>
std::size_t sort_pairs_across_workspace_bytes(const Communicator& comm, const Key*, Key*, const Value*, Value*,
                                              std::int64_t n, std::int64_t n_out, Order = {}) {
  return Policy::template workspace_bytes<Key, Value>(comm, n, n_out);
}

/// Sorts the keys of all ranks, and moves a row of up to 8 arrays of values with each.
///   w         a workspace of sort_with_values_across_workspace_bytes bytes; the caller keeps it until this rank's work
///             has finished
///   comm      this rank's communicator
///   keys_in   this rank's n keys, in device memory; left as they were
///   keys_out  its part of the sorted keys: n_out keys of device memory; no overlap with another array
///   arrays    a std::tuple of 1 to 8 value_array (sort_by_places.cuh), each n values of device memory and room for
///             n_out; the same types on all ranks
///   n         how many keys this rank has; 0 is allowed
///   n_out     how many sorted items it gets; balanced_share(total, rank, ranks) for equal parts
///   order     sort_order::ascending or descending, or key_digits<float, nan_order::last>{direction}
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0 or n_out < 0, a pointer is
/// null whose array has items, an output overlaps another array, the workspace is too small, or the sizes n_out do not
/// add up to the items of all ranks; cudaErrorNotSupported for more than most_ranks ranks. Any other error of a rank
/// reaches the others by the communicator (communicator.hpp). Cost: keys are usually read twice to find the cuts, sent
/// once, and sorted where they arrive, with places of 4 bytes. Each row is read and written once before it is sent, and
/// once where it arrives. The host waits for one number from each rank. The workspace has two arrays of keys and
/// places, those of a sort, or 2 of the widest rows.
///     cudaError_t e = sort_with_values_across({memory, bytes}, comm, keys, sorted_keys,
///         std::tuple{value_array{ids, sorted_ids}, value_array{masses, sorted_masses}}, n, n_out, {}, stream);
template <class Policy = default_sort_across_policy, class Communicator, class Key, class... Value,
          class Order = sort_order>
[[nodiscard]] error_of<typename Communicator::stream_type> sort_with_values_across(
    workspace w, Communicator& comm, const Key* keys_in, Key* keys_out, const std::tuple<value_array<Value>...>& arrays,
    std::int64_t n, std::int64_t n_out, Order order = {}, typename Communicator::stream_type stream = {}) {
  static_assert(sizeof...(Value) >= 1 && sizeof...(Value) <= 8, "upsweep: 1 to 8 arrays of values");
  static_assert((is_bitwise_copyable<Value> && ...), "upsweep: values are copied as bytes");
  if constexpr (detail::check_sort_across<Key, Order>()) {
    const auto rows = std::apply(
        [](const auto&... a) {
          return std::array{detail::row_array{a.in, a.out, sizeof *a.in}...};
        },
        arrays);
    return static_cast<error_of<typename Communicator::stream_type>>(detail::sort_values_across<typename Policy::local>(
        w, comm, keys_in, keys_out, rows, n, n_out, detail::digits_of<Key>(order), stream));
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_with_values_across with these arguments: a host formula; more items never need less.
template <class Policy = default_sort_across_policy, class Communicator, class Key, class... Value,
          class Order = sort_order>
std::size_t sort_with_values_across_workspace_bytes(const Communicator& comm, const Key*, Key*,
                                                    const std::tuple<value_array<Value>...>&, std::int64_t n,
                                                    std::int64_t n_out, Order = {}) {
  return detail::values_across_bytes<typename Policy::local, Key>(comm.ranks(), n, n_out,
                                                                  (std::max)({sizeof(Value)...}));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
