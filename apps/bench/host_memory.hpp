// What the command from_host measures beside the sort: copies, scans and selections of host memory. The GPU's half is
// host_memory_cuda.cu; the sim copies by the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// Host memory that a GPU copies straight. On failure `p` is null.
status pin_host_memory(void** p, std::size_t bytes);
void unpin_host_memory(void* p);

/// Copies so many bytes to the device's memory and, at the same time, so many others to the host's, in pieces; 0 for
/// none of the one. Waits for both.
status copy_both_ways(void* to_device, const void* from_host, std::size_t up, void* to_host, const void* from_device,
                      std::size_t down);

/// out[i] = the sum of in[0] to in[i], in host memory.
status sums_from_host(workspace device, const std::uint32_t* in, std::uint32_t* out, std::int64_t n);
/// The items below `bound`, in host memory.
status select_below_from_host(workspace device, const std::uint32_t* in, std::uint32_t* out, std::int64_t* kept,
                              std::int64_t n, std::uint32_t bound);

}  // namespace upsweep::apps
