#include "contracts/stream_from_host_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_stream_from_host_contracts<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
