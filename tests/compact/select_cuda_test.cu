#include "compact/select_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added =
    add_select_contracts_of_vote_scan_compact<cudaStream_t>() && add_select_contracts_of_scans<cudaStream_t>() &&
    add_select_contracts_of_tiles_and_registers<cudaStream_t>() &&
    add_select_contracts_of_the_default<cudaStream_t>() && add_select_contracts_of_the_ring<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
