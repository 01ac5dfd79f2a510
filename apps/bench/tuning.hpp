// Which of the ways in which the library can do an operation is the fastest on a device.
#pragma once

#include <string>
#include <vector>

#include "device_session.hpp"
#include "gpu_facts.hpp"
#include "problem.hpp"

namespace upsweep::apps {

/// A method and a scan variant, as --method and --variant name them; in C++, a policy.
struct candidate {
  std::string method = "default";
  scan_variant scan;

  friend bool operator==(const candidate&, const candidate&) = default;
};

/// The policies that the library has for an operation on n items: the default first, and each other one once. `what` is
/// scan, compact or sort.
std::vector<candidate> candidates_of(operation what, std::int64_t n, const device_session& device);

/// A candidate and what a call took.
struct timed_candidate {
  candidate which;
  interval ms;
};

struct tuning {
  problem_shape shape;
  std::vector<timed_candidate> ranked;  ///< the fastest first; the default is among them
  candidate best;                       ///< the default, unless another one is surely more than 1 % faster
  interval speedup{1, 1, 1};            ///< the default's time over that of the best
  std::size_t timed = 0, left_out = 0;  ///< candidates; those for which time or memory were too short are left out
  bool verified = true;                 ///< false when a candidate gave a wrong result; it has been said, and is out
};

/// Times every candidate, the most promising ones in turn, in about `max_seconds`. `shape.method` means nothing.
/// Failures are those of device_session.
tuning tune(device_session& device, problem_shape shape, double max_seconds);

/// The policy as C++ spells it: "upsweep::vote_scan_compact<upsweep::cluster<upsweep::warp_scans<256>, 4>>".
std::string policy_text(operation what, const candidate& c);

/// A table of the fastest, and what the best would gain.
std::string tuning_text(const tuning& t);

/// A config of the programs: what was found, and where.
ordered_json tuning_json(const tuning& t, const device_session& device, const gpu_facts& gpu);

/// A header that names the policy, and that compiles for the architecture alone where it was found.
std::string tuning_header(const tuning& t, const device_session& device, const gpu_facts& gpu);

}  // namespace upsweep::apps
