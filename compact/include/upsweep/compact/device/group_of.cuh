// The functor that gives an item its group, as kernels call it: with an index.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/votes.hpp"
#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class F>
struct group_of_index {
  F f;
  UPSWEEP_HOST_DEVICE auto operator()(std::int64_t i) const { return callable<std::int64_t>(f)(i); }
  auto reads(std::int64_t n) const { return read_by(f, n); }
};
/// The functor gets a copy of the item, which it may change.
template <class In, class F>
struct group_of_item {
  In in;
  F f;
  UPSWEEP_HOST_DEVICE auto operator()(std::int64_t i) const {
    item_t<In> item = in[i];
    return callable<item_t<In>&>(f)(item);
  }
  auto reads(std::int64_t n) const { return std::array{use_of(in, n, false)}; }
};

template <class F>
inline constexpr bool is_by_index = false;
template <class F>
inline constexpr bool is_by_index<by_index<F>> = true;

template <class GroupOf, class In>
constexpr bool check_group_of_item() {
  using item = item_t<In>;
  constexpr bool fits = !is_by_index<GroupOf> && (can_call<GroupOf, item&> || can_call<GroupOf, item>);
  static_assert(fits, "upsweep: this call takes the group of an item; by_index{f} goes to the call *_index");
  return fits;
}
template <class GroupOf>
constexpr bool check_group_of_index() {
  constexpr bool fits = is_by_index<GroupOf>;
  static_assert(fits, "upsweep: this call takes by_index{f}, f(i) the group of item i");
  return fits;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
