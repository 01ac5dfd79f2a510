// The program as it was written.
#include <cub/device/device_scan.cuh>
#include <cub/util_type.cuh>

#include "scan/drop_in_program.cuh"

namespace upsweep::test {

program_results run_with_cub(std::size_t items, cudaStream_t stream) {
  return run_program(items, stream);
}

}  // namespace upsweep::test
