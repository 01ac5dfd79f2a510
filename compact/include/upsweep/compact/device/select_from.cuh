// What the public calls of select.cuh, partition.cuh and unique.cuh share: which arguments are wrong, and the one way
// from them to a policy's method.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/default_policy.hpp"
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
                "upsweep: this is a vote by index, for select or partition; *_if take a predicate of "
                "items");
  constexpr bool fits = can_call<Keep, Item&> || can_call<Keep, Item>;
  static_assert(fits || !of_items,
                "upsweep: the predicate is called with one item; it comes after n and before the stream");
  return of_items && fits;
}
template <class Results>
constexpr bool check_results() {
  constexpr bool fits = std::is_convertible_v<Results, select_results>;
  static_assert(fits, "upsweep: after the outputs comes a pointer to the count in device memory, or a select_results");
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

/// Every selection and partition of one array or iterator; a selection has a null `rejected`, and the Order
/// no_rejected.
template <class Policy, class Stream, class In, class Out, class Rejected, class Count, class Vote, class Order>
error_of<Stream> select_from(const workspace_or_resource& w, In in, Out out, Rejected rejected,
                             const select_results& results, Count n, const Vote& vote, Order order, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto count = count_argument(n);
  const auto select = [&](workspace lent) {
    if constexpr (moves_all_bytes<In, Out, Rejected>) {
      using T = std::remove_pointer_t<Out>;
      const T* const from = in;
      T* const others = rejected;
      if constexpr (requires { Policy{}.array_workspace_bytes(in, out, std::int64_t{}, others, order); }) {
        return Policy{}.run_array(executor, lent, from, out, count, vote, results, others, order);
      } else {
        const soa_array array{in, out, sizeof(T), others};
        return Policy{}.run(executor, lent, {&array, 1}, count, vote, results, order);
      }
    } else {
      static_assert(
          requires(moved_items<In, Out> m) { Policy{}.run_items(executor, lent, m, count, vote, results); },
          "upsweep: this policy moves arrays of one trivially copyable type; iterators go by the default policy");
      const auto run = [&](const auto& moved) {
        return Policy{}.run_items(executor, lent, moved, count, vote, results);
      };
      if constexpr (!std::is_null_pointer_v<Rejected>) {
        return run(moved_items<In, Out, Rejected>{in, out, rejected, false});
      } else {
        if constexpr (!std::is_same_v<Order, no_rejected>) {
          if (order == rejected_order::after) return status::not_supported;
          if (order == rejected_order::backwards && results.is_limited()) return status::invalid_value;
          if (order == rejected_order::backwards) return run(moved_items<In, Out, Out>{in, out, out, true});
        }
        return run(moved_items<In, Out>{in, out, {}, false});
      }
    }
  };
  const std::size_t bytes = selection_bytes<Policy>(in, out, rejected, bound_of(n), order);
  return w.lend(bytes, on, [&](workspace lent) { return static_cast<error_of<Stream>>(select(lent)); });
}

/// Every selection and partition of arrays.
template <class Policy, class Stream, class Count, class Vote>
error_of<Stream> select_from(const workspace_or_resource& w, std::span<const soa_array> arrays,
                             const select_results& results, Count n, const Vote& vote, rejected_order order,
                             Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  return w.lend(Policy{}.workspace_bytes(arrays, bound_of(n), order), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(Policy{}.run(executor, lent, arrays, count_argument(n), vote, results, order));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
