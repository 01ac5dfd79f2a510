// One selection on an executor, by the method that is asked for, its scan from the table.
#pragma once

#include "backends.hpp"
#include "sized_element.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/variant_spine.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// The numbers that select_between compares.
using number_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;

template <class Executor>
status select_by_variant(Executor executor, stream s, const select_call& c) {
  const variant_spine spine{s, c.method.scan};
  const auto stable = [&](auto vote) {
    const auto by = [&](auto method) { return method.run(executor, c.work, c.arrays, c.n, vote, c.num_selected); };
    if (c.method.method != compact_method::fused) return by(vote_scan_compact(spine));
    return by(default_compact_policy{});
  };
  const auto select = [&](auto vote) {
    return c.method.method == compact_method::hole_filling
               ? hole_filling(spine).run(executor, c.work, c.arrays, c.n, vote, c.num_selected)
               : stable(vote);
  };
  const bool is_fused = c.method.method == compact_method::fused;
  if (c.flags) {
    const vote_flagged<std::uint8_t> vote{c.flags};
    if (is_fused && c.arrays.size() == 1) {
      const soa_array& a = c.arrays[0];
      status s = status::success;
      const bool done = with_sized_element(a.element_bytes, [&](auto element) {
        using T = decltype(element);
        if (!aligned_to(a.in, alignof(T)) || !aligned_to(a.out, alignof(T)) || a.rejected != nullptr) {
          s = select(vote);
        } else {
          s = default_compact_policy{}.run_array(executor, c.work, static_cast<const T*>(a.in), static_cast<T*>(a.out),
                                                 c.n, vote, c.num_selected);
        }
      });
      if (done) return s;
    }
    return select(vote);
  }
  if (c.rules) return select(*c.rules);
  if (!is_stable(c.method.method)) return status::not_supported;
  return number_types::call(c.range->type, [&](auto number) {
    using T = decltype(number);
    const soa_array& array = c.arrays[0];
    if (!aligned_to(array.in, sizeof(T)) || !aligned_to(array.out, sizeof(T))) return status::invalid_value;
    const between<T> keep{*static_cast<const T*>(c.range->low), *static_cast<const T*>(c.range->high)};
    const auto* const in = static_cast<const T*>(array.in);
    const vote_if<T, between<T>> vote{in, keep};
    return is_fused ? default_compact_policy{}.run_array(executor, c.work, in, static_cast<T*>(array.out), c.n, vote,
                                                         c.num_selected)
                    : vote_scan_compact(spine).run(executor, c.work, c.arrays, c.n, vote, c.num_selected);
  });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
