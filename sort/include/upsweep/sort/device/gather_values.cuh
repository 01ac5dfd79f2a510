// Sorting by the places of the keys: places are sorted with the keys, and what belongs to the keys is fetched by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// Sorts the places of the keys to r.values_out: where r.keys_out is null, the sorted keys go to the workspace, in
/// front of what the method needs, behind a place for n places.
template <class Method, class Executor, class Request>
status sort_places(const Method& method, Executor& ex, workspace w, Request r) {
  using key = typename Request::key_type;
  using place = typename Request::value_type;
  const std::int64_t n = bound_of(r.n);
  if (n < 0) return status::invalid_value;
  workspace_layout layout;
  const auto sorted = layout.add<key>(static_cast<std::size_t>(n));
  const auto numbers = layout.add<place>(static_cast<std::size_t>(n));
  if (n > 0 && r.keys_out == nullptr) r.keys_out = layout.at(w, sorted);
  if constexpr (requires { Method::template makes_places<key>(n); }) {
    if (Method::template makes_places<key>(n)) {
      r.places = true;
      return sort_by(method, ex, layout.rest(w), r);
    }
  }
  if (n > 0 && r.keys_in != nullptr && r.values_out != nullptr) {
    place* const in = layout.at(w, numbers);
    const status s = copy_or_number(ex, static_cast<const place*>(nullptr), in, r.n);
    if (s != status::success) return s;
    r.values_in = in;
  }
  return sort_by(method, ex, layout.rest(w), r);
}

}  // namespace upsweep
