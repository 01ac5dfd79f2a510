// Scan at run time, in plain C++: variant, type and operation are values. The CUDA library and the sim stand behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime {

/// The variants that were compiled, for every type of `scan_types()`. Any other is answered by not_supported.
std::span<const scan_variant> scan_variants();
/// The types that can be scanned: u32, i32, u64, f32, f64.
std::span<const scalar_type> scan_types();
/// True when `v` is one of scan_variants(); for `serial` the strategy alone counts.
bool is_compiled(const scan_variant& v);

/// Bytes of workspace that a scan of n items needs. A host formula: needs no device, never shrinks as n grows.
/// 0 for n <= 0 and for a variant that was not compiled.
std::size_t scan_workspace_bytes(const scan_variant& v, scalar_type type, std::int64_t n);

/// What an exclusive sum of n items costs by the variant's own count. All 0 for n <= 0, and for a variant or type that
/// was not compiled. Needs no device. Complexity: a few operations for each level of the scan.
scan_cost cost_of(const scan_variant& v, scalar_type type, std::int64_t n);

/// out[i] = init + in[0] + ... + in[i-1]. `init` points to one element in host memory; null means zero. `out` may be
/// `in`; other overlaps are refused. Both are aligned to their element. Complexity and passes: as the variant's
/// strategy (scan/README.md). n < 0, a null or misaligned array with n > 0, an overlap, or a workspace too small:
/// invalid_value, nothing touched. A variant or type that was not compiled, or `serial` on a GPU: not_supported.
status exclusive_sum(stream s, const scan_variant& v, scalar_type type, workspace w, const void* in, void* out,
                     std::int64_t n, const void* init = nullptr);

/// out[i] = in[0] + ... + in[i], behind `init` when that is not null. Else as exclusive_sum.
status inclusive_sum(stream s, const scan_variant& v, scalar_type type, workspace w, const void* in, void* out,
                     std::int64_t n, const void* init = nullptr);

}  // namespace upsweep::runtime
