#include "contracts/frame_kernels_contract.hpp"
#include "contracts/splat_kernels_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_frame_kernels_contract<cudaStream_t>() && add_splat_kernels_contract<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
