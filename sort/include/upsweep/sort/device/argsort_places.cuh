// Sorting the places of keys that nobody wants in order: with the keys, or, where that is faster, by words of both.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether Method has argsort, which moves words (argsort_pass_kernel), for keys and places of these types.
template <class Method, class Key, class Place>
inline constexpr bool argsorts_by_words = false;
template <class Method, class Key, class Place>
requires requires {
  Method::template makes_words<Key, Place>;
}
inline constexpr bool argsorts_by_words<Method, Key, Place> = Method::template makes_words<Key, Place>;

/// That as a method of its own. A request's keys_out is room for n words.
template <class Method>
struct argsort_of {
  using word = std::uint64_t;

  template <class, class>
  static std::size_t workspace_bytes(std::int64_t n) {
    return Method{}.argsort_workspace_bytes(n);
  }
  template <class Executor, class Request>
  static status run(Executor& ex, workspace w, const Request& r) {
    return Method{}.argsort(ex, w, r);
  }
};

/// Workspace of argsort_places.
template <class Key, class Place, class Method>
std::size_t argsort_places_workspace(const Method& method, std::int64_t n) {
  if (n <= 0) return 0;
  const auto of = [&]<class Item>(Item, std::int64_t items, std::size_t sorting) {
    workspace_layout layout;
    layout.add<Item>(items);
    return items <= 0 ? 0 : layout.bytes() + sorting;
  };
  const auto with_keys = [&](std::int64_t items) {
    return of(Key{}, items, sort_places_workspace<Key, Place>(method, items, false));
  };
  if constexpr (argsorts_by_words<Method, Key, Place>) {
    if (n >= Method::argsort_from) {
      using by_words = argsort_of<Method>;
      const std::size_t words = of(typename by_words::word{}, n, by_words::template workspace_bytes<Key, Place>(n));
      // Fewer keys, which go with their places, must not need more.
      const std::size_t fewer = with_keys(Method::argsort_from - 1);
      return words > fewer ? words : fewer;
    }
  }
  return with_keys(n);
}

/// Sorts the places of r.keys_in to r.values_out; there is no r.keys_out.
template <class Method, class Executor, class Request>
status argsort_places(const Method& method, Executor& ex, workspace w, Request r) {
  using key = typename Request::key_type;
  using place = typename Request::value_type;
  const std::int64_t n = bound_of(r.n);
  if (n <= 0) return n == 0 ? status::success : status::invalid_value;
  if (w.data == nullptr || w.bytes < argsort_places_workspace<key, place>(method, n)) return status::invalid_value;
  workspace_layout layout;
  if constexpr (argsorts_by_words<Method, key, place>) {
    if (n >= Method::argsort_from) {
      using by_words = argsort_of<Method>;
      r.keys_out = reinterpret_cast<key*>(layout.at(w, layout.add<typename by_words::word>(n)));
      r.places = true;
      return sort_by(by_words{}, ex, layout.rest(w), r);
    }
  }
  r.keys_out = layout.at(w, layout.add<key>(n));
  return sort_places(method, ex, layout.rest(w), r);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
