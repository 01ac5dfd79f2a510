// Partitions and splits by upsweep, on either device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "references.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// Of u32 and u64.
std::size_t partition_workspace_bytes(const partition_arrays_of_one& a);
status partition(runtime::stream s, workspace w, const partition_arrays_of_one& a);

/// offsets: as those of split_arrays, in device memory.
std::size_t split_workspace_bytes(const split_arrays_of_one& a);
status split(runtime::stream s, workspace w, const split_arrays_of_one& a, std::int64_t* offsets);

/// The parts that nvcc compiles.
status partition_on_cuda(void* stream, workspace w, const partition_arrays_of_one& a);
status split_on_cuda(void* stream, workspace w, const split_arrays_of_one& a, std::int64_t* offsets);

}  // namespace upsweep::apps
