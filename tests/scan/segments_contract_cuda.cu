#include "contracts/segments_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_wide_segments_contract<cudaStream_t>() &&
                   add_segments_contract<cudaStream_t, segment_spans<std::uint32_t>, std::uint64_t, equal_to,
                                         std::uint32_t, default_segments_policy>("span8_u64_default");

}  // namespace
}  // namespace upsweep::test
