// Exclusive sums of items of 8 and 16 bits by upsweep, on either device. The run-time calls do not have these types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// u8, u16, f16, bf16: by the default variant alone.
std::span<const scalar_type> narrow_types();
bool is_narrow(scalar_type type);

/// 0 for a type that is not narrow; its call is not_supported.
std::size_t narrow_sums_workspace_bytes(scalar_type type, std::int64_t n);
/// out[i] = in[0] + ... + in[i - 1], in the items' type. On the sim halves are half_bits.
status narrow_sums(runtime::stream s, scalar_type type, workspace w, const void* in, void* out, std::int64_t n);

/// The part of narrow_sums that nvcc compiles.
status narrow_sums_on_cuda(void* stream, scalar_type type, workspace w, const void* in, void* out, std::int64_t n);

}  // namespace upsweep::apps
