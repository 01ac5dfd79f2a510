#include "contracts/scan_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

using namespace upsweep;
using test::joined_spans;

const bool added =
    test::add_scan_contract<cudaStream_t, joined_spans<std::uint32_t>>(
        "span8/direct", std::tuple<direct_lookback<warp_scans<32>, 1>, direct_lookback<warp_scans<256>, 16>>{}) &&
    test::add_scan_contract<cudaStream_t, test::sum_of<std::uint32_t>>(
        "u32/direct", std::tuple<direct_lookback<warp_scans<256>, 32>, direct_lookback<warp_scans<512>, 8>>{}) &&
    test::add_scan_contract<cudaStream_t, joined_spans<std::uint64_t>>(
        "span16/direct", std::tuple<direct_lookback<warp_scans<96>, 1>>{}) &&
    test::add_scan_contract<cudaStream_t, joined_spans<std::uint32_t>>(
        "span8/direct_in_two_launches",
        std::tuple<direct_reduce_then_scan<warp_scans<32>, 1>, direct_reduce_then_scan<warp_scans<256>, 8>>{}) &&
    test::add_scan_contract<cudaStream_t, test::sum_of<std::uint32_t>>(
        "u32/direct_in_two_launches", std::tuple<direct_reduce_then_scan<warp_scans<256>, 16>>{});

}  // namespace
