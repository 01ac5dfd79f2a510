// Systematic schedules of the sim (sim_order::explored): all that leave a fixed order at most so many times. Most bugs
// need one or two (Musuvathi & Qadeer, "Iterative context bounding for systematic testing of multithreaded programs",
// 2007). A choice where a warp can run no further counts, too, or there would be too many (Emmi, Qadeer & Rakamaric,
// "Delay-bounded scheduling", 2011).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// At schedule point `point` the run goes on with its `other`-th alternative instead of what the order would do.
struct preemption {
  std::size_t point;
  int other;  ///< from 1
  friend bool operator==(const preemption&, const preemption&) = default;
};

/// One schedule, and what a run by it has met. Without preemptions, a warp runs until it can run no further, and then
/// the next that can. The run may turn elsewhere at its schedule points, which are where another warp of any block can
/// run or a bulk copy can complete, and a warp
///   - is before or after an atomic or ordered access, or a look at a phase barrier,
///   - has arrived at the block's barrier, the barrier of a group, or a phase barrier,
///   - can run no further, or begins the launch.
/// An alternative is another warp, the next ones first, or a bulk copy that completes. Bulk copies complete last of all
/// when nothing chooses them earlier. A warp that backs off can run again once anything has happened since it looked.
struct sim_exploration {
  std::vector<preemption> preemptions;  ///< by rising point
  /// How many alternatives each schedule point had. Runs of several kernels one after the other count on.
  std::vector<int> alternatives = {};
};

/// "{{7, 1}, {12, 2}}": what `preemptions` is initialised with to see the same run again.
UPSWEEP_EXPORT std::string to_string(const std::vector<preemption>& preemptions);

/// Calls `run(sim_exploration&)`, which runs the same kernels each time, for every schedule of at most `most`
/// preemptions, those with fewest first, until it returns false. How many there were.
template <class Run>
std::size_t explore_schedules(int most, Run run) {
  std::vector<std::vector<preemption>> schedules = {{}}, longer;
  std::size_t count = 0;
  for (int length = 0; length <= most; ++length) {
    for (const std::vector<preemption>& preemptions : schedules) {
      sim_exploration e{preemptions};
      ++count;
      if (!run(e)) return count;
      if (!preemptions.empty() && e.alternatives.size() <= preemptions.back().point) {
        throw std::logic_error("explore_schedules: a run with the same preemptions went another way");
      }
      if (length == most) continue;
      std::size_t point = preemptions.empty() ? 0 : preemptions.back().point + 1;
      for (; point < e.alternatives.size(); ++point) {
        for (int other = 1; other <= e.alternatives[point]; ++other) {
          longer.push_back(preemptions);
          longer.back().push_back({point, other});
        }
      }
    }
    schedules = std::move(longer);
    longer.clear();
  }
  return count;
}

}  // namespace upsweep::inline UPSWEEP_ABI
