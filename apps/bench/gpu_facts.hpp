// What a record says about the GPU that it was measured on.
#pragma once

#include <cstdint>
#include <string>

namespace upsweep::apps {

struct gpu_facts {
  std::string compute_capability;
  std::int64_t multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t max_clock_mhz = 0;
  std::string driver;   ///< the CUDA version that the driver supports, "13.0"
  std::string runtime;  ///< of the CUDA runtime
};

/// Of the current CUDA device; empty without the CUDA half.
gpu_facts facts_of_gpu();

}  // namespace upsweep::apps
