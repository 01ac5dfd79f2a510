// Grouping: the order in which items lie group after group, and where each group begins. What routes tokens
// to experts, particles to the cells of a grid, and splats to the tiles of a screen.
//
//   cudaError_t e = upsweep::group_by(upsweep::stream_pool{}, expert, order, offsets, tokens, 64, itself{}, stream);
//
// Nothing moves but indices; split.cuh moves the items themselves, into up to 256 buckets. A call enqueues its kernels
// on `stream` and returns: it allocates nothing, unless it is given a resource (simt/memory_resource.cuh), does not
// wait, and can be captured in a graph. With a sim_stream it runs on the CPU and has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/default_groups.cuh"
#include "upsweep/compact/device/group_of.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The default policy of group_by.
using default_group_policy = detail::default_groups<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Places>
constexpr bool check_group_places() {
  constexpr bool fits = std::is_convertible_v<Places, group_places>;
  static_assert(fits,
                "upsweep: before the offsets comes a pointer to the permutation in device memory, or group_places");
  return fits;
}

template <class Policy, class Stream, class Count, class GroupOf>
error_of<Stream> group_from(const workspace_or_resource& w, const group_places& to, std::int64_t* offsets, Count n,
                            int groups, const GroupOf& group_of, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto count = count_argument(n);
  const std::size_t needed = Policy::workspace_bytes(bound_of(n), groups, to.multiple);
  return w.lend(needed, on, [&](workspace lent) {
    status s = status::invalid_value;
    if (is_right_grouping(lent, needed, to, offsets, count, groups, group_of)) {
      s = bound_of(n) > 0 ? Policy::run(executor, lent, to, offsets, count, groups, group_of)
                          : executor.fill(offsets, 0, (static_cast<std::size_t>(groups) + 1) * sizeof *offsets);
    }
    return static_cast<error_of<Stream>>(s);
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The indices of the items in the order of their groups, by the group of an item.
///   w         a workspace of group_by_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///             until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   to        a pointer to the permutation, n integers of 4 or 8 bytes of device memory, or group_places
///             (arguments.hpp), which can also pad each group to a multiple of places (it then needs room for
///             to.room(n, groups)) and return the inverse permutation. Integers of 4 bytes hold up to 2^32 - 1
///   offsets   groups + 1 integers of device memory: where each group begins in the permutation, and the last one ends.
///             They are multiples of to.multiple
///   n         how many items, at most 2^47: a signed integer, or a device_count in device memory with a bound
///   groups    how many groups, 1 to 65536
///   group_of  the number of an item's group, of any arithmetic or enumeration type: a functor of the item that the GPU
///             can call, and that returns the same each time. An item whose number is below 0, or `groups` or more, or
///             a NaN, is left out
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, groups or the multiple (1 to 2^30) are out of their
/// range, a pointer is null with n > 0, an output overlaps another array, or the workspace is too small;
/// cudaErrorNotSupported for more than 2^47 items; otherwise the first error of a launch. Cost: O(n + groups + unused
/// places) work. group_of is called twice for each item; the indices take one pass, or for many items or groups two,
/// with 8 bytes of workspace for each item between them. Sources: GPU Multisplit (Ashkiani et al. 2016); a pass of
/// onesweep (Adinets & Merrill 2022).
///     cudaError_t e = group_by(stream_pool{}, position, order, offsets, n, cells, cell_of{grid}, stream);
template <class Policy = default_group_policy, class In, class To, class Count, class GroupOf,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> group_by(workspace_or_resource w, In in, To to, std::int64_t* offsets, Count n,
                                        int groups, GroupOf group_of, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_input<In, Stream>() &&
                detail::check_group_places<To>() && detail::check_count<Count>() &&
                detail::check_group_of_item<GroupOf, In>()) {
    return detail::group_from<Policy>(w, to, offsets, n, groups, detail::group_of_item<In, GroupOf>{in, group_of},
                                      stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of group_by with these arguments. A host formula in O(1): no GPU is needed, and more items or
/// groups never need less; of `to` only the multiple matters. 0 for n <= 0.
template <class Policy = default_group_policy, class In, class To, class Count, class GroupOf>
std::size_t group_by_workspace_bytes(In, To to, std::int64_t*, Count n, int groups, GroupOf) {
  return Policy::workspace_bytes(detail::bound_of(n), groups, group_places(to).multiple);
}

/// The indices of the items in the order of their groups, by the group of an index.
///   w         a workspace of group_by_index_workspace_bytes bytes, or a memory resource to take it from; the caller
///             keeps it until the work has finished
///   to        a pointer to the permutation, n integers of 4 or 8 bytes of device memory, or group_places
///             (arguments.hpp), which can also pad each group to a multiple of places (it then needs room for
///             to.room(n, groups)) and return the inverse permutation. Integers of 4 bytes hold up to 2^32 - 1
///   offsets   groups + 1 integers of device memory: where each group begins in the permutation, and the last one ends.
///             They are multiples of to.multiple
///   n         how many items, at most 2^47: a signed integer, or a device_count in device memory with a bound
///   groups    how many groups, 1 to 65536
///   group_of  by_index{f}: f(i) is the number of the group of item i, of any arithmetic or enumeration type; it
///             returns the same each time. An item whose number is below 0, or `groups` or more, or a NaN, is left out
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, groups or the multiple (1 to 2^30) are out of their
/// range, a pointer is null with n > 0, an output overlaps another array, or the workspace is too small;
/// cudaErrorNotSupported for more than 2^47 items; otherwise the first error of a launch. Cost: O(n + groups + unused
/// places) work. f is called twice for each item; the indices take one pass, or for many items or groups two, with 8
/// bytes of workspace for each item between them. Sources: GPU Multisplit (Ashkiani et al. 2016); a pass of onesweep
/// (Adinets & Merrill 2022).
///     cudaError_t e = group_by_index(stream_pool{}, order, offsets, n, 64, by_index{expert_of{routes}}, stream);
template <class Policy = default_group_policy, class To, class Count, class GroupOf, class Stream = default_stream>
[[nodiscard]] error_of<Stream> group_by_index(workspace_or_resource w, To to, std::int64_t* offsets, Count n,
                                              int groups, GroupOf group_of, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_group_places<To>() && detail::check_count<Count>() &&
                detail::check_group_of_index<GroupOf>()) {
    return detail::group_from<Policy>(w, to, offsets, n, groups,
                                      detail::group_of_index<decltype(group_of.f)>{group_of.f}, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of group_by_index with these arguments. A host formula in O(1): no GPU is needed, and more items
/// or groups never need less; of `to` only the multiple matters. 0 for n <= 0.
template <class Policy = default_group_policy, class To, class Count, class GroupOf>
std::size_t group_by_index_workspace_bytes(To to, std::int64_t*, Count n, int groups, GroupOf) {
  return Policy::workspace_bytes(detail::bound_of(n), groups, group_places(to).multiple);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
