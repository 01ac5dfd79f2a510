// Which device each of the processes takes that mpirun has begun.
#pragma once

#include <string>

#include "process_ranks.hpp"

namespace upsweep::apps {

/// How many GPUs this process finds.
int gpus_here();

/// The number of the GPU for this rank, by `--device`: its number among the ranks of this host, or 0 where the launcher
/// has dealt them out, by CUDA_VISIBLE_DEVICES. -1 for the sim. Fails where there is none for it.
int gpu_of_process(const std::string& device, const process_ranks& ranks);

/// Fails on all ranks unless all have a GPU, or none.
void check_gpus_of_all(int gpu, process_ranks& ranks);

}  // namespace upsweep::apps
