#include "gpu_facts.hpp"

#include <cuda_runtime_api.h>

namespace upsweep::apps {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

gpu_facts facts_of_gpu() {
  gpu_facts facts;
  int device = 0, version = 0, kilohertz = 0;
  cudaDeviceProp properties;
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess)
    return facts;
  facts.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.l2_bytes = properties.l2CacheSize;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device) == cudaSuccess) {
    facts.max_clock_mhz = kilohertz / 1000;
  }
  if (cudaDriverGetVersion(&version) == cudaSuccess) facts.driver = version_text(version);
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) facts.runtime = version_text(version);
  return facts;
}

}  // namespace upsweep::apps
