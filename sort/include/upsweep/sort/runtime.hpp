// Radix sort at run time, in plain C++: key type, order, method and scan variant are values.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/packed_rows.hpp"

namespace upsweep::runtime {

/// How to sort. `scan` is the spine of upsweep_downsweep, and is not looked at by other methods. Who names a scan and
/// no method asks for upsweep_downsweep.
struct sort_policy {
  scan_variant scan;
  sort_method method = sort_method::default_sort;
};

/// The method that a policy asks for.
constexpr sort_method method_of(const sort_policy& p) {
  const bool names_scan = p.scan.strategy != scan_strategy::default_scan;
  return p.method == sort_method::default_sort && names_scan ? sort_method::upsweep_downsweep : p.method;
}

/// The key types that can be sorted: all, integers of 8 to 64 and floats of 16 to 64 bits.
std::span<const scalar_type> sort_key_types();

/// Bytes of workspace for sorting n keys (with a 32-bit value each when `pairs`). A host formula: needs no device,
/// never shrinks as n grows.
std::size_t sort_workspace_bytes(const sort_policy& p, scalar_type key_type, bool pairs, std::int64_t n);

/// The same for argsort, and for sort_with_values.
std::size_t argsort_workspace_bytes(const sort_policy& p, scalar_type key_type, std::int64_t n);
std::size_t sort_with_values_workspace_bytes(const sort_policy& p, scalar_type key_type, std::int64_t n);

/// The most keys that a sort takes. For upsweep_downsweep those of the scan, see max_items_of: each tile of keys has
/// 256 counts to scan. single_block takes 2^12, cluster 2^16.
std::int64_t sort_max_keys(const sort_policy& p);

/// Sorts n keys from `in` into `out`, stably; `in` is left as it was. Floats: -0.0 and +0.0 are equal and keep their
/// bits; NaNs are ordered by their bits, beyond the infinities of their sign. Descending keeps equal keys in input
/// order too. An empty bit range copies. O(n) per 8 bits of the range. n < 0, a null or misaligned array with n > 0, an
/// overlap of in and out, a bad bit range, or a workspace too small: invalid_value, nothing touched. A key type or scan
/// variant that was not compiled, `serial` on a GPU, `cluster` on one without clusters, or more keys than the method
/// takes: not_supported.
status sort_keys(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w, const void* in,
                 void* out, std::int64_t n, bit_range bits = {});

/// The same with a 32-bit value that travels with each key.
status sort_pairs(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w,
                  const void* keys_in, void* keys_out, const std::uint32_t* values_in, std::uint32_t* values_out,
                  std::int64_t n, bit_range bits = {});

/// places[i] = where the key that would stand at place i of the sorted keys stands in the input. As sort_keys; 2^32
/// keys or more: not_supported.
status argsort(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w, const void* keys,
               std::uint32_t* places, std::int64_t n, bit_range bits = {});

/// An array of values: n rows of `bytes` bytes, 1 to 65536, at `in`, which go to `out`.
struct value_rows {
  const void* in;
  void* out;
  std::size_t bytes;
};

/// sort_keys with any number of arrays of values of any size: places are sorted with the keys, then each array is
/// fetched by them; faster with packed_rows_workspace_bytes more of workspace. For one array of 32-bit values
/// sort_pairs moves less. As argsort; and a null array, or an output that overlaps another one: invalid_value, nothing
/// touched.
status sort_with_values(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w,
                        const void* keys_in, void* keys_out, std::span<const value_rows> values, std::int64_t n,
                        bit_range bits = {});

}  // namespace upsweep::runtime
