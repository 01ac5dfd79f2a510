// What all scans of scan.cuh share: the type that sums are formed in, and the checks of a call.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The type in which items of In are combined by Op after an Init.
template <class In, class Op, class Init = typename std::iterator_traits<In>::value_type>
using scan_accumulator_t =
    std::decay_t<std::invoke_result_t<Op&, detail::init_value_t<Init>, typename std::iterator_traits<In>::value_type>>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A sum of Items, written as Written, is added up as Written where that is the wider type; integers of 4 or 8 bytes,
/// written as floating-point numbers that are as wide, are added up as these: rounded, where a sum of Items would
/// overflow.
template <class Item, class Written>
inline constexpr bool sums_as_written = [] {
  if constexpr (!std::is_arithmetic_v<Item> || !std::is_arithmetic_v<Written> || std::is_same_v<Written, bool>) {
    return false;
  } else if constexpr (std::is_floating_point_v<Item> && !std::is_floating_point_v<Written>) {
    return false;
  } else if constexpr (std::is_integral_v<Item> && std::is_floating_point_v<Written>) {
    return sizeof(Written) >= sizeof(Item);
  } else {
    return std::is_same_v<Item, bool> || sizeof(Written) > sizeof(Item);
  }
}();

template <class In, class Out, class Written = typename place_type<Out>::type>
struct sum_accumulator : std::conditional<sums_as_written<item_t<In>, Written>, Written, scan_accumulator_t<In, plus>> {
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The type in which the *_sum calls add items of In for outputs of Out. It is the type of the items, except in two
/// cases. If Out holds numbers of a wider type, it is that type: 8-bit items are summed as int for an int*, and bools
/// are counted. If integers are written as floating-point numbers of no fewer bits, it is the type of those. A narrower
/// output does not narrow the sum, only what is written. inclusive_scan with plus adds in the type of the items,
/// whatever Out holds.
template <class In, class Out>
using sum_accumulator_t = typename detail::sum_accumulator<In, Out>::type;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// True when both are pointers whose n items overlap other than item by item.
template <class In, class Out>
bool overlaps_askew(In in, Out out, std::int64_t n) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
    const auto items = static_cast<std::size_t>(n);
    const void *const from = address_of(in), *const to = address_of(out);
    const bool in_place = from == to && sizeof(*in) == sizeof(*out);
    return !in_place && ranges_meet(from, items * sizeof(*in), to, items * sizeof(*out));
  }
  return false;
}

/// True when both are pointers, and init lies among the items of out, but at out itself. Of iterators nothing is asked:
/// the host may not have their operators.
template <class Out, class First>
bool behind_first_item(Out out, std::int64_t n, First first) {
  if constexpr (std::is_pointer_v<Out>) return arrays_meet(out + 1, n - 1, first, 1);
  return false;
}

/// The init of an inclusive scan without one.
struct no_init {};
template <class T>
carry<T> init_argument(no_init) {
  return {T{}, false};
}

/// The init of a scan that is a sum, written to Out: 0, which an inclusive one has not to begin with.
template <scan_kind Kind, class Out>
struct sum_init : no_init {};
template <class T, scan_kind Kind, class Out>
carry<T> init_argument(sum_init<Kind, Out>) {
  return {T{}, Kind == scan_kind::exclusive};
}

/// The accumulator of a scan: an item's type where there is no init, and of sums what they are written as.
template <class In, class Op, class Init>
struct accumulator_of {
  using type = scan_accumulator_t<In, Op, Init>;
};
template <class In, class Op>
struct accumulator_of<In, Op, no_init> {
  using type = scan_accumulator_t<In, Op>;
};
template <class In, class Op, scan_kind Kind, class Out>
struct accumulator_of<In, Op, sum_init<Kind, Out>> {
  using type = sum_accumulator_t<In, Out>;
};

/// Whether arguments of these types make a scan; Init is a no_init where there is none.
template <class Stream, class In, class Out, class Count, class Op, class Init>
constexpr bool check_scan() {
  if constexpr (check_stream<Stream>() && check_input<In, Stream>() && check_output<Out, Stream>() &&
                check_count<Count>()) {
    using item = item_t<In>;
    using first = std::conditional_t<std::is_base_of_v<no_init, Init>, item, init_value_t<Init>>;
    if constexpr (check_operator<Op, first, item>()) return check_accumulator<scan_accumulator_t<In, Op, first>>();
  }
  return false;
}

/// The checks that all scans share at run time, then the strategy. Count, Init and Total: as arguments.hpp says.
template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Count, class Op, class Init,
          class Total>
error_of<Stream> scan_in(workspace w, In in, Out out, Total total, Count n, Op op, Init init, Stream stream) {
  const auto as_error = [](status s) { return static_cast<error_of<Stream>>(s); };
  const std::int64_t bound = bound_of(n);
  const auto count = place_of(n);
  const auto first = place_of(init);
  if (is_null(count) || is_null(first) || is_null(total)) return as_error(status::invalid_value);
  if (bound < 0 || (bound > 0 && (is_null(in) || is_null(out)))) return as_error(status::invalid_value);
  auto executor = executor_of(stream);
  constexpr bool with_total = !std::is_same_v<Total, no_total>;
  if (bound == 0) {
    if constexpr (with_total) return as_error(executor.launch(1, total_of_none_kernel<T>{}, init, total));
    return as_error(status::success);
  }
  // Whatever kernels the policy takes on this GPU, and for arrays that begin where these do.
  const std::size_t need = Policy::template workspace_bytes<T, In, Out>(bound);
  if (need > 0 && (w.data == nullptr || w.bytes < need)) return as_error(status::invalid_value);
  if (overlaps_askew(in, out, bound) || arrays_meet(out, bound, count, 1) || behind_first_item(out, bound, first) ||
      arrays_meet(in, bound, total, 1) || arrays_meet(out, bound, total, 1) || arrays_meet(total, 1, count, 1) ||
      arrays_meet(total, 1, first, 1)) {
    return as_error(status::invalid_value);
  }
  if constexpr (std::is_same_v<Count, std::int64_t> && std::is_same_v<Init, carry<T>> && !with_total) {
    return as_error(Policy::template run<Kind, T>(executor, w, in, out, n, op, init));
  } else {
    constexpr bool fits = requires {
      Policy::template run<Kind, T>(executor, w, in, out, n, op, init, total);
    };
    static_assert(
        fits,
        "upsweep: this policy takes n and init by value only, and has no total: use default_scan, chained_scan, "
        "decoupled_lookback, decoupled_lookback_pipelined, direct_lookback, reproducible_scan, single_block or "
        "cluster");
    if constexpr (fits) {
      return as_error(Policy::template run<Kind, T>(executor, w, in, out, n, op, init, total));
    } else {
      return {};
    }
  }
}

template <class Policy, class T, class In, class Out, class Count>
std::size_t scan_workspace_bytes(const Count& n) {
  return bound_of(n) <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(bound_of(n));
}

/// Every scan of scan.cuh.
template <class Policy, scan_kind Kind, class Stream, class In, class Out, class Total, class Count, class Op,
          class Init>
error_of<Stream> scan(const workspace_or_resource& w, In in, Out out, Total total, Count n, Op op, Init init,
                      Stream stream) {
  if constexpr (check_scan<Stream, In, Out, Count, Op, Init>()) {
    using T = typename accumulator_of<In, Op, Init>::type;
    const stream_of<Stream> on = stream;
    return w.lend(scan_workspace_bytes<Policy, T, In, Out>(n), on, [&](workspace lent) {
      return scan_in<Policy, Kind, T>(lent, in, out, total, count_argument(n), op, init_argument<T>(init), on);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
