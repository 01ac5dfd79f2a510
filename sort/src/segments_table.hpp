// One sort of segments of keys whose type is known at run time, on an executor.
#pragma once

#include "keyed_arrays.hpp"
#include "upsweep/sort/segmented_sort.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {

template <class Types, class Stream>
status sort_segments_by_table(Stream stream, const segments_call& c) {
  if (!aligned_to(c.begins, sizeof *c.begins) || !aligned_to(c.ends, sizeof *c.ends)) return status::invalid_value;
  const keyed_arrays& a = c.arrays;
  return with_keyed_arrays<Types, std::uint32_t>(
      a, [&]<class Key, class Value>(const Key* in, Key* out, const Value* values_in, Value* values_out,
                                     const auto& digits) {
        if (a.places) {
          if constexpr (std::is_same_v<Value, std::uint32_t>) {
            return static_cast<status>(
                segmented_argsort(a.work, in, values_out, c.begins, c.ends, c.n, c.segments, digits, a.bits, stream));
          }
        }
        return static_cast<status>(segmented_sort<default_segmented_sort_policy>(
            a.work, in, out, values_in, values_out, c.begins, c.ends, c.n, c.segments, digits, a.bits, false, stream));
      });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
