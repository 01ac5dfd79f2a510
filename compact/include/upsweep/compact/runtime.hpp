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
///   w             select_particles_workspace_bytes with these arguments, of the caller's, at any address
///   arrays        any number of arrays of n elements each, at any address; out may be in, as all must be for
///                 hole_filling; other overlaps with the first element of `out` are refused, the rest is the caller's
///   num_selected  where the number of kept elements goes, in the device's memory; for n = 0 it is 0
///   n             how many elements
///   rules         what is kept; its columns, in the device's memory and aligned to their elements, may be among the
///                 arrays
///   method        how, with its scan; {} for the default
///   stream        where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, where n < 0, a pointer is null with n > 0, an element has 0 bytes or
/// more than 1 MiB, arrays overlap, a rule lacks its columns, half spaces are more than have room, or the workspace is
/// too small; not_supported for a scan variant that was not compiled, and for `serial` on a GPU. Cost: as select_arrays
/// (select.cuh), by the same kernels.
UPSWEEP_EXPORT status select_particles(workspace w, std::span<const soa_array> arrays, std::int64_t* num_selected,
                                       std::int64_t n, const keep_rules& rules, const compact_method_with_scan& method,
                                       stream stream);

/// Moves the elements of all arrays whose flag, one byte in the device's memory, is not 0. The other arguments, errors
/// and cost are those of select_particles.
UPSWEEP_EXPORT status select_flagged(workspace w, std::span<const soa_array> arrays, const std::uint8_t* flags,
                                     std::int64_t* num_selected, std::int64_t n, const compact_method_with_scan& method,
                                     stream stream);

/// Keeps in[i] when *low <= in[i] and in[i] < *high, so never a NaN.
///   w             select_between_workspace_bytes with these arguments, of the caller's, at any address
///   in            n numbers of the device's memory, aligned to their element
///   out           room for those kept; may be in
///   num_selected  where their number goes, in the device's memory; for n = 0 it is 0
///   n             how many numbers
///   type          u32, i32, u64, f32 or f64
///   low, high     one element each, in host memory
///   method        how, with its scan; {} for the default; hole_filling is not supported
///   stream        where the work is enqueued: the device's get_stream()
/// Errors: as select_particles; and invalid_value for a null bound or a misaligned array, not_supported for another
/// type.
/// Cost: as select_if (select.cuh), by the same kernels.
UPSWEEP_EXPORT status select_between(workspace w, const void* in, void* out, std::int64_t* num_selected, std::int64_t n,
                                     scalar_type type, const void* low, const void* high,
                                     const compact_method_with_scan& method, stream stream);

// select_workspace_bytes under the name and with the arguments of each call.

inline std::size_t select_particles_workspace_bytes(std::span<const soa_array> arrays, std::int64_t*, std::int64_t n,
                                                    const keep_rules&, const compact_method_with_scan& method) {
  return select_workspace_bytes(arrays, n, method);
}
inline std::size_t select_flagged_workspace_bytes(std::span<const soa_array> arrays, const std::uint8_t*, std::int64_t*,
                                                  std::int64_t n, const compact_method_with_scan& method) {
  return select_workspace_bytes(arrays, n, method);
}
inline std::size_t select_between_workspace_bytes(const void* in, void* out, std::int64_t*, std::int64_t n,
                                                  scalar_type type, const void*, const void*,
                                                  const compact_method_with_scan& method) {
  const soa_array array{in, out, size_of(type)};
  return select_workspace_bytes({&array, 1}, n, method);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
