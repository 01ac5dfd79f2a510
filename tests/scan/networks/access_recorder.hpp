// Records the accesses to shared memory of code compiled with -fsanitize=thread, instead of the compiler's runtime.
#pragma once

#include "scan/networks/shared_traffic.hpp"
#include "scan/networks/traced_block.hpp"

namespace upsweep::test {

/// Of one block, from begin to end; each of its threads announces itself first.
void begin_recording(int threads);
void record_thread(sim::block_runtime& block, int thread, const passed_points& passed);
shared_traffic end_recording();

}  // namespace upsweep::test
