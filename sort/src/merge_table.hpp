// One merge, or one search for bounds, of keys whose type is known at run time.
#pragma once

#include <cstdint>

#include "sort_table.hpp"
#include "upsweep/sort/merge.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {

template <class Types, class Executor>
status merge_by_table(Executor executor, const merge_call& c) {
  return Types::call(c.key_type, c.order, [&]<class Key, class Digits>(Key, const Digits& digits) {
    const auto *const a = static_cast<const Key*>(c.a), *const b = static_cast<const Key*>(c.b);
    if (!aligned_to(a, sizeof(Key)) || !aligned_to(b, sizeof(Key))) return status::invalid_value;
    if (c.kind == merge_kind::lower_bound || c.kind == merge_kind::upper_bound) {
      auto* const places = static_cast<std::int64_t*>(c.out);
      if (!aligned_to(places, sizeof *places)) return status::invalid_value;
      return c.kind == merge_kind::lower_bound
                 ? find_bounds<default_bounds_policy, bound_kind::lower>(executor, a, b, places, c.n_a, c.n_b, digits)
                 : find_bounds<default_bounds_policy, bound_kind::upper>(executor, a, b, places, c.n_a, c.n_b, digits);
    }
    auto* const out = static_cast<Key*>(c.out);
    if (!aligned_to(out, sizeof(Key)) || !aligned_to(c.values_a, sizeof *c.values_a) ||
        !aligned_to(c.values_b, sizeof *c.values_b) || !aligned_to(c.values_out, sizeof *c.values_out)) {
      return status::invalid_value;
    }
    const auto merge_with = [&](const auto& values) {
      return merge_arrays<default_merge_policy>(executor, c.work, a, b, out, values, c.n_a, c.n_b, digits);
    };
    if (c.kind == merge_kind::keys) return merge_with(no_merged_values{});
    using words = merged_values<std::uint32_t, const std::uint32_t*, const std::uint32_t*, std::uint32_t*>;
    return merge_with(words{c.values_a, c.values_b, c.values_out});
  });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
