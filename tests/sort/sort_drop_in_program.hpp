// What sort_drop_in_program.cuh leaves in memory, with CUB and with upsweep.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::test {

struct sort_result {
  std::string call;
  std::vector<unsigned char> bytes;
};

std::vector<sort_result> sort_with_cub(std::size_t items, cudaStream_t stream);
std::vector<sort_result> sort_with_upsweep(std::size_t items, cudaStream_t stream);

}  // namespace upsweep::test
