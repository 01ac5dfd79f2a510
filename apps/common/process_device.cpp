#include "process_device.hpp"

#include <algorithm>
#include <cstdlib>

#include "upsweep/simt/runtime.hpp"

namespace upsweep::apps {

int gpus_here() {
  int count = 0;
  for (std::string why; runtime::open_device(fmt::format("cuda:{}", count), why) != nullptr;) ++count;
  return count;
}

int gpu_of_process(const std::string& device, const process_ranks& ranks) {
  std::string why;
  if (device != "sim" && runtime::open_device(fmt::format("cuda:{}", ranks.local_rank()), why) != nullptr) {
    return ranks.local_rank();
  }
  const int gpus = device == "sim" ? 0 : gpus_here();
  if (gpus == 0) {
    if (runtime::open_device(device, why) == nullptr) fail(exit_code::device, "{}", why);
    return -1;
  }
  if (gpus == 1 && std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) return 0;
  fail(exit_code::device, "rank {} is process {} of this machine, which has {} GPUs; expected a GPU for each",
       ranks.rank(), ranks.local_rank() + 1, gpus);
}

void check_gpus_of_all(int gpu, process_ranks& ranks) {
  const std::vector<int> all = ranks.all_of(gpu < 0 ? 0 : 1);
  const auto with = std::count(all.begin(), all.end(), 1);
  ranks.together([&] {
    if (with == 0 || with == ranks.ranks()) return;
    fail(exit_code::device, "{} of {} processes have a GPU; expected one for each, or --device sim", with,
         ranks.ranks());
  });
}

}  // namespace upsweep::apps
