// Stream compaction of device memory: the public calls.
//
//   cudaError_t e = upsweep::select_if(upsweep::stream_pool{}, in, out, count, n, upsweep::between<float>{0, 1},
//   stream);
//
// Kept elements move to the front of their output, in input order; their number is written to device memory, where the
// next kernel can read it. A call enqueues its kernels on `stream` and returns: it allocates nothing, unless it is
// given a resource (simt/memory_resource.cuh), does not wait, and can be captured in a graph. With a sim_stream it runs
// on the CPU and has finished when it returns.
//
// select_if and partition_if take a predicate of items, *_flagged take flags, and the others a vote by index: a functor
// that is wrapped in by_index, or one of votes.hpp. Items that are no plain arrays of one trivially copyable type are
// moved one by one through their iterators, by the method `fused` alone, and not in place.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether items can go from In to Out as bytes.
template <class In, class Out>
inline constexpr bool moves_bytes = [] {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
    using item = std::remove_pointer_t<Out>;
    return std::is_same_v<std::remove_const_t<std::remove_pointer_t<In>>, item> && is_bitwise_copyable<item>;
  }
  return false;
}();
/// The same, and that rejected ones, where there are any, go to a third such array.
template <class In, class Out, class Rejected>
inline constexpr bool moves_all_bytes = moves_bytes<In, Out> &&
                                        (std::is_null_pointer_v<Rejected> || std::is_same_v<Rejected, Out>);

template <class Vote>
constexpr bool check_vote() {
  constexpr bool fits = is_vote<Vote>;
  static_assert(fits, "upsweep: this call takes by_index{f}, f(i) the vote of element i; predicates go to select_if");
  return fits;
}
template <class Keep, class Item>
constexpr bool check_predicate() {
  constexpr bool of_items = !is_vote<Keep>;
  static_assert(of_items,
                "upsweep: this is a vote by index, which goes to select or partition; *_if take a predicate of "
                "items");
  constexpr bool fits = can_call<Keep, Item&> || can_call<Keep, Item>;
  static_assert(fits || !of_items,
                "upsweep: the predicate is called with one item; it stands behind n, before the stream");
  return of_items && fits;
}
template <class Results>
constexpr bool check_results() {
  constexpr bool fits = std::is_convertible_v<Results, select_results>;
  static_assert(fits,
                "upsweep: behind the outputs stands a pointer to the count in device memory, or a select_results");
  return fits;
}
template <class Stream, class In, class Out, class Results, class Count>
constexpr bool check_selection() {
  return check_stream<Stream>() && check_input<In, Stream>() && check_output<Out, Stream>() &&
         check_results<Results>() && check_count<Count>();
}

/// Bytes for what `moved` of select_from moves.
template <class Policy, class In, class Out, class Rejected>
std::size_t selection_bytes(In in, Out out, Rejected rejected, std::int64_t n, rejected_order order) {
  if constexpr (moves_all_bytes<In, Out, Rejected>) {
    using T = std::remove_pointer_t<Out>;
    T* const others = rejected;
    if constexpr (requires { Policy{}.array_workspace_bytes(in, out, n, others, order); }) {
      return Policy{}.array_workspace_bytes(in, out, n, others, order);
    } else {
      const soa_array array{in, out, sizeof(T), others};
      return Policy{}.workspace_bytes({&array, 1}, n, order);
    }
  } else {
    return Policy{}.workspace_bytes({}, n);
  }
}

/// The order of a selection, which needs no kernels for rejected items.
using no_rejected = std::integral_constant<rejected_order, rejected_order::apart>;

/// Every selection and partition of one array or iterator; a selection has a null `rejected`, and the Order
/// no_rejected.
template <class Policy, class Stream, class In, class Out, class Rejected, class Count, class Vote, class Order>
error_of<Stream> select_from(const workspace_or_resource& w, In in, Out out, Rejected rejected,
                             const select_results& results, Count n, const Vote& vote, Order order, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto count = count_argument(n);
  const std::size_t bytes = selection_bytes<Policy>(in, out, rejected, bound_of(n), order);
  return w.lend(bytes, on, [&](workspace lent) {
    const auto as_error = [](status s) { return static_cast<error_of<Stream>>(s); };
    if constexpr (moves_all_bytes<In, Out, Rejected>) {
      using T = std::remove_pointer_t<Out>;
      const T* const from = in;
      T* const others = rejected;
      if constexpr (requires { Policy{}.array_workspace_bytes(in, out, std::int64_t{}, others, order); }) {
        if constexpr (std::is_same_v<Order, no_rejected>) {
          return as_error(Policy{}.run_array(executor, lent, from, out, count, vote, results));
        } else {
          return as_error(Policy{}.partition_array(executor, lent, from, out, others, count, vote, results, order));
        }
      } else {
        const soa_array array{in, out, sizeof(T), others};
        return as_error(Policy{}.run(executor, lent, {&array, 1}, count, vote, results, order));
      }
    } else {
      static_assert(
          requires(moved_items<In, Out> m) { Policy{}.run_items(executor, lent, m, count, vote, results); },
          "upsweep: this policy moves arrays of one trivially copyable type; iterators go by the default policy");
      if constexpr (!std::is_null_pointer_v<Rejected>) {
        const moved_items<In, Out, Rejected> moved{in, out, rejected, false};
        return as_error(Policy{}.run_items(executor, lent, moved, count, vote, results));
      } else {
        if constexpr (!std::is_same_v<Order, no_rejected>) {
          if (order == rejected_order::behind) return as_error(status::not_supported);
          if (order == rejected_order::backwards) {
            if (results.is_limited()) return as_error(status::invalid_value);
            const moved_items<In, Out, Out> moved{in, out, out, true};
            return as_error(Policy{}.run_items(executor, lent, moved, count, vote, results));
          }
        }
        const moved_items<In, Out> moved{in, out, {}, false};
        return as_error(Policy{}.run_items(executor, lent, moved, count, vote, results));
      }
    }
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keeps in[i] when the vote of index i says so.
///   w        a workspace of select_workspace_bytes bytes, or a memory resource to take it from; the caller's until the
///            work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   out      where kept items go, in input order: a pointer or iterator of device memory with room for them; may be in
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written where that lies
///   vote     which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; of what the call writes
///            it may look at element i of an array in place alone
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, or the workspace is too small; cudaErrorNotSupported for what the
/// policy's method cannot do; else the first error of a launch. n = 0 writes a count of 0.
/// Cost: O(n) work; by the default policy elements are asked once or twice in one or two launches, and each that is
/// kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill & Garland
/// 2016), compact/README.md.
///     cudaError_t e = select(stream_pool{}, in, out, count, n, vote_bits<unsigned>{mask}, stream);
template <class Policy = default_compact_policy, class In, class Out, class Vote, class Results = select_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select(workspace_or_resource w, In in, Out out, Results results, Count n, Vote vote,
                                      Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_vote<Vote>()) {
    return detail::select_from<Policy>(w, in, out, nullptr, results, n, detail::vote_of(vote), detail::no_rejected{},
                                       stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select with these arguments. A host formula in O(1): no GPU is asked, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Vote, class Results = select_results,
          class Count = std::int64_t>
std::size_t select_workspace_bytes(In in, Out out, Results, Count n, Vote) {
  return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
}

/// Keeps in[i] when keep(in[i]).
///   w        a workspace of select_if_workspace_bytes bytes, or a memory resource to take it from; the caller's until
///            the work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   out      where kept items go, in input order: a pointer or iterator of device memory with room for them; may be in
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written where that lies
///   keep     the predicate of an item that the GPU can call; it gives the same answer each time
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, or the workspace is too small; cudaErrorNotSupported for what the
/// policy's method cannot do; else the first error of a launch. n = 0 writes a count of 0.
/// Cost: O(n) work; by the default policy elements are asked once or twice in one or two launches, and each that is
/// kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill & Garland
/// 2016), compact/README.md.
///     cudaError_t e = select_if(stream_pool{}, in, out, count, n, between<float>{0, 1}, stream);
template <class Policy = default_compact_policy, class In, class Out, class Predicate, class Results = select_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_if(workspace_or_resource w, In in, Out out, Results results, Count n,
                                         Predicate keep, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() &&
                detail::check_predicate<Predicate, detail::item_t<In>>()) {
    return detail::select_from<Policy>(w, in, out, nullptr, results, n, detail::vote_by_items(in, keep),
                                       detail::no_rejected{}, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select_if with these arguments. A host formula in O(1): no GPU is asked, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Predicate, class Results = select_results,
          class Count = std::int64_t>
std::size_t select_if_workspace_bytes(In in, Out out, Results, Count n, Predicate) {
  return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
}

/// Keeps in[i] when flags[i] is true.
///   w        a workspace of select_flagged_workspace_bytes bytes, or a memory resource to take it from; the caller's
///            until the work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   flags    n flags, of which those that are true keep their item: a pointer or iterator of device memory
///   out      where kept items go, in input order: a pointer or iterator of device memory with room for them; may be in
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written where that lies
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, or the workspace is too small; cudaErrorNotSupported for what the
/// policy's method cannot do; else the first error of a launch. n = 0 writes a count of 0.
/// Cost: O(n) work; by the default policy elements are asked once or twice in one or two launches, and each that is
/// kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill & Garland
/// 2016), compact/README.md.
///     cudaError_t e = select_flagged(stream_pool{}, in, flags, out, count, n, stream);
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Results = select_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_flagged(workspace_or_resource w, In in, Flags flags, Out out, Results results,
                                              Count n, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_input<Flags, Stream>()) {
    return detail::select_from<Policy>(w, in, out, nullptr, results, n, detail::vote_by_flags(flags),
                                       detail::no_rejected{}, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select_flagged with these arguments. A host formula in O(1): no GPU is asked, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Results = select_results,
          class Count = std::int64_t>
std::size_t select_flagged_workspace_bytes(In in, Flags, Out out, Results, Count n) {
  return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
}

/// Keeps in[i] when the vote of index i says so; the others go to `rejected`, or where `order` says.
///   w         a workspace of partition_workspace_bytes bytes, or a memory resource to take it from; the caller's until
///             the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       where kept items go, in input order: a pointer or iterator of device memory with room for them; may be
///             in
///   rejected  where the other items go in input order: a pointer or iterator of device memory; nullptr: where order
///             says
///   results   a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///             (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n         how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///             written where that lies
///   vote      which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; of what the call writes
///             it may look at element i of an array in place alone
///   order     where rejected items go that have no array of their own: behind the kept ones of out in input order,
///             backwards from the end of out as with CUB, or apart, nowhere; out then has room for all n
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, or the workspace is too small; cudaErrorNotSupported for what the
/// policy's method cannot do; else the first error of a launch. n = 0 writes a count of 0. A capacity goes with a
/// rejected array alone.
/// Cost: O(n) work; by the default policy elements are asked once or twice in one or two launches, and each that is
/// kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill & Garland
/// 2016), compact/README.md.
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Vote,
          class Results = select_results, class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition(workspace_or_resource w, In in, Out out, Rejected rejected, Results results,
                                         Count n, Vote vote, rejected_order order = rejected_order::behind,
                                         Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_vote<Vote>()) {
    return detail::select_from<Policy>(w, in, out, rejected, results, n, detail::vote_of(vote), order, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition with these arguments. A host formula in O(1): no GPU is asked, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Vote,
          class Results = select_results, class Count = std::int64_t>
std::size_t partition_workspace_bytes(In in, Out out, Rejected rejected, Results, Count n, Vote,
                                      rejected_order order = rejected_order::behind) {
  return detail::selection_bytes<Policy>(in, out, rejected, detail::bound_of(n), order);
}

/// Keeps in[i] when keep(in[i]); the others go to `rejected`, or where `order` says.
///   w         a workspace of partition_if_workspace_bytes bytes, or a memory resource to take it from; the caller's
///             until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       where kept items go, in input order: a pointer or iterator of device memory with room for them; may be
///             in
///   rejected  where the other items go in input order: a pointer or iterator of device memory; nullptr: where order
///             says
///   results   a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///             (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n         how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///             written where that lies
///   keep      the predicate of an item that the GPU can call; it gives the same answer each time
///   order     where rejected items go that have no array of their own: behind the kept ones of out in input order,
///             backwards from the end of out as with CUB, or apart, nowhere; out then has room for all n
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, or the workspace is too small; cudaErrorNotSupported for what the
/// policy's method cannot do; else the first error of a launch. n = 0 writes a count of 0. A capacity goes with a
/// rejected array alone.
/// Cost: O(n) work; by the default policy elements are asked once or twice in one or two launches, and each that is
/// kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill & Garland
/// 2016), compact/README.md.
///     cudaError_t e = partition_if(stream_pool{}, in, near, far, count, n, is_near{}, rejected_order::behind, stream);
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Predicate,
          class Results = select_results, class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_if(workspace_or_resource w, In in, Out out, Rejected rejected, Results results,
                                            Count n, Predicate keep, rejected_order order = rejected_order::behind,
                                            Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() &&
                detail::check_predicate<Predicate, detail::item_t<In>>()) {
    return detail::select_from<Policy>(w, in, out, rejected, results, n, detail::vote_by_items(in, keep), order,
                                       stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition_if with these arguments. A host formula in O(1): no GPU is asked, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Predicate,
          class Results = select_results, class Count = std::int64_t>
std::size_t partition_if_workspace_bytes(In in, Out out, Rejected rejected, Results, Count n, Predicate,
                                         rejected_order order = rejected_order::behind) {
  return detail::selection_bytes<Policy>(in, out, rejected, detail::bound_of(n), order);
}

/// Keeps in[i] when flags[i] is true; the others go to `rejected`, or where `order` says.
///   w         a workspace of partition_flagged_workspace_bytes bytes, or a memory resource to take it from; the
///             caller's until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   flags     n flags, of which those that are true keep their item: a pointer or iterator of device memory
///   out       where kept items go, in input order: a pointer or iterator of device memory with room for them; may be
///             in
///   rejected  where the other items go in input order: a pointer or iterator of device memory; nullptr: where order
///             says
///   results   a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///             (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n         how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///             written where that lies
///   order     where rejected items go that have no array of their own: behind the kept ones of out in input order,
///             backwards from the end of out as with CUB, or apart, nowhere; out then has room for all n
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, or the workspace is too small; cudaErrorNotSupported for what the
/// policy's method cannot do; else the first error of a launch. n = 0 writes a count of 0. A capacity goes with a
/// rejected array alone.
/// Cost: O(n) work; by the default policy elements are asked once or twice in one or two launches, and each that is
/// kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill & Garland
/// 2016), compact/README.md.
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Rejected,
          class Results = select_results, class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_flagged(workspace_or_resource w, In in, Flags flags, Out out,
                                                 Rejected rejected, Results results, Count n,
                                                 rejected_order order = rejected_order::behind, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_input<Flags, Stream>()) {
    return detail::select_from<Policy>(w, in, out, rejected, results, n, detail::vote_by_flags(flags), order, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition_flagged with these arguments. A host formula in O(1): no GPU is asked, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Rejected,
          class Results = select_results, class Count = std::int64_t>
std::size_t partition_flagged_workspace_bytes(In in, Flags, Out out, Rejected rejected, Results, Count n,
                                              rejected_order order = rejected_order::behind) {
  return detail::selection_bytes<Policy>(in, out, rejected, detail::bound_of(n), order);
}

/// Keeps element i of every array when the vote of index i says so.
///   w        a workspace of select_arrays_workspace_bytes bytes, or a memory resource to take it from; the caller's
///            until the work has finished
///   arrays   up to any number of arrays of n elements each, of any element size and alignment; out may be in; each may
///            name an array for its rejected elements
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written where that lies
///   vote     which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; of what the call writes
///            it may look at element i of an array in place alone
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, an element has 0 bytes or more than 1 MiB, or the workspace is too
/// small; cudaErrorNotSupported for what the policy's method cannot do; else the first error of a launch. n = 0 writes
/// a count of 0.
/// Cost: O(n) work; by the default policy elements are asked once or twice in a pass, of which 16 arrays take one, and
/// each that is kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill &
/// Garland 2016), compact/README.md.
///     const soa_array arrays[] = {{x, x, sizeof *x}, {color, color, sizeof *color}};
///     cudaError_t e = select_arrays(stream_pool{}, arrays, count, n, vote_flagged<char>{alive}, stream);
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_arrays(workspace_or_resource w, std::span<const soa_array> arrays,
                                             Results results, Count n, Vote vote, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_results<Results>() && detail::check_count<Count>() &&
                detail::check_vote<Vote>()) {
    const stream_of<Stream> on = stream;
    auto executor = executor_of(on);
    return w.lend(
        Policy{}.workspace_bytes(arrays, detail::bound_of(n), rejected_order::apart), on, [&](workspace lent) {
          return static_cast<error_of<Stream>>(
              Policy{}.run(executor, lent, arrays, detail::count_argument(n), detail::vote_of(vote), results));
        });
  } else {
    return {};
  }
}

/// Bytes of workspace of select_arrays with these arguments. A host formula in O(1): no GPU is asked, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t>
std::size_t select_arrays_workspace_bytes(std::span<const soa_array> arrays, Results, Count n, Vote) {
  return Policy{}.workspace_bytes(arrays, detail::bound_of(n), rejected_order::apart);
}

/// Keeps element i of every array when the vote of index i says so; the others go to the array's `rejected`, or where
/// `order` says.
///   w        a workspace of partition_arrays_workspace_bytes bytes, or a memory resource to take it from; the caller's
///            until the work has finished
///   arrays   up to any number of arrays of n elements each, of any element size and alignment; out may be in; each may
///            name an array for its rejected elements
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and gives indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written where that lies
///   vote     which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; of what the call writes
///            it may look at element i of an array in place alone
///   order    where rejected items go that have no array of their own: behind the kept ones of out in input order,
///            backwards from the end of out as with CUB, or apart, nowhere; out then has room for all n
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, out == in aside, an element has 0 bytes or more than 1 MiB, or the workspace is too
/// small; cudaErrorNotSupported for what the policy's method cannot do; else the first error of a launch. n = 0 writes
/// a count of 0. A capacity goes with a rejected array alone.
/// Cost: O(n) work; by the default policy elements are asked once or twice in a pass, of which 16 arrays take one, and
/// each that is kept moves once, in place at most twice. Source: stream compaction over decoupled look-back (Merrill &
/// Garland 2016), compact/README.md.
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_arrays(workspace_or_resource w, std::span<const soa_array> arrays,
                                                Results results, Count n, Vote vote,
                                                rejected_order order = rejected_order::behind, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_results<Results>() && detail::check_count<Count>() &&
                detail::check_vote<Vote>()) {
    const stream_of<Stream> on = stream;
    auto executor = executor_of(on);
    return w.lend(Policy{}.workspace_bytes(arrays, detail::bound_of(n), order), on, [&](workspace lent) {
      return static_cast<error_of<Stream>>(
          Policy{}.run(executor, lent, arrays, detail::count_argument(n), detail::vote_of(vote), results, order));
    });
  } else {
    return {};
  }
}

/// Bytes of workspace of partition_arrays with these arguments. A host formula in O(1): no GPU is asked, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t>
std::size_t partition_arrays_workspace_bytes(std::span<const soa_array> arrays, Results, Count n, Vote,
                                             rejected_order order = rejected_order::behind) {
  return Policy{}.workspace_bytes(arrays, detail::bound_of(n), order);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
