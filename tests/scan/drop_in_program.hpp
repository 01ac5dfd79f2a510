// What drop_in_program.cuh leaves in memory, with CUB and with upsweep.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::test {

struct call_result {
  std::string call;
  std::vector<unsigned char> bytes;
};
using program_results = std::vector<call_result>;

program_results run_with_cub(std::size_t items, cudaStream_t stream);
program_results run_with_upsweep(std::size_t items, cudaStream_t stream);

}  // namespace upsweep::test
