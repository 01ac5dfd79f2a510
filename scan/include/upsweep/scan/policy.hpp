// The scans, for a call that names one: the default is in default_policy.hpp.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/block/block_algorithms.cuh"
#include "upsweep/scan/default_policy.hpp"
#include "upsweep/scan/device/blelloch.cuh"
#include "upsweep/scan/device/chained_scan.cuh"
#include "upsweep/scan/device/cluster.cuh"
#include "upsweep/scan/device/decoupled_lookback.cuh"
#include "upsweep/scan/device/decoupled_lookback_pipelined.cuh"
#include "upsweep/scan/device/default_scan.cuh"
#include "upsweep/scan/device/direct_lookback.cuh"
#include "upsweep/scan/device/direct_reduce_then_scan.cuh"
#include "upsweep/scan/device/hillis_steele.cuh"
#include "upsweep/scan/device/naive_quadratic.cuh"
#include "upsweep/scan/device/reduce_then_scan.cuh"
#include "upsweep/scan/device/reproducible_scan.cuh"
#include "upsweep/scan/device/scan_then_propagate.cuh"
#include "upsweep/scan/device/serial.cuh"
#include "upsweep/scan/device/single_block.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// A scan policy is a strategy, with a block algorithm and a tile where tiles are scanned:
/// Block = warp_scans<Threads> or any other of block_algorithms<Threads>.
using detail::blelloch_sweeps;               // <>
using detail::chained_scan;                  // <Block, Items>
using detail::cluster;                       // <Block, Items>
using detail::decoupled_lookback;            // <Block, Items>
using detail::decoupled_lookback_pipelined;  // <Threads, Words>
using detail::direct_lookback;               // <Block, Items>
using detail::direct_reduce_then_scan;       // <Block, Items>
using detail::hillis_steele;                 // <>
using detail::naive_quadratic;               // <>
using detail::reduce_then_scan;              // <Block, Items>
using detail::reproducible_scan;             // <Threads, Words>
using detail::scan_then_propagate;           // <Block, Items>
using detail::serial;                        // on the host and the sim alone
using detail::single_block;                  // <Block, Items>

/// The scan whose result has the same bits on every run, every GPU and the sim: see reproducible_scan.
using reproducible = reproducible_scan<256, 32>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
