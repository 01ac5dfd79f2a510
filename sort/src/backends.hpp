// What the two executors give to the run-time calls: sort_*_cuda.cu, or no_cuda.cpp without a CUDA compiler, and
// sort_*_sim.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

using namespace detail;  // the compiled library is one itself

/// What moves with the keys.
enum class sort_load { nothing, values, places, rows };

/// One sort as the public calls describe it.
struct sort_call {
  sort_method_with_scan method;
  scalar_type key_type;
  sort_order order;
  workspace work;
  const void* keys_in;
  void* keys_out;
  std::int64_t n;
  bit_range bits;
  sort_load load = sort_load::nothing;
  const std::uint32_t* values_in = nullptr;  ///< of `values`
  std::uint32_t* values_out = nullptr;       ///< of `values` and `places`
  std::span<const value_rows> rows = {};     ///< of `rows`
};

enum class merge_kind { keys, pairs, lower_bound, upper_bound };

/// One merge as the public calls describe it, or one search for bounds: `b` are the needles, `out` the bounds.
struct merge_call {
  merge_kind kind;
  scalar_type key_type;
  sort_order order;
  workspace work;
  const void* a;
  const void* b;
  void* out;
  std::int64_t n_a, n_b;
  const std::uint32_t* values_a = nullptr;  ///< of `pairs`
  const std::uint32_t* values_b = nullptr;
  std::uint32_t* values_out = nullptr;
};

status merge_on_cuda(void* stream, const merge_call& call);
status merge_on_sim(void* options, const merge_call& call);

status sort_integers_on_cuda(void* stream, const sort_call& call);
status sort_integers_on_sim(void* options, const sort_call& call);

/// Floats of 32 and 64 bits.
status sort_floats_on_cuda(void* stream, const sort_call& call);
status sort_floats_on_sim(void* options, const sort_call& call);

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
