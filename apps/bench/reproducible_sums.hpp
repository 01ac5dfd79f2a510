// Exclusive sums by the policy `reproducible`, on either device. The run-time calls do not have it as a variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

inline constexpr std::string_view reproducible_method = "reproducible";

/// f32, f64.
std::span<const scalar_type> reproducible_types();

/// 0 for a type that is not one of these; its call is not_supported.
std::size_t reproducible_sums_workspace_bytes(scalar_type type, std::int64_t n);
/// out[i] = in[0] + ... + in[i - 1], with the same bits on every device and in every run.
status reproducible_sums(runtime::stream s, scalar_type type, workspace w, const void* in, void* out, std::int64_t n);

/// The part of reproducible_sums that nvcc compiles.
status reproducible_sums_on_cuda(void* stream, scalar_type type, workspace w, const void* in, void* out,
                                 std::int64_t n);

}  // namespace upsweep::apps
