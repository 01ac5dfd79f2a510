// One sort of segments of keys whose type is known at run time, on an executor.
#pragma once

#include "keyed_arrays.hpp"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/segmented_sort_with_values.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Keys and the rows of all arrays with them.
template <class Types, class Stream>
status sort_segments_with_rows_by_table(Stream stream, const segments_call& c) {
  const keyed_arrays& a = c.arrays;
  row_array rows[most_segmented_arrays];
  if (c.rows.size() > most_segmented_arrays) return status::not_supported;
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    if (c.n > 0 && (c.rows[i].bytes == 0 || c.rows[i].bytes > widest_row)) return status::invalid_value;
    rows[i] = {c.rows[i].in, c.rows[i].out, c.rows[i].bytes};
  }
  return Types::call(a.key_type, a.order, [&]<class Key, class Digits>(Key, const Digits& digits) {
    if (!aligned_to(a.keys_in, sizeof(Key)) || !aligned_to(a.keys_out, sizeof(Key))) return status::invalid_value;
    return static_cast<status>(segmented_sort_rows<default_segmented_sort_policy>(
        a.work, static_cast<const Key*>(a.keys_in), static_cast<Key*>(a.keys_out), std::span(rows, c.rows.size()),
        c.begins, c.ends, c.n, c.segments, digits, a.bits, stream));
  });
}

template <class Types, class Stream>
status sort_segments_by_table(Stream stream, const segments_call& c) {
  if (!aligned_to(c.begins, sizeof *c.begins) || !aligned_to(c.ends, sizeof *c.ends)) return status::invalid_value;
  if (c.has_rows) return sort_segments_with_rows_by_table<Types>(stream, c);
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
