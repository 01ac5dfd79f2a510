// Stream compaction at run time, in plain C++: layout, rules, method and scan variant are values.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Bytes of workspace for a selection from n elements of these arrays (their in == out decides whether a copy is
/// needed). A host formula: needs no device, never shrinks as n grows.
UPSWEEP_EXPORT std::size_t select_workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                                                  const compact_method_with_scan& method);

/// The most elements that a selection takes by that method and scan; see max_items_of. One sum more than elements is
/// scanned by vote_scan_compact.
UPSWEEP_EXPORT std::int64_t select_max_items(const compact_method_with_scan& method);

/// Moves the particles of all arrays that pass the rules to the front of their `out`, in input order if the method is
/// stable.
///   w             select_particles_workspace_bytes with these arguments, the caller's, at any address
///   arrays        any number of arrays of n elements each, at any address; out may be in, as all must be for
///                 hole_filling; other overlaps with the first element of `out` are refused, the rest is the caller's
///   num_selected  where the number of kept elements goes, in the device's memory; for n = 0 it is 0
///   n             how many elements
///   rules         what is kept; its columns, in the device's memory and aligned to their elements, may be among the
///                 arrays
///   method        how, with its scan; {} for the default
///   stream        where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, a pointer is null with n > 0, an element has 0 bytes or more
/// than 1 MiB, arrays overlap, a rule lacks its columns, half spaces are more than have room, or the workspace is too
/// small; not_supported for a scan variant that was not compiled, and for `serial` on a GPU. Cost: as select_arrays
/// (select.cuh), by the same kernels.
UPSWEEP_EXPORT status select_particles(workspace w, std::span<const soa_array> arrays, std::int64_t* num_selected,
                                       std::int64_t n, const keep_rules& rules, const compact_method_with_scan& method,
                                       stream stream);

/// Moves the elements of all arrays whose flag is not 0 to the front of their `out`, in input order if the method is
/// stable.
///   w             select_flagged_workspace_bytes with these arguments, the caller's, at any address
///   arrays        any number of arrays of n elements each, at any address; out may be in, as all must be for
///                 hole_filling; no other overlaps
///   flags         one byte for each element, in the device's memory; left as they were
///   num_selected  where the number of kept elements goes, in the device's memory; for n = 0 it is 0
///   n             how many elements
///   method        how, with its scan; {} for the default
///   stream        where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, a pointer is null with n > 0, an element has 0 bytes or more
/// than 1 MiB, arrays overlap, or the workspace is too small; not_supported for a scan variant that was not compiled,
/// and for `serial` on a GPU. Cost: as select_arrays (select.cuh), by the same kernels.
UPSWEEP_EXPORT status select_flagged(workspace w, std::span<const soa_array> arrays, const std::uint8_t* flags,
                                     std::int64_t* num_selected, std::int64_t n, const compact_method_with_scan& method,
                                     stream stream);

/// Keeps in[i] when *low <= in[i] and in[i] < *high, so never a NaN.
///   w             select_between_workspace_bytes with these arguments, the caller's, at any address
///   in            n numbers of the device's memory, aligned to their element
///   out           room for those kept; may be in
///   num_selected  where their number goes, in the device's memory; for n = 0 it is 0
///   n             how many numbers
///   type          u32, i32, u64, f32 or f64
///   low, high     one element each, in host memory
///   method        how, with its scan; {} for the default; hole_filling is not supported
///   stream        where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array or the count is null or misaligned with n > 0, a
/// bound is null, arrays overlap, or the workspace is too small; not_supported for another type, for hole_filling, for
/// a scan variant that was not compiled, and for `serial` on a GPU. Cost: as select_if (select.cuh), by the same
/// kernels.
UPSWEEP_EXPORT status select_between(workspace w, const void* in, void* out, std::int64_t* num_selected, std::int64_t n,
                                     scalar_type type, const void* low, const void* high,
                                     const compact_method_with_scan& method, stream stream);

// Host formulas: they need no device, and never shrink as n or groups grow.

/// Bytes of workspace of reduce_by_key for n items of these types.
UPSWEEP_EXPORT std::size_t reduce_by_key_workspace_bytes(std::int64_t n, scalar_type key_type, scalar_type value_type);
/// Bytes of workspace of run_length_encode for n items of this type.
UPSWEEP_EXPORT std::size_t run_length_encode_workspace_bytes(std::int64_t n, scalar_type type);
/// Bytes of workspace of unique for n items of this type.
UPSWEEP_EXPORT std::size_t unique_workspace_bytes(std::int64_t n, scalar_type type);
/// Bytes of workspace of group_by for n items, that many groups, and groups padded to that multiple.
UPSWEEP_EXPORT std::size_t group_by_workspace_bytes(std::int64_t n, int groups, std::int64_t multiple);
/// Bytes of workspace of expand and of run_length_decode for n items; less where `results` has offsets.
UPSWEEP_EXPORT std::size_t expand_workspace_bytes(std::int64_t n, const expand_results& results);

/// For each run of equal neighbouring keys, its last key and the sum of its values.
///   w           reduce_by_key_workspace_bytes with these arguments, the caller's, at any address
///   keys_in     n keys of the device's memory, aligned to their element; NaNs are equal to nothing
///   unique_out  where the last key of each run goes; no overlap with an input
///   values_in   n values, aligned to their element
///   sums_out    where the sum of each run goes; no overlap with an input. Integers wrap around
///   results     where the number of runs goes, in the device's memory; if wanted a capacity, and where runs start
///   n           how many items
///   key_type    u32, i32, u64, i64, f32 or f64
///   value_type  u32, i32, u64, i64, f32 or f64
///   stream      where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, an output overlaps
/// another array that is read or written, or the workspace is too small; not_supported for another type. Cost: as
/// reduce_by_key (reduce_by_key.cuh), by the same kernels.
UPSWEEP_EXPORT status reduce_by_key(workspace w, const void* keys_in, void* unique_out, const void* values_in,
                                    void* sums_out, const select_results& results, std::int64_t n, scalar_type key_type,
                                    scalar_type value_type, stream stream);

/// For each run of equal neighbouring items, its last item and its length.
///   w            run_length_encode_workspace_bytes with these arguments, the caller's, at any address
///   in           n items of the device's memory, aligned to their element; NaNs are equal to nothing
///   unique_out   where the last item of each run goes; no overlap with the input
///   lengths_out  where the length of each run goes: integers of 4 or 8 bytes of the device's memory
///   results      where the number of runs goes, in the device's memory; if wanted a capacity, and where runs start
///   n            how many items
///   type         u32, i32, u64, i64, f32 or f64
///   stream       where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, an output overlaps
/// another array that is read or written, or the workspace is too small; not_supported for another type. Cost: as
/// run_length_encode (run_length.cuh), by the same kernels.
UPSWEEP_EXPORT status run_length_encode(workspace w, const void* in, void* unique_out, const integer_array& lengths_out,
                                        const select_results& results, std::int64_t n, scalar_type type, stream stream);

/// Each value as often as its length says, in order: the opposite of run_length_encode.
///   w        expand_workspace_bytes(runs, results), the caller's, at any address
///   values   of each run its item, in the device's memory, aligned to its element
///   lengths  of each run how many items it has
///   out      where the items go, with room for results.capacity of them, or for as many as there are; no overlap
///   results  where the number of items goes; if wanted a capacity, the number without it, and where the items of each
///            run begin
///   runs     how many runs
///   type     u32, i32, u64, i64, f32 or f64
///   stream   where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if runs or the capacity is below 0, an array is null or misaligned with
/// runs > 0, arrays overlap, or the workspace is too small; not_supported for another type. Cost: as run_length_decode
/// (run_length.cuh), by the same kernels.
UPSWEEP_EXPORT status run_length_decode(workspace w, const void* values, const std::uint32_t* lengths, void* out,
                                        const expand_results& results, std::int64_t runs, scalar_type type,
                                        stream stream);

/// Keeps the first of each run of equal neighbouring items.
///   w        unique_workspace_bytes with these arguments, the caller's, at any address
///   in       n items of the device's memory, aligned to their element; NaNs are equal to nothing
///   out      where the first of each run goes, with room for them; may be in
///   results  where the number of runs goes, in the device's memory; if wanted their lengths, the number of each item's
///            run, where runs start, and a capacity
///   n        how many items
///   type     u32, i32, u64, i64, f32 or f64
///   stream   where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; not_supported for another type. Cost: as unique
/// with a unique_results (unique.cuh), by the same kernels.
UPSWEEP_EXPORT status unique(workspace w, const void* in, void* out, const unique_results& results, std::int64_t n,
                             scalar_type type, stream stream);

/// The indices of the items in the order of their groups.
///   w         group_by_workspace_bytes with these arguments, the caller's, at any address
///   group_of  the group of each of n items, in the device's memory; those of `groups` or more are left out
///   to        where the permutation goes, and if wanted its inverse, integers of 4 or 8 bytes, and to what multiple
///             groups are padded: the permutation needs room for to.room(n, groups)
///   offsets   groups + 1 integers: where each group begins in the permutation, and the last one ends
///   n         how many items
///   groups    how many groups, 1 to 65536
///   stream    where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, groups or the multiple are out of their range, an array is
/// null or misaligned with n > 0, arrays overlap, or the workspace is too small; not_supported for more than 2^47
/// items. Cost: as group_by (group_by.cuh), by the same kernels.
UPSWEEP_EXPORT status group_by(workspace w, const std::uint32_t* group_of, const group_places& to,
                               std::int64_t* offsets, std::int64_t n, int groups, stream stream);

/// counts[b] = how many items have bucket_of[i] == b. It needs no workspace.
///   bucket_of  the bucket of each of n items, in the device's memory; those of `buckets` or more are not counted
///   counts     `buckets` integers of 4 or 8 bytes of the device's memory
///   n          how many items
///   buckets    how many buckets, 1 to 65536
///   stream     where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, buckets is out of its range, an array is null or misaligned,
/// or arrays overlap. Cost: as histogram (histogram.cuh), by the same kernels.
UPSWEEP_EXPORT status histogram(const std::uint32_t* bucket_of, const integer_array& counts, std::int64_t n,
                                int buckets, stream stream);

/// Writes the index of each item as often as its count says, in order: by it, and by results.offsets, a kernel finds
/// what each output is made of.
///   w        expand_workspace_bytes with these arguments, the caller's, at any address
///   counts   how many outputs each of n items has, in the device's memory
///   items    where the indices go, integers of 4 or 8 bytes, with room for results.capacity of them, or for as many as
///            there are; no overlap
///   results  where the number of outputs goes; with a capacity, the number without it, where the outputs of each item
///            begin, and indirect arguments, if wanted
///   n        how many items
///   stream   where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n or the capacity is below 0, an array is null or misaligned with n >
/// 0, arrays overlap, or the workspace is too small. Cost: as expand (expand.cuh), by the same kernels.
UPSWEEP_EXPORT status expand(workspace w, const std::uint32_t* counts, const integer_array& items,
                             const expand_results& results, std::int64_t n, stream stream);

// select_workspace_bytes under the name and with the arguments of each call.

/// Bytes of workspace of select_particles with these arguments: select_workspace_bytes(arrays, n, method).
inline std::size_t select_particles_workspace_bytes(std::span<const soa_array> arrays, std::int64_t*, std::int64_t n,
                                                    const keep_rules&, const compact_method_with_scan& method) {
  return select_workspace_bytes(arrays, n, method);
}
/// Bytes of workspace of select_flagged with these arguments: select_workspace_bytes(arrays, n, method).
inline std::size_t select_flagged_workspace_bytes(std::span<const soa_array> arrays, const std::uint8_t*, std::int64_t*,
                                                  std::int64_t n, const compact_method_with_scan& method) {
  return select_workspace_bytes(arrays, n, method);
}
/// Bytes of workspace of select_between with these arguments: select_workspace_bytes of one array.
inline std::size_t select_between_workspace_bytes(const void* in, void* out, std::int64_t*, std::int64_t n,
                                                  scalar_type type, const void*, const void*,
                                                  const compact_method_with_scan& method) {
  const soa_array array{in, out, size_of(type)};
  return select_workspace_bytes({&array, 1}, n, method);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
