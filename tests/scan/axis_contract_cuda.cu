#include "contracts/axis_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

// The tiles that are used, and small ones, of which arrays of a test have many.
using small_axis_policy = axis_lookback<64, 24, 64, 1>;
using small_in_groups = axis_lookback<64, 24, 64, 1, 2, 512, 768, 5>;
const bool added =
    add_axis_contract<cudaStream_t, axis_spans<std::uint32_t>, small_axis_policy>("span8_64x3") &&
    add_axis_contract<cudaStream_t, axis_spans<std::uint64_t>, small_axis_policy>("span16_64x1") &&
    add_axis_contract<cudaStream_t, axis_sums<std::uint8_t>, default_axis_policy>("u8") &&
    add_axis_contract<cudaStream_t, axis_sums<float>, default_axis_policy>("f32") &&
    add_axis_contract<cudaStream_t, axis_spans<std::uint32_t>, axis_strips<64, 24, 2, 2, 16>>("span8_strips") &&
    add_axis_contract<cudaStream_t, axis_spans<std::uint64_t>, axis_strips<>>("span16_strips") &&
    add_axis_contract<cudaStream_t, axis_sums<float>, axis_strips<>>("f32_strips") &&
    add_axis_contract<cudaStream_t, axis_spans<std::uint32_t>, small_in_groups>("span8_64x3_groups") &&
    add_axis_contract<cudaStream_t, axis_spans<std::uint64_t>, reproducible_axis>("span16_groups") &&
    add_axis_contract<cudaStream_t, axis_maps, default_axis_policy>("maps64");

}  // namespace
}  // namespace upsweep::test
