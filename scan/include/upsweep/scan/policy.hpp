// The scan that is used where none is named.
#pragma once

#include "upsweep/scan/block/block_algorithms.cuh"
#include "upsweep/scan/device/decoupled_lookback.cuh"
#include "upsweep/scan/device/scan_then_propagate.cuh"
#include "upsweep/scan/device/serial.cuh"

namespace upsweep {

/// A scan policy is a strategy with its block algorithm and tile: any of
///   serial, scan_then_propagate<Block, Items>, decoupled_lookback<Block, Items>
/// with Block = warp_scans<Threads> or any other of block_algorithms<Threads>.
using default_scan_policy = decoupled_lookback<warp_scans<256>, 16>;

}  // namespace upsweep
