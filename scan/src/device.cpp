#include <algorithm>
#include <charconv>
#include <string>

#include "backends.hpp"
#include "upsweep/simt/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

std::unique_ptr<device> open_device(std::string_view which, std::string& why) {
  why.clear();
  if (which == "sim") return open_sim_device();
  if (which == "auto") {
    std::string first;
    for (int i = 0, count = cuda_device_count(); i < std::max(count, 1); ++i) {
      if (auto gpu = open_cuda_device(i, i == 0 ? first : why)) return gpu;
    }
    why = first;
    return open_sim_device();
  }
  constexpr std::string_view numbered = "cuda:";
  int index = 0;
  bool understood = which == "cuda";
  if (which.starts_with(numbered)) {
    const char* end = which.data() + which.size();
    const auto [stop, error] = std::from_chars(which.data() + numbered.size(), end, index);
    understood = error == std::errc{} && stop == end && index >= 0;
  }
  if (!understood) {
    why = "device '" + std::string(which) + "' is not one of auto, cuda, cuda:N, sim";
    return nullptr;
  }
  auto gpu = open_cuda_device(index, why);
  if (!gpu) why = "device '" + std::string(which) + "': " + why + "; 'sim' runs on the CPU";
  return gpu;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
