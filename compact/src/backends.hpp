// What the CUDA half of the library gives to the rest: compact_cuda.cu, or no_cuda.cpp without a CUDA compiler.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

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

/// A reduction of runs as the public calls describe it: of their items' lengths where there are no values.
struct runs_call {
  scalar_type key_type, value_type;
  workspace work;
  const void* keys_in;
  void* unique_out;
  const void* values_in;
  void* sums_out;
  integer_array lengths_out;
  const select_results* results;
  std::int64_t n;
};

/// Items by the numbers of their groups: their places, or only how many each group has.
struct groups_call {
  workspace work;
  const std::uint32_t* group_of;
  group_places to;
  std::int64_t* offsets;
  integer_array counts;  ///< of a histogram; else null
  std::int64_t n;
  int groups;
};

struct expand_call {
  workspace work;
  const std::uint32_t* counts;
  integer_array items;
  const expand_results* results;
  std::int64_t n;
};

/// The first item of each run.
struct unique_call {
  scalar_type type;
  workspace work;
  const void* in;
  void* out;
  const unique_results* results;
  std::int64_t n;
};

/// Values as often as their lengths say.
struct decode_call {
  scalar_type type;
  workspace work;
  const void* values;
  const std::uint32_t* lengths;
  void* out;
  const expand_results* results;
  std::int64_t runs;
};

using grouped_call = std::variant<runs_call, groups_call, expand_call, unique_call, decode_call>;
status grouped_on_cuda(void* stream, const grouped_call& call);
status grouped_on_sim(void* options, const grouped_call& call);

status select_on_cuda(void* stream, const select_call& call);
status select_on_sim(void* options, const select_call& call);

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
