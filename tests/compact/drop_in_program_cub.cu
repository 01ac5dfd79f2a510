// The program as it was written.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "compact/drop_in_program.cuh"

namespace upsweep::test {

program_results select_with_cub(std::size_t items, cudaStream_t stream) {
  return run_program(items, stream);
}

}  // namespace upsweep::test
