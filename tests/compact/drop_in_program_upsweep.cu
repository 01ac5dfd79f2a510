// The program with the alias, which is all that changes.
#include "upsweep/compact/drop_in.cuh"

namespace cub = upsweep::drop_in;

#include "compact/drop_in_program.cuh"

namespace upsweep::test {

program_results select_with_upsweep(std::size_t items, cudaStream_t stream) {
  return run_program(items, stream);
}

}  // namespace upsweep::test
