// How many cores this process may use.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace upsweep::apps {

/// Those that it is allowed (taskset, a batch system, a container's set of them), not all that the machine has. At
/// least 1.
inline std::size_t usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // It fails where the machine has more cores than a set of them has room for.
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&allowed)));
  }
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace upsweep::apps
