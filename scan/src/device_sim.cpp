#include <unistd.h>

#include "backends.hpp"
#include "device_of.hpp"
#include "upsweep/simt/sim_executor.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

struct sim_backend {
  std::string name() const { return "sim: the kernels on this CPU; times are not GPU times"; }
  std::string architecture() const { return "sim"; }
  void* stream_handle() const { return nullptr; }
  void activate() const {}
  void close() const {}
  std::size_t free_bytes() const {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  std::string message(status s) const { return s == status::launch_failure ? sim_diagnostic() : ""; }
};

}  // namespace

std::unique_ptr<device> open_sim_device() {
  return std::make_unique<device_of<sim_executor, sim_backend>>(sim_executor{}, sim_backend{});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
