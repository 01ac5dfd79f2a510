// What drop_in_program.cuh of this folder leaves in memory, with CUB and with upsweep.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "scan/drop_in_program.hpp"

namespace upsweep::test {

program_results select_with_cub(std::size_t items, cudaStream_t stream);
program_results select_with_upsweep(std::size_t items, cudaStream_t stream);

}  // namespace upsweep::test
