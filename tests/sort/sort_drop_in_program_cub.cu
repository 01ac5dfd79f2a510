// The program as it was written.
#include <cub/device/device_radix_sort.cuh>

#include "sort/sort_drop_in_program.cuh"

namespace upsweep::test {

std::vector<sort_result> sort_with_cub(std::size_t items, cudaStream_t stream) {
  return sort_program(items, stream).run();
}

}  // namespace upsweep::test
