// What the CUDA half of the library gives to the rest: compact_cuda.cu, or no_cuda.cpp without a CUDA compiler.
#pragma once

#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

using namespace detail;  // the compiled library is one itself

/// The values that are kept of arrays[0], whose elements have that type.
struct value_range {
  scalar_type type;
  const void* low;
  const void* high;
};

/// One selection as the public calls describe it: by the one of `rules`, `flags` and `range` that is not null.
struct select_call {
  compact_method_with_scan method;
  workspace work;
  std::span<const soa_array> arrays;
  std::int64_t n;
  const keep_rules* rules;
  const std::uint8_t* flags;
  const value_range* range;
  std::int64_t* num_selected;
};

status select_on_cuda(void* stream, const select_call& call);
status select_on_sim(void* options, const select_call& call);

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
