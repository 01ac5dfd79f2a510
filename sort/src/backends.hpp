// What the CUDA half of the library gives to the rest: sort_cuda.cu, or no_cuda.cpp without a CUDA compiler.
#pragma once

#include <cstdint>

#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime {

/// One sort as the public calls describe it. `pairs` false: the values are not looked at.
struct sort_call {
  sort_policy policy;
  scalar_type key_type;
  sort_order order;
  workspace work;
  const void* keys_in;
  void* keys_out;
  bool pairs;
  const std::uint32_t* values_in;
  std::uint32_t* values_out;
  std::int64_t n;
  bit_range bits;
};

status sort_on_cuda(void* stream, const sort_call& call);
status sort_on_sim(void* options, const sort_call& call);

}  // namespace upsweep::runtime
