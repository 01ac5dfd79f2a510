// Keys that come from an iterator: numbers that are made up or changed while they are read.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/default_sort.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// `Method` for keys from an iterator. A method of one launch reads them itself, and so does default_sort while it
/// takes such a one; for any other they are written to the workspace first, n keys more: a trip of them more. Keys in
/// an array are left to Method.
template <class Method = default_sort>
struct keys_from_iterator {
  static constexpr int radix_bits = radix_bits_of<Method>;
  Method method{};

  template <class Key, class Value>
  std::size_t workspace_bytes(std::int64_t n, bool has_spare = false) const {
    const std::size_t of_method = sort_workspace_of<Key, Value>(method, n, has_spare);
    // A method without workspace reads its keys once.
    if (reads_iterators<Method> || of_method == 0) return of_method;
    return copy_plan<Key>(n).layout.bytes() + of_method;
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  status run(Executor& ex, workspace w, const Request& r) const {
    using key = typename Request::key_type;
    if constexpr (reads_iterators<Method> || std::is_pointer_v<decltype(r.keys_in)>) {
      return method.run(ex, w, r);
    } else {
      status s = status::success;
      if constexpr (requires { Method::sorts_few(ex, w, r, s); }) {
        if (Method::sorts_few(ex, w, r, s)) return s;
      }
      const copy_plan<key> p(bound_of(r.n));
      key* const keys = p.layout.at(w, p.keys);
      s = copy_or_number(ex, r.keys_in, keys, r.n);
      if (s != status::success) return s;
      sort_request<key, typename Request::value_type, decltype(r.digits), decltype(r.n)> of_copy{
          r.digits, r.bits, r.n, keys, r.keys_out, r.values_in, r.values_out};
      of_copy.keys_spare = r.keys_spare;
      of_copy.values_spare = r.values_spare;
      return method.run(ex, p.layout.rest(w), of_copy);
    }
  }

 private:
  template <class Key>
  struct copy_plan {
    workspace_layout layout;
    workspace_layout::slot<Key> keys;
    explicit copy_plan(std::int64_t n) : keys(layout.add<Key>(n)) {}
  };
};

template <class Method>
inline constexpr bool reads_iterators<keys_from_iterator<Method>> = true;
template <class Method>
inline constexpr bool makes_places<keys_from_iterator<Method>> = makes_places<Method>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
