// The program with the alias, which is all that changes.
#include "upsweep/sort/drop_in.cuh"

namespace cub = upsweep::drop_in;

#include "sort/sort_drop_in_program.cuh"

namespace upsweep::test {

std::vector<sort_result> sort_with_upsweep(std::size_t items, cudaStream_t stream) {
  return sort_program(items, stream).run();
}

}  // namespace upsweep::test
