// Stream compaction at run time, in plain C++: layout, rules, method and scan variant are values.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/method.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime {

/// Bytes of workspace for a selection from n elements of these arrays (their in == out decides whether a copy is
/// needed). A host formula: needs no device, never shrinks as n grows.
std::size_t select_workspace_bytes(const compact_choice& c, std::span<const soa_array> arrays, std::int64_t n);

/// The most elements that a selection takes by that method and scan; see max_items_of. One sum more than elements is
/// scanned by vote_scan_compact.
std::int64_t select_max_items(const compact_choice& c);

/// Moves the kept particles of all arrays to the front of their `out`, in input order if the method is stable, and
/// writes their number to `*num_selected` in device memory. An array may be compacted in place (out == in), as all must
/// be for hole_filling; other overlaps with the first element of `out` are refused; the rest is the caller's. Arrays
/// start at any address; the rules' columns, aligned to their elements, may be among them. n = 0 writes a count of 0.
/// n < 0, a null pointer with n > 0, an element_bytes of 0 or above 1 MiB, an overlap, a rule without its columns, or a
/// workspace too small: invalid_value, nothing touched. A scan variant that was not compiled, or `serial` on a GPU:
/// not_supported.
status select_particles(stream s, const compact_choice& c, workspace w, std::span<const soa_array> arrays,
                        std::int64_t n, const keep_rules& rules, std::int64_t* num_selected);

/// The same by one byte flag an element in device memory: any non-zero flag keeps its element.
status select_flagged(stream s, const compact_choice& c, workspace w, std::span<const soa_array> arrays, std::int64_t n,
                      const std::uint8_t* flags, std::int64_t* num_selected);

/// The same for one array of n numbers by their value: keeps in[i] when *low <= in[i] and in[i] < *high, so never a
/// NaN. `type` is u32, i32, u64, f32 or f64; `low` and `high` point to one element in host memory; `out` may be `in`.
/// The workspace: select_workspace_bytes of the array {in, out, size_of(type)}. A null bound, or an array that is not
/// aligned to its element: invalid_value. Another type, or hole_filling: not_supported.
status select_between(stream s, const compact_choice& c, workspace w, scalar_type type, const void* in, void* out,
                      std::int64_t n, const void* low, const void* high, std::int64_t* num_selected);

}  // namespace upsweep::runtime
