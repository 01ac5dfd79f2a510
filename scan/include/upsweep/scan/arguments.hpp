// What a scan takes beside its items: n and init by value or in device memory, and a place for the total.
//
// A kernel has parameters Count, Init and Total for them, and asks items_of, carry_of and put_total. Where n and init
// are values and no total is wanted, nothing of that is left in the compiled kernel.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// n in device memory, read when the call's kernels run: the smaller of *count and bound, 0 where *count is negative.
/// The call launches, and needs workspace, as for `bound` items.
template <class Int>
struct device_count {
  static_assert(std::is_integral_v<Int> && sizeof(Int) <= 8);
  const Int* count;    ///< in device memory
  std::int64_t bound;  ///< items that there may be at most; the host knows it
};
/// device_count{pointer, bound}, without naming the integer type.
template <class Int>
device_count(Int*, std::int64_t) -> device_count<std::remove_const_t<Int>>;

/// init in device memory, a V at `*value`, read when the call's kernels run.
template <class V, class It = const V*>
struct device_value {
  It value;  ///< in device memory
};
/// device_value{pointer}, without naming the type of the value.
template <class V>
device_value(V*) -> device_value<std::remove_const_t<V>>;

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Takes the place of the pointer to a total for a scan without one.
struct no_total {};

// For the host.

/// The most items that there can be.
inline std::int64_t bound_of(std::int64_t n) {
  return n;
}
template <class Int>
std::int64_t bound_of(const device_count<Int>& n) {
  return n.bound;
}

/// The Count of a kernel.
inline std::int64_t count_argument(std::int64_t n) {
  return n;
}
template <class Int>
device_count<Int> count_argument(const device_count<Int>& n) {
  return n;
}

/// The Init of a kernel.
template <class T, class V>
carry<T> init_argument(const V& init) {
  return {static_cast<T>(init), true};
}
template <class T, class V, class It>
device_value<V, It> init_argument(const device_value<V, It>& init) {
  return init;
}

/// The type of an init, wherever it lies.
template <class Init>
struct init_value {
  using type = Init;
};
template <class V, class It>
struct init_value<device_value<V, It>> {
  using type = V;
};
template <class Init>
using init_value_t = typename init_value<Init>::type;

/// Where an argument lies in device memory; the argument itself when it does not.
template <class Argument>
Argument place_of(const Argument& a) {
  return a;
}
template <class Int>
const Int* place_of(const device_count<Int>& n) {
  return n.count;
}
template <class V, class It>
It place_of(const device_value<V, It>& init) {
  return init.value;
}

// For kernels.

/// The items that there are. A Count that is a value is never 0 in a kernel.
template <class Count>
inline constexpr bool may_be_empty = !std::is_integral_v<Count>;

UPSWEEP_DEVICE std::int64_t items_of(std::int64_t n) {
  return n;
}
template <class Int>
UPSWEEP_DEVICE std::int64_t items_of(const device_count<Int>& n) {
  const Int count = *n.count;
  if constexpr (std::is_signed_v<Int>) {
    if (count < 0) return 0;
  }
  return static_cast<std::uint64_t>(count) < static_cast<std::uint64_t>(n.bound) ? static_cast<std::int64_t>(count)
                                                                                 : n.bound;
}

/// What comes before the first item. Memory is read only where `is_first` says that it is what is asked for: init may
/// lie where the first tile writes.
template <class T>
UPSWEEP_DEVICE carry<T> carry_of(const carry<T>& init, bool) {
  return init;
}
template <class T, class V, class It>
UPSWEEP_DEVICE carry<T> carry_of(const device_value<V, It>& init, bool is_first) {
  return {is_first ? static_cast<T>(static_cast<V>(*init.value)) : T{}, true};
}

/// One thread of the grid calls, with the sum of all items after init.
template <class Total, class T>
UPSWEEP_DEVICE void put_total(Total total, const T& sum) {
  if constexpr (!std::is_same_v<Total, no_total>) *total = sum;
}
/// All threads of the block with the last items call: `before` comes before these, `aggregate` is their sum.
template <class Ctx, class Total, class T, class Op>
UPSWEEP_DEVICE void put_total(Ctx& block, Total total, const carry<T>& before, const T& aggregate, Op op) {
  if constexpr (!std::is_same_v<Total, no_total>) {
    if (block.thread_rank() == 0) put_total(total, before.then(aggregate, op));
  }
}
/// All threads of the grid call, where there are no items: the total is init, if there is one.
template <class T, class Ctx, class Init, class Total>
UPSWEEP_DEVICE void put_total_of_none(Ctx& block, const Init& init, Total total) {
  const bool is_one = block.block_index() == 0 && block.thread_rank() == 0;
  const carry<T> of_none = carry_of<T>(init, is_one);
  if (is_one && of_none.present) put_total(total, of_none.value);
}

/// The same in a separate launch of one block.
template <class T>
struct total_of_none_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Init init, Total total) const {
    put_total_of_none<T>(block, init, total);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
