// Scan at run time, in plain C++: variant, type and operation are values. It calls the CUDA library or the sim.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// What is put between two items.
enum class scan_operator : std::uint8_t {
  sum,      ///< x + y
  minimum,  ///< the smaller, of equal ones the first
  maximum,  ///< the larger, of equal ones the first
  product,  ///< x * y
  bit_and,  ///< x & y
  bit_or,   ///< x | y
  bit_xor,  ///< x ^ y
};

/// The names of the operators, in the order of scan_operator.
inline constexpr std::array<std::string_view, 7> scan_operator_names = {"sum", "min", "max", "product",
                                                                        "and", "or",  "xor"};

/// The name of an operator, as options and configs spell it.
constexpr std::string_view name_of(scan_operator op) {
  return scan_operator_names[static_cast<std::size_t>(op)];
}

/// The operator of that name; nothing when there is none.
constexpr std::optional<scan_operator> scan_operator_named(std::string_view name) {
  for (std::size_t i = 0; i < scan_operator_names.size(); ++i) {
    if (scan_operator_names[i] == name) return static_cast<scan_operator>(i);
  }
  return std::nullopt;
}

/// The variants that were compiled for an operator, each for every type of `scan_types(op)`: for the sum all that there
/// are, for other operators the default. A scan by any other variant returns not_supported.
UPSWEEP_EXPORT std::span<const scan_variant> scan_variants(scan_operator op = scan_operator::sum);
/// The types that an operator scans: u32, i32, u64, f32 and f64; for bit_and, bit_or and bit_xor only the integers.
UPSWEEP_EXPORT std::span<const scalar_type> scan_types(scan_operator op = scan_operator::sum);
/// True when `v` is one of scan_variants(op); for a strategy without tiles, only the strategy matters.
UPSWEEP_EXPORT bool is_compiled(const scan_variant& v, scan_operator op = scan_operator::sum);

/// Why such a scan returns not_supported, and what is supported, in one line: "no scan by decoupled_lookback brent_kung
/// 64 x 2 was compiled; expected a tile of 256 x 16". Empty when it is supported.
UPSWEEP_EXPORT std::string why_not_supported(const scan_variant& v, scan_operator op = scan_operator::sum,
                                             scalar_type type = scalar_type::u32, backend where = backend::sim);

/// Bytes of workspace that a scan of n items needs, by any operator, exclusive or inclusive. A host formula: needs no
/// device, never shrinks as n grows. 0 for n <= 0 and for a variant that was not compiled.
UPSWEEP_EXPORT std::size_t scan_workspace_bytes(std::int64_t n, scalar_type type, const scan_variant& v);

/// What an exclusive scan of n items costs: bytes moved, calls of the operator, launches. All 0 for n <= 0, and for a
/// variant or type that was not compiled. A host formula: needs no device.
UPSWEEP_EXPORT scan_cost cost_of(const scan_variant& v, scalar_type type, std::int64_t n);

/// Whether a variant runs on that backend: all do but `serial` on a GPU, as a loop on the CPU cannot scan its memory.
constexpr bool runs_on(const scan_variant& v, backend where) {
  return v.strategy != scan_strategy::serial || where == backend::sim;
}
/// Whether a variant runs on that device: `cluster` needs one with clusters, `serial` the sim.
inline bool runs_on(const scan_variant& v, device& d) {
  return runs_on(v, d.where()) && (v.strategy != scan_strategy::cluster || d.has_clusters());
}

/// The most items that the variant scans: 2^18 for naive_quadratic, which returns not_supported for more; for the
/// others, the limit of a grid. 0 for a variant that was not compiled.
UPSWEEP_EXPORT std::int64_t max_items_of(const scan_variant& v);

/// Items of one tile. 0 for `serial`, and for a variant or type that was not compiled.
UPSWEEP_EXPORT std::int64_t tile_items_of(const scan_variant& v, scalar_type type);

/// What a tile of a single-pass scan has published for the tiles after it; for diagnosis.
struct published_tile {
  std::string status;  ///< "invalid", "partial" or "inclusive"; of memory that no call has cleared, perhaps a number
  std::string
      value;  ///< the sum that belongs to a partial or inclusive status, as decimal text that reads back exactly

  friend bool operator==(const published_tile&, const published_tile&) = default;
};

/// What the tiles from `first_tile` on, at most `count`, published in a scan of n items that has finished or was
/// stopped; tile i has the items from i * tile_items_of(v, type) on. `workspace_copy` is a copy, at any address of host
/// memory, of the workspace from its first multiple of 256 on; a runtime::buffer begins at one. Empty for a variant
/// without tile states or that was not compiled, for tiles that do not exist, and for a copy that is too short.
UPSWEEP_EXPORT std::vector<published_tile> published_tiles(const scan_variant& v, scalar_type type, std::int64_t n,
                                                           std::span<const std::byte> workspace_copy,
                                                           std::int64_t first_tile, std::int64_t count);

/// out[i] = init op in[0] op ... op in[i - 1], for i < n.
///   w       exclusive_scan_workspace_bytes with these arguments, the caller's, at any address
///   in      n items of the device's memory, aligned to their element
///   out     n items; may be in; other overlaps are refused
///   n       how many items
///   type    their type: one of scan_types(op)
///   op      what is put between two items; integers wrap around
///   init    one element in host memory; null for the operator's identity: 0 for sum, bit_or and bit_xor, 1 for
///           product, all bits for bit_and; for minimum and maximum the largest and the lowest number, for floats the
///           infinities
///   v       the strategy with its block algorithm and tile; {} for the default
///   stream  where the work is enqueued: the device's get_stream()
/// Floats are combined in an order that v, n and the device decide. The minimum of equal numbers (-0.0 and +0.0) is the
/// first. A comparison with a NaN is false, and then the first operand is taken: a minimum or maximum after a NaN is
/// that NaN or one of the numbers so far.
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, or
/// the workspace is too small; not_supported where `why_not_supported` returns a reason, for more items than
/// `naive_quadratic` takes, and for `cluster` on a device without clusters. Cost: that of the strategy,
/// docs/how_it_works.md.
UPSWEEP_EXPORT status exclusive_scan(workspace w, const void* in, void* out, std::int64_t n, scalar_type type,
                                     scan_operator op, const void* init, const scan_variant& v, stream stream);

/// out[i] = in[0] op ... op in[i], for i < n. Floats and NaNs: see exclusive_scan.
///   w       inclusive_scan_workspace_bytes with these arguments, the caller's, at any address
///   in      n items of the device's memory, aligned to their element
///   out     n items; may be in; other overlaps are refused
///   n       how many items
///   type    their type: one of scan_types(op)
///   op      what is put between two items; integers wrap around
///   v       the strategy with its block algorithm and tile; {} for the default
///   stream  where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, or
/// the workspace is too small; not_supported where `why_not_supported` returns a reason, for more items than
/// `naive_quadratic` takes, and for `cluster` on a device without clusters. Cost: that of the strategy,
/// docs/how_it_works.md.
UPSWEEP_EXPORT status inclusive_scan(workspace w, const void* in, void* out, std::int64_t n, scalar_type type,
                                     scan_operator op, const scan_variant& v, stream stream);

/// out[i] = init op in[0] op ... op in[i], for i < n. Floats and NaNs: see exclusive_scan.
///   w       inclusive_scan_init_workspace_bytes with these arguments, the caller's, at any address
///   in      n items of the device's memory, aligned to their element
///   out     n items; may be in; other overlaps are refused
///   n       how many items
///   type    their type: one of scan_types(op)
///   op      what is put between two items; integers wrap around
///   init    one element in host memory; null for the operator's identity, as in exclusive_scan
///   v       the strategy with its block algorithm and tile; {} for the default
///   stream  where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, or
/// the workspace is too small; not_supported where `why_not_supported` returns a reason, for more items than
/// `naive_quadratic` takes, and for `cluster` on a device without clusters. Cost: that of the strategy,
/// docs/how_it_works.md.
UPSWEEP_EXPORT status inclusive_scan_init(workspace w, const void* in, void* out, std::int64_t n, scalar_type type,
                                          scan_operator op, const void* init, const scan_variant& v, stream stream);

/// out[i] = in[0] + ... + in[i - 1], for i < n.
///   w       exclusive_sum_workspace_bytes with these arguments, the caller's, at any address
///   in      n items of the device's memory, aligned to their element
///   out     n items; may be in; other overlaps are refused
///   n       how many items
///   type    their type: one of scan_types(); integers wrap around
///   v       the strategy with its block algorithm and tile; {} for the default
///   stream  where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, or
/// the workspace is too small; not_supported where `why_not_supported` returns a reason, for more items than
/// `naive_quadratic` takes, and for `cluster` on a device without clusters. Cost: that of the strategy,
/// docs/how_it_works.md.
///     status s = exclusive_sum(w, in, out, n, scalar_type::u32, {}, device->get_stream());
inline status exclusive_sum(workspace w, const void* in, void* out, std::int64_t n, scalar_type type,
                            const scan_variant& v, stream stream) {
  return exclusive_scan(w, in, out, n, type, scan_operator::sum, nullptr, v, stream);
}

/// out[i] = in[0] + ... + in[i], for i < n.
///   w       inclusive_sum_workspace_bytes with these arguments, the caller's, at any address
///   in      n items of the device's memory, aligned to their element
///   out     n items; may be in; other overlaps are refused
///   n       how many items
///   type    their type: one of scan_types(); integers wrap around
///   v       the strategy with its block algorithm and tile; {} for the default
///   stream  where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if n < 0, an array is null or misaligned with n > 0, arrays overlap, or
/// the workspace is too small; not_supported where `why_not_supported` returns a reason, for more items than
/// `naive_quadratic` takes, and for `cluster` on a device without clusters. Cost: that of the strategy,
/// docs/how_it_works.md.
///     status s = inclusive_sum(w, in, out, n, scalar_type::u32, {}, device->get_stream());
inline status inclusive_sum(workspace w, const void* in, void* out, std::int64_t n, scalar_type type,
                            const scan_variant& v, stream stream) {
  return inclusive_scan(w, in, out, n, type, scan_operator::sum, v, stream);
}

/// The types of sums along an axis: u32, i32, u64, i64, f32, f64.
UPSWEEP_EXPORT std::span<const scalar_type> axis_sum_types();

/// Bytes of workspace of the sums along an axis, exclusive or inclusive. A host formula: needs no device. 0 if there is
/// no such axis, without items, and for a type without kernels.
UPSWEEP_EXPORT std::size_t sum_axis_workspace_bytes(const array_axis& axis, scalar_type type);

/// Each item becomes the sum of the items before it on its line along the axis, in the order of the scan.
///   w       sum_axis_workspace_bytes with these arguments, the caller's, at any address
///   in      axis.items() items of the device's memory, aligned to their element
///   out     as many items, in the same order; may be in; other overlaps are refused
///   axis    along(shape, axis) or along(shape, strides, axis), and .backward() of it
///   type    the items' type: one of axis_sum_types(); integers wrap around
///   stream  where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if there is no such axis or, with items, an array is null or misaligned,
/// arrays overlap, or the workspace is too small; not_supported for other types and 2^31 tiles or more. Cost: each item
/// is read once and written once, in the kernels of axis_scan.cuh.
///     status s = exclusive_sum_axis(w, in, out, along({rows, columns}, 0), scalar_type::f32, device->get_stream());
UPSWEEP_EXPORT status exclusive_sum_axis(workspace w, const void* in, void* out, const array_axis& axis,
                                         scalar_type type, stream stream);

/// Each item becomes the sum of the items up to and with it on its line along the axis, in the order of the scan.
///   w       sum_axis_workspace_bytes with these arguments, the caller's, at any address
///   in      axis.items() items of the device's memory, aligned to their element
///   out     as many items, in the same order; may be in; other overlaps are refused
///   axis    along(shape, axis) or along(shape, strides, axis), and .backward() of it
///   type    the items' type: one of axis_sum_types(); integers wrap around
///   stream  where the work is enqueued: the device's get_stream()
/// Errors: invalid_value, and nothing touched, if there is no such axis or, with items, an array is null or misaligned,
/// arrays overlap, or the workspace is too small; not_supported for other types and 2^31 tiles or more. Cost: each item
/// is read once and written once, in the kernels of axis_scan.cuh.
UPSWEEP_EXPORT status inclusive_sum_axis(workspace w, const void* in, void* out, const array_axis& axis,
                                         scalar_type type, stream stream);

// scan_workspace_bytes under the name and with the arguments of each call.

/// Bytes of workspace of exclusive_scan with these arguments: scan_workspace_bytes(n, type, v).
inline std::size_t exclusive_scan_workspace_bytes(const void*, void*, std::int64_t n, scalar_type type, scan_operator,
                                                  const void*, const scan_variant& v) {
  return scan_workspace_bytes(n, type, v);
}
/// Bytes of workspace of inclusive_scan with these arguments: scan_workspace_bytes(n, type, v).
inline std::size_t inclusive_scan_workspace_bytes(const void*, void*, std::int64_t n, scalar_type type, scan_operator,
                                                  const scan_variant& v) {
  return scan_workspace_bytes(n, type, v);
}
/// Bytes of workspace of inclusive_scan_init with these arguments: scan_workspace_bytes(n, type, v).
inline std::size_t inclusive_scan_init_workspace_bytes(const void*, void*, std::int64_t n, scalar_type type,
                                                       scan_operator, const void*, const scan_variant& v) {
  return scan_workspace_bytes(n, type, v);
}
/// Bytes of workspace of exclusive_sum with these arguments: scan_workspace_bytes(n, type, v).
inline std::size_t exclusive_sum_workspace_bytes(const void*, void*, std::int64_t n, scalar_type type,
                                                 const scan_variant& v) {
  return scan_workspace_bytes(n, type, v);
}
/// Bytes of workspace of inclusive_sum with these arguments: scan_workspace_bytes(n, type, v).
inline std::size_t inclusive_sum_workspace_bytes(const void*, void*, std::int64_t n, scalar_type type,
                                                 const scan_variant& v) {
  return scan_workspace_bytes(n, type, v);
}
/// Bytes of workspace of exclusive_sum_axis with these arguments: sum_axis_workspace_bytes(axis, type).
inline std::size_t exclusive_sum_axis_workspace_bytes(const void*, void*, const array_axis& axis, scalar_type type) {
  return sum_axis_workspace_bytes(axis, type);
}
/// Bytes of workspace of inclusive_sum_axis with these arguments: sum_axis_workspace_bytes(axis, type).
inline std::size_t inclusive_sum_axis_workspace_bytes(const void*, void*, const array_axis& axis, scalar_type type) {
  return sum_axis_workspace_bytes(axis, type);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
