// Radix sort at run time, in plain C++: key type, order, method and scan variant are values.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/from_host_options.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/host_scratch.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/packed_rows.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// How to sort. `scan` is the spine of upsweep_downsweep, and other methods ignore it. A scan without a method selects
/// upsweep_downsweep.
struct sort_method_with_scan {
  scan_variant scan;                               ///< the spine of upsweep_downsweep
  sort_method method = sort_method::default_sort;  ///< which kernels
};

/// The method in use.
constexpr sort_method method_of(const sort_method_with_scan& p) {
  const bool names_scan = p.scan.strategy != scan_strategy::default_scan;
  return p.method == sort_method::default_sort && names_scan ? sort_method::upsweep_downsweep : p.method;
}

/// The key types that can be sorted: all, integers of 8 to 64 and floats of 16 to 64 bits.
UPSWEEP_EXPORT std::span<const scalar_type> sort_key_types();

// Host formulas: they need no device, and never shrink as n, segments or k grow.

/// Bytes of workspace of sort_keys for n keys of this type.
UPSWEEP_EXPORT std::size_t sort_keys_workspace_bytes(std::int64_t n, scalar_type key_type,
                                                     const sort_method_with_scan& method);
/// Bytes of workspace of sort_pairs for n keys of this type with a value of 32 bits each.
UPSWEEP_EXPORT std::size_t sort_pairs_workspace_bytes(std::int64_t n, scalar_type key_type,
                                                      const sort_method_with_scan& method);
/// Bytes of workspace of argsort for n keys of this type.
UPSWEEP_EXPORT std::size_t argsort_workspace_bytes(std::int64_t n, scalar_type key_type,
                                                   const sort_method_with_scan& method);
/// Bytes of workspace of sort_with_values for n keys of this type, whatever the values.
UPSWEEP_EXPORT std::size_t sort_with_values_workspace_bytes(std::int64_t n, scalar_type key_type,
                                                            const sort_method_with_scan& method);

/// The most keys that a sort takes. For upsweep_downsweep those of the scan, see max_items_of: each tile of keys has
/// 256 counts to scan. single_block takes 2^12, cluster 2^16.
UPSWEEP_EXPORT std::int64_t sort_max_keys(const sort_method_with_scan& method);

/// Sorts n keys, stably; the input is left as it was.
///   w         sort_keys_workspace_bytes with these arguments, the caller's, at any address
///   in        n keys of the device's memory, aligned to their element
///   out       n keys; no overlap with in
///   n         how many keys
///   key_type  their type, one of sort_key_types(). Floats: -0.0 and +0.0 are equal and keep their bits; NaNs are
///             ordered by their bits, beyond the infinities of their sign
///   order     ascending or descending, which keeps equal keys in input order too
///   bits      the bits [begin, end) that are compared; {} for all; an empty range copies
///   method    how, with its scan; {} for the default
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, the
/// bits are not the key's, or the workspace is too small; not_supported for a key type or scan variant that was not
/// compiled, `serial` on a GPU, `cluster` on one without clusters, and more keys than the method takes. Cost: as
/// sort_keys (radix_sort.cuh), by the same kernels.
UPSWEEP_EXPORT status sort_keys(workspace w, const void* in, void* out, std::int64_t n, scalar_type key_type,
                                sort_order order, bit_range bits, const sort_method_with_scan& method, stream stream);

/// Sorts n keys, stably, and moves a 32-bit value with each; the input is left as it was.
///   w           sort_pairs_workspace_bytes with these arguments, the caller's, at any address
///   keys_in     n keys of the device's memory, aligned to their element
///   keys_out    n keys; no overlap with another array
///   values_in   n values, one for each key
///   values_out  n values, in the order of keys_out; no overlap with another array
///   n           how many keys
///   key_type    their type, one of sort_key_types(), ordered as by sort_keys
///   order       ascending or descending, which keeps equal keys in input order too
///   bits        the bits [begin, end) that are compared; {} for all; an empty range copies
///   method      how, with its scan; {} for the default
///   stream      where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, the
/// bits are not the key's, or the workspace is too small; not_supported for a key type or scan variant that was not
/// compiled, `serial` on a GPU, `cluster` on one without clusters, and more keys than the method takes. Cost: as
/// sort_pairs (radix_sort.cuh), by the same kernels.
UPSWEEP_EXPORT status sort_pairs(workspace w, const void* keys_in, void* keys_out, const std::uint32_t* values_in,
                                 std::uint32_t* values_out, std::int64_t n, scalar_type key_type, sort_order order,
                                 bit_range bits, const sort_method_with_scan& method, stream stream);

/// places[i] = the index in the input of the key that a stable sort would put at index i.
///   w         argsort_workspace_bytes with these arguments, the caller's, at any address
///   keys      n keys of the device's memory, aligned to their element; left as they were
///   places    n indices; no overlap with keys
///   n         how many keys, below 2^32
///   key_type  their type, one of sort_key_types(), ordered as by sort_keys
///   order     ascending or descending, which keeps equal keys in input order too
///   bits      the bits [begin, end) that are compared; {} for all; an empty range copies
///   method    how, with its scan; {} for the default
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, the
/// bits are not the key's, or the workspace is too small; not_supported for a key type or scan variant that was not
/// compiled, `serial` on a GPU, `cluster` on one without clusters, and more keys than the method takes, or 2^32 and
/// more. Cost: as
/// argsort (radix_sort.cuh), by the same kernels.
UPSWEEP_EXPORT status argsort(workspace w, const void* keys, std::uint32_t* places, std::int64_t n,
                              scalar_type key_type, sort_order order, bit_range bits,
                              const sort_method_with_scan& method, stream stream);

/// An array of values: n rows of `bytes` bytes, 1 to 65536, at `in`, which go to `out`.
struct value_rows {
  const void* in;     ///< n rows
  void* out;          ///< where they go, in the order of the keys
  std::size_t bytes;  ///< of a row
};

/// Sorts n keys, stably, and any number of arrays of values of any size with them. Places are sorted with the keys,
/// then the rows of each array are fetched by them. For one array of 32-bit values sort_pairs moves less.
///   w          sort_with_values_workspace_bytes with these arguments, the caller's, at any address; faster with
///              packed_rows_workspace_bytes more
///   keys_in    n keys of the device's memory, aligned to their element; left as they were
///   keys_out   n keys; no overlap with another array
///   values     arrays of n rows of 1 to 65536 bytes of the device's memory, which go with the keys
///   n          how many keys, below 2^32
///   key_type   their type, one of sort_key_types(), ordered as by sort_keys
///   order      ascending or descending, which keeps equal keys in input order too
///   bits       the bits [begin, end) that are compared; {} for all; an empty range copies
///   method     how, with its scan; {} for the default
///   stream     where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, the
/// bits are not the key's, or the workspace is too small; not_supported for a key type or scan variant that was not
/// compiled, `serial` on a GPU, `cluster` on one without clusters, and more keys than the method takes, or 2^32 and
/// more. Cost: as
/// sort_with_values (sort_by_places.cuh), by the same kernels.
UPSWEEP_EXPORT status sort_with_values(workspace w, const void* keys_in, void* keys_out,
                                       std::span<const value_rows> values, std::int64_t n, scalar_type key_type,
                                       sort_order order, bit_range bits, const sort_method_with_scan& method,
                                       stream stream);

/// Bytes of device memory with which sort_from_host makes one trip. A host formula; `value_bytes` are those of a row of
/// each array of values.
UPSWEEP_EXPORT std::size_t sort_from_host_workspace_bytes(std::int64_t n, scalar_type key_type,
                                                          std::span<const std::size_t> value_bytes);
/// The least bytes of device memory with which sort_from_host works. A host formula.
UPSWEEP_EXPORT std::size_t sort_from_host_least_bytes(std::int64_t n, scalar_type key_type,
                                                      std::span<const std::size_t> value_bytes);
/// Bytes of host memory that sort_from_host needs as scratch for two trips. A host formula.
UPSWEEP_EXPORT std::size_t sort_from_host_scratch_bytes(std::int64_t n, scalar_type key_type,
                                                        std::span<const std::size_t> value_bytes);

/// Sorts n keys in host memory, stably, with any number of arrays of values, and returns when all has been done.
///   device    the device memory that may be used, the caller's, at any address: sort_from_host_workspace_bytes for one
///             trip, at least sort_from_host_least_bytes
///   scratch   host memory for runs: sort_from_host_scratch_bytes; {} for one trip; input_as_scratch loses the input
///   keys_in   n keys of host memory, at any address; left as they were, unless they are the scratch
///   keys_out  n keys of host memory; no overlap with another array
///   values    arrays of n rows of 1 to 65536 bytes in host memory, which go with the keys; {} for none
///   n         how many keys; may be 2^32 and more
///   key_type  their type, one of sort_key_types(), ordered as by sort_keys
///   order     ascending or descending, which keeps equal keys in input order too
///   bits      the bits [begin, end) that are compared; {} for all; an empty range copies
///   options   how memory that is not pinned is copied, and a callback for progress
///   stream    the call waits for it, and works on its device
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null with n > 0, arrays overlap, the bits are not
/// the key's, a row size is out of range, or the scratch is too small; memory_allocation, and nothing touched, if the
/// device memory is too small; otherwise the first error of an allocation, copy or launch: the contents of the outputs
/// and the scratch are then unspecified. Cost: as sort_keys_from_host (sort_from_host.cuh), by the same kernels.
UPSWEEP_EXPORT status sort_from_host(workspace device, host_scratch scratch, const void* keys_in, void* keys_out,
                                     std::span<const value_rows> values, std::int64_t n, scalar_type key_type,
                                     sort_order order, bit_range bits, const from_host_options& options, stream stream);

/// Bytes of workspace of segmented_sort_keys, with value_bytes = 0, and of segmented_sort_pairs.
UPSWEEP_EXPORT std::size_t segmented_sort_workspace_bytes(std::int64_t n, std::int64_t segments, scalar_type key_type,
                                                          std::size_t value_bytes);
/// Bytes of workspace of segmented_argsort.
UPSWEEP_EXPORT std::size_t segmented_argsort_workspace_bytes(std::int64_t n, std::int64_t segments,
                                                             scalar_type key_type);
/// Bytes of workspace of segmented_sort_with_values, whatever the values.
UPSWEEP_EXPORT std::size_t segmented_sort_with_values_workspace_bytes(std::int64_t n, std::int64_t segments,
                                                                      scalar_type key_type);
/// Bytes of workspace of top_k_keys, with value_bytes = 0, of top_k_pairs, and of top_k_indices, with value_bytes = 8.
UPSWEEP_EXPORT std::size_t top_k_workspace_bytes(std::int64_t n, std::int64_t k, scalar_type key_type,
                                                 std::size_t value_bytes);

/// Sorts the keys of each segment, stably; the input is left as it was.
///   w         segmented_sort_workspace_bytes of these arguments, the caller's, at any address
///   in        n keys of the device's memory, aligned to their element
///   out       n keys; no overlap with another array
///   begins    where each segment begins, aligned to 8 bytes
///   ends      where each segment ends, aligned to 8 bytes; of offsets, begins + 1
///   n         how many keys, at most 2^34
///   segments  how many segments
///   key_type  u32, i32, u64, i64, f32 or f64. Floats: as for sort_keys
///   order     ascending or descending, which keeps equal keys in input order too
///   bits      the bits [begin, end) that are compared; {} for all; an empty range copies
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or segments < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, or the workspace is too small; not_supported for another key
/// type and more than 2^34 keys. Cost: as segmented_sort_keys (segmented_sort.cuh), by the same kernels.
UPSWEEP_EXPORT status segmented_sort_keys(workspace w, const void* in, void* out, const std::int64_t* begins,
                                          const std::int64_t* ends, std::int64_t n, std::int64_t segments,
                                          scalar_type key_type, sort_order order, bit_range bits, stream stream);

/// Sorts the keys of each segment, stably, and moves a value with each; the input is left as it was.
///   w            segmented_sort_workspace_bytes of these arguments, the caller's, at any address
///   keys_in      n keys of the device's memory, aligned to their element
///   keys_out     n keys; no overlap with another array
///   values_in    n values, one for each key, aligned to their size
///   values_out   n values, in the order of keys_out; no overlap with another array
///   value_bytes  bytes of a value: 4 or 8
///   begins       where each segment begins, aligned to 8 bytes
///   ends         where each segment ends, aligned to 8 bytes; of offsets, begins + 1
///   n            how many keys, at most 2^34
///   segments     how many segments
///   key_type     u32, i32, u64, i64, f32 or f64, ordered as by sort_keys
///   order        ascending or descending, which keeps equal keys in input order too
///   bits         the bits [begin, end) that are compared; {} for all; an empty range copies
///   stream       where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or segments < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, or the workspace is too small; not_supported for another key
/// type, other values and more than 2^34 keys. Cost: as segmented_sort_pairs (segmented_sort.cuh), by the same kernels.
UPSWEEP_EXPORT status segmented_sort_pairs(workspace w, const void* keys_in, void* keys_out, const void* values_in,
                                           void* values_out, std::size_t value_bytes, const std::int64_t* begins,
                                           const std::int64_t* ends, std::int64_t n, std::int64_t segments,
                                           scalar_type key_type, sort_order order, bit_range bits, stream stream);

/// places[begins[s] + i] = the index in segment s, from its begin on, of the key that a stable sort would put at index
/// i of the segment.
///   w         segmented_argsort_workspace_bytes of these arguments, the caller's, at any address
///   keys      n keys of the device's memory, aligned to their element; left as they were
///   places    n indices; no overlap with another array
///   begins    where each segment begins, aligned to 8 bytes
///   ends      where each segment ends, aligned to 8 bytes; of offsets, begins + 1
///   n         how many keys, at most 2^34
///   segments  how many segments
///   key_type  u32, i32, u64, i64, f32 or f64, ordered as by sort_keys
///   order     ascending or descending, which keeps equal keys in input order too
///   bits      the bits [begin, end) that are compared; {} for all; an empty range copies
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or segments < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, or the workspace is too small; not_supported for another key
/// type and more than 2^34 keys. Cost: as segmented_argsort (segmented_sort.cuh), by the same kernels.
UPSWEEP_EXPORT status segmented_argsort(workspace w, const void* keys, std::uint32_t* places,
                                        const std::int64_t* begins, const std::int64_t* ends, std::int64_t n,
                                        std::int64_t segments, scalar_type key_type, sort_order order, bit_range bits,
                                        stream stream);

/// Sorts the keys of each segment, stably, and up to 8 arrays of values of any size with them. Places are sorted with
/// the keys, then the rows of each array are fetched by them. Rows that are in no segment are not written.
///   w         segmented_sort_with_values_workspace_bytes of these arguments, the caller's, at any address
///   keys_in   n keys of the device's memory, aligned to their element; left as they were
///   keys_out  n keys; no overlap with another array
///   values    up to 8 arrays of n rows of 1 to 65536 bytes of the device's memory, which go with the keys
///   begins    where each segment begins, aligned to 8 bytes
///   ends      where each segment ends, aligned to 8 bytes; of offsets, begins + 1
///   n         how many keys, at most 2^34
///   segments  how many segments
///   key_type  u32, i32, u64, i64, f32 or f64, ordered as by sort_keys
///   order     ascending or descending, which keeps equal keys in input order too
///   bits      the bits [begin, end) that are compared; {} for all; an empty range copies
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or segments < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, a row size is out of range, or the workspace is too small;
/// not_supported for another key type, more than 8 arrays, and more than 2^34 keys. Cost: as segmented_sort_with_values
/// (segmented_sort_with_values.cuh), by the same kernels.
UPSWEEP_EXPORT status segmented_sort_with_values(workspace w, const void* keys_in, void* keys_out,
                                                 std::span<const value_rows> values, const std::int64_t* begins,
                                                 const std::int64_t* ends, std::int64_t n, std::int64_t segments,
                                                 scalar_type key_type, sort_order order, bit_range bits, stream stream);

/// The first k keys in their order, sorted, as a stable sort of all would put them first.
///   w         top_k_workspace_bytes of these arguments, the caller's, at any address
///   in        n keys of the device's memory, aligned to their element; left as they were
///   out       the smaller of n and k keys; no overlap with in
///   n         how many keys, at most 2^40
///   k         how many to return
///   key_type  u32, i32, u64, i64, f32 or f64. Floats: as for sort_keys
///   order     descending for the largest, ascending for the smallest
///   bits      the bits [begin, end) that are compared; {} for all; by none of them, the first k keys are copied
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or k < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, or the workspace is too small; not_supported for another key
/// type and more than 2^40 keys. Cost: as top_k_keys (top_k.cuh), by the same kernels.
UPSWEEP_EXPORT status top_k_keys(workspace w, const void* in, void* out, std::int64_t n, std::int64_t k,
                                 scalar_type key_type, sort_order order, bit_range bits, stream stream);

/// The first k keys in their order, sorted, as a stable sort of all would put them first, and the value of each.
///   w            top_k_workspace_bytes of these arguments, the caller's, at any address
///   keys_in      n keys of the device's memory, aligned to their element; left as they were
///   keys_out     the smaller of n and k keys; no overlap with another array
///   values_in    n values, one for each key, aligned to their size
///   values_out   as many values as keys_out has keys; no overlap with another array
///   value_bytes  bytes of a value: 4 or 8
///   n            how many keys, at most 2^40
///   k            how many to return
///   key_type     u32, i32, u64, i64, f32 or f64, ordered as by sort_keys
///   order        descending for the largest, ascending for the smallest
///   bits         the bits [begin, end) that are compared; {} for all; by none of them, the first k keys are copied
///   stream       where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or k < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, or the workspace is too small; not_supported for another key
/// type, other values, more than 2^40 keys, and where more than 2^32 - 1 keys would be sorted. Cost: as top_k_pairs
/// (top_k.cuh), by the same kernels.
UPSWEEP_EXPORT status top_k_pairs(workspace w, const void* keys_in, void* keys_out, const void* values_in,
                                  void* values_out, std::size_t value_bytes, std::int64_t n, std::int64_t k,
                                  scalar_type key_type, sort_order order, bit_range bits, stream stream);

/// places[i] = the index in the input of the key that a stable sort would put at index i, for i < k.
///   w         top_k_workspace_bytes of these arguments with value_bytes = 8, the caller's, at any address
///   keys      n keys of the device's memory, aligned to their element; left as they were
///   places    the smaller of n and k indices; no overlap with keys
///   n         how many keys, at most 2^40
///   k         how many to return
///   key_type  u32, i32, u64, i64, f32 or f64, ordered as by sort_keys
///   order     descending for the largest, ascending for the smallest
///   bits      the bits [begin, end) that are compared; {} for all; by none of them, the first k keys are copied
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or k < 0, or, unless one of them is 0, an array is null or
/// misaligned, arrays overlap, the bits are not the key's, or the workspace is too small; not_supported for another key
/// type, more than 2^40 keys, and where more than 2^32 - 1 keys would be sorted. Cost: as top_k_indices (top_k.cuh), by
/// the same kernels.
UPSWEEP_EXPORT status top_k_indices(workspace w, const void* keys, std::int64_t* places, std::int64_t n, std::int64_t k,
                                    scalar_type key_type, sort_order order, bit_range bits, stream stream);

/// Bytes of workspace of merge_keys and merge_pairs. A host formula: it needs no device, and never shrinks as n_a or
/// n_b grows.
UPSWEEP_EXPORT std::size_t merge_workspace_bytes(std::int64_t n_a, std::int64_t n_b, scalar_type key_type);

/// Merges two arrays of keys that are sorted as sort_keys would sort them, stably: of equal keys those of `a` come
/// first.
///   w         merge_keys_workspace_bytes with these arguments, the caller's, at any address
///   a         n_a sorted keys of the device's memory, aligned to their element
///   b         n_b sorted keys; may overlap a
///   out       room for n_a + n_b keys; no overlap with a or b
///   n_a, n_b  how many keys
///   key_type  their type, one of sort_key_types()
///   order     ascending or descending, as they are sorted
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n_a or n_b < 0, an array is null or misaligned whose n > 0, arrays
/// overlap, or the workspace is too small; not_supported for a key type that was not compiled. Cost: as merge_keys
/// (merge.cuh), by the same kernels.
UPSWEEP_EXPORT status merge_keys(workspace w, const void* a, const void* b, void* out, std::int64_t n_a,
                                 std::int64_t n_b, scalar_type key_type, sort_order order, stream stream);

/// Merges two arrays of keys that are sorted as sort_keys would sort them, stably, and moves a 32-bit value with each:
/// of equal keys those of `a` come first.
///   w           merge_pairs_workspace_bytes with these arguments, the caller's, at any address
///   keys_a      n_a sorted keys of the device's memory, aligned to their element
///   keys_b      n_b sorted keys; may overlap keys_a
///   keys_out    room for n_a + n_b keys; no overlap with another array
///   values_a    n_a values, one for each key
///   values_b    n_b values, one for each key
///   values_out  room for n_a + n_b values; no overlap with another array
///   n_a, n_b    how many keys
///   key_type    their type, one of sort_key_types()
///   order       ascending or descending, as they are sorted
///   stream      where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n_a or n_b < 0, an array is null or misaligned whose n > 0, arrays
/// overlap, or the workspace is too small; not_supported for a key type that was not compiled. Cost: as merge_pairs
/// (merge.cuh), by the same kernels.
UPSWEEP_EXPORT status merge_pairs(workspace w, const void* keys_a, const void* keys_b, void* keys_out,
                                  const std::uint32_t* values_a, const std::uint32_t* values_b,
                                  std::uint32_t* values_out, std::int64_t n_a, std::int64_t n_b, scalar_type key_type,
                                  sort_order order, stream stream);

/// out[i] = the first index at which needle i could be inserted into the sorted keys.
///   keys      n keys of the device's memory, aligned to their element, sorted as sort_keys would sort them
///   needles   m keys, in any order, faster if they are sorted; may overlap keys
///   out       m places, 0 to n, aligned to 8 bytes; no overlap with an input
///   n, m      how many keys, and how many needles
///   key_type  the type of both, one of sort_key_types()
///   order     ascending or descending, as the keys are sorted
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or m < 0, an array is null or misaligned whose n > 0, or the output
/// overlaps an input; not_supported for a key type that was not compiled. Cost: as lower_bound (merge.cuh), by the same
/// kernels.
UPSWEEP_EXPORT status lower_bound(const void* keys, const void* needles, std::int64_t* out, std::int64_t n,
                                  std::int64_t m, scalar_type key_type, sort_order order, stream stream);

/// out[i] = the last index at which needle i could be inserted into the sorted keys.
///   keys      n keys of the device's memory, aligned to their element, sorted as sort_keys would sort them
///   needles   m keys, in any order, faster if they are sorted; may overlap keys
///   out       m places, 0 to n, aligned to 8 bytes; no overlap with an input
///   n, m      how many keys, and how many needles
///   key_type  the type of both, one of sort_key_types()
///   order     ascending or descending, as the keys are sorted
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or m < 0, an array is null or misaligned whose n > 0, or the output
/// overlaps an input; not_supported for a key type that was not compiled. Cost: as upper_bound (merge.cuh), by the same
/// kernels.
UPSWEEP_EXPORT status upper_bound(const void* keys, const void* needles, std::int64_t* out, std::int64_t n,
                                  std::int64_t m, scalar_type key_type, sort_order order, stream stream);

// The formulas with all arguments of each call.

/// Bytes of workspace of merge_keys with these arguments: merge_workspace_bytes(n_a, n_b, key_type).
inline std::size_t merge_keys_workspace_bytes(const void*, const void*, void*, std::int64_t n_a, std::int64_t n_b,
                                              scalar_type key_type, sort_order) {
  return merge_workspace_bytes(n_a, n_b, key_type);
}
/// Bytes of workspace of merge_pairs with these arguments: merge_workspace_bytes(n_a, n_b, key_type).
inline std::size_t merge_pairs_workspace_bytes(const void*, const void*, void*, const std::uint32_t*,
                                               const std::uint32_t*, std::uint32_t*, std::int64_t n_a, std::int64_t n_b,
                                               scalar_type key_type, sort_order) {
  return merge_workspace_bytes(n_a, n_b, key_type);
}

/// Bytes of workspace of sort_keys with these arguments: of n keys of that type by that method.
inline std::size_t sort_keys_workspace_bytes(const void*, void*, std::int64_t n, scalar_type key_type, sort_order,
                                             bit_range, const sort_method_with_scan& method) {
  return sort_keys_workspace_bytes(n, key_type, method);
}
/// Bytes of workspace of sort_pairs with these arguments: of n keys of that type by that method.
inline std::size_t sort_pairs_workspace_bytes(const void*, void*, const std::uint32_t*, std::uint32_t*, std::int64_t n,
                                              scalar_type key_type, sort_order, bit_range,
                                              const sort_method_with_scan& method) {
  return sort_pairs_workspace_bytes(n, key_type, method);
}
/// Bytes of workspace of argsort with these arguments: of n keys of that type by that method.
inline std::size_t argsort_workspace_bytes(const void*, std::uint32_t*, std::int64_t n, scalar_type key_type,
                                           sort_order, bit_range, const sort_method_with_scan& method) {
  return argsort_workspace_bytes(n, key_type, method);
}
/// Bytes of workspace of sort_with_values with these arguments: of n keys of that type by that method.
inline std::size_t sort_with_values_workspace_bytes(const void*, void*, std::span<const value_rows>, std::int64_t n,
                                                    scalar_type key_type, sort_order, bit_range,
                                                    const sort_method_with_scan& method) {
  return sort_with_values_workspace_bytes(n, key_type, method);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
