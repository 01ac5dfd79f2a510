// Calls over several GPUs of this host beside the same call on one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::apps {

/// One operation on n items in all: medians of the times on one GPU that has them all, and on all of them, of which the
/// slowest counts. Of an exchange, one_ms is the time of copies from GPU to GPU.
struct across_row {
  std::string operation;
  std::int64_t n;
  double one_ms, all_ms;
};

/// Measures exclusive sums, a selection of half, sorts of keys and of pairs, all of u32, and an exchange, on so many
/// GPUs. Sums and sorted keys are compared with those of one GPU, so the first GPU has room for them: `why` is not
/// empty where they differ, or something fails.
std::vector<across_row> measure_across(int gpus, const std::vector<std::int64_t>& sizes, int samples, std::string& why);

/// How many GPUs there are to measure on; 0 where the program was built without NCCL.
int gpus_for_across();

}  // namespace upsweep::apps
