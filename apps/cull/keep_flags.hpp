// Which particles pass the rules and a condition, found out on the device.
#pragma once

#include <cstdint>

#include "upsweep/compact/particles.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "where_steps.hpp"

namespace upsweep::apps {

/// What decides; all of it lies in the device's memory.
struct keep_test {
  keep_rules rules;
  where_steps where;
  bool inverted = false;  ///< keep what does not pass
};

/// flags[i] = 1 where particle i of n is to be kept, else 0; enqueued on the stream. Cost: reads the columns that the
/// test looks at once, writes a byte a particle.
status keep_flags(runtime::stream s, const keep_test& test, std::uint8_t* flags, std::int64_t n);

/// The part of keep_flags that nvcc compiles.
status keep_flags_on_cuda(void* stream, const keep_test& test, std::uint8_t* flags, std::int64_t n);

}  // namespace upsweep::apps
