// What the two executors give to the run-time calls: *_cuda.cu, or no_cuda.cpp without a CUDA compiler, and *_sim.cpp.
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

/// Keys of 4 or 8 bytes, and what goes with them: nothing, values of 4 or 8 bytes, or, as `places`, where the keys
/// came from.
struct keyed_arrays {
  workspace work;
  const void* keys_in;
  void* keys_out;
  scalar_type key_type;
  sort_order order;
  bit_range bits;
  const void* values_in = nullptr;
  void* values_out = nullptr;
  std::size_t value_bytes = 0;
  bool places = false;
};

/// One top k as the public calls describe it. Places are of 8 bytes.
struct top_k_call {
  keyed_arrays arrays;
  std::int64_t n, k;
};

/// One sort of segments as the public calls describe it. Places are of 4 bytes.
struct segments_call {
  keyed_arrays arrays;
  const std::int64_t *begins, *ends;
  std::int64_t n, segments;
  bool has_rows = false;
  std::span<const value_rows> rows = {};
};

/// One sort of host memory as the public call describes it.
struct from_host_call {
  workspace device;
  host_scratch scratch;
  const void* keys_in;
  void* keys_out;
  std::span<const value_rows> values;
  std::int64_t n;
  scalar_type key_type;
  sort_order order;
  bit_range bits;
  from_host_options options;
  stream of_call;
};

status sort_from_host_on_cuda(const from_host_call& call);
status sort_from_host_on_sim(const from_host_call& call);

status segments_on_cuda(void* stream, const segments_call& call);
status segments_on_sim(void* options, const segments_call& call);

status top_k_integers_on_cuda(void* stream, const top_k_call& call);
status top_k_floats_on_cuda(void* stream, const top_k_call& call);
status top_k_on_sim(void* options, const top_k_call& call);

status merge_on_cuda(void* stream, const merge_call& call);
status merge_on_sim(void* options, const merge_call& call);

status sort_integers_on_cuda(void* stream, const sort_call& call);
/// Floats of 32 and 64 bits.
status sort_floats_on_cuda(void* stream, const sort_call& call);
status sort_on_sim(void* options, const sort_call& call);

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
