// One top k of keys whose type is among Types, on an executor.
#pragma once

#include "keyed_arrays.hpp"
#include "upsweep/sort/top_k.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {

template <class Types, class Stream>
status top_k_by_table(Stream stream, const top_k_call& c) {
  const keyed_arrays& a = c.arrays;
  return with_keyed_arrays<Types, std::int64_t>(
      a, [&](const auto* in, auto* out, const auto* values_in, auto* values_out, const auto& digits) {
        return static_cast<status>(top_k<default_top_k_policy>(a.work, in, out, values_in, values_out, c.n, c.k, digits,
                                                               a.bits, !a.places, a.places, stream));
      });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
