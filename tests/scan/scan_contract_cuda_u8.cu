#include "contracts/scan_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

using namespace upsweep;

using u8 = test::sum_of<std::uint8_t>;
// The second is the default's for many bytes.
const bool added = test::add_scan_contracts<cudaStream_t, u8>("u8") &&
                   test::add_scan_contract<cudaStream_t, u8>("u8", std::tuple<decoupled_lookback_pipelined<512, 16>>{});

}  // namespace
