// How the block algorithms use shared memory, warp by warp.
#pragma once

#include <vector>

namespace upsweep::test {

inline constexpr int measured_threads = 256;

struct shared_traffic {
  int accesses = 0;   // by warps
  int conflicts = 0;  // cycles beyond those that the accesses would take with every word in a bank of its own
};

/// Of each block algorithm of 256 threads over values of u32, in the order of their list.
std::vector<shared_traffic> shared_traffic_of_u32();

}  // namespace upsweep::test
