// One run over all axes: a problem for each data set, a row for each pair of contenders.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench_config.hpp"
#include "device_session.hpp"
#include "measure.hpp"
#include "problem.hpp"
#include "progress.hpp"

namespace upsweep::apps {

class bench_run {
 public:
  bench_run(const bench_config& config, operation what, device_session& device);

  /// Each variant against each reference.
  void against_references(const bench_axes& axes);
  /// Each variant against CUB (on the sim, alone), and the CPU loop and a copy; costs beside what was measured.
  void survey(const bench_axes& axes);

  /// What was measured, with device, versions and settings; command and argv are the caller's to fill in.
  bench_record& record() { return record_; }
  /// ok; not_verified when a result was wrong; device when memory ran out before the end. What it was has been said.
  exit_code outcome() const { return outcome_; }

 private:
  /// A contender that has been called, and whether its result was right.
  struct side {
    contender who;
    bool right = false;
  };

  /// True when the variant takes the shape at hand; else says so.
  bool takes(const scan_variant& v);
  /// Calls `work` with a problem of each shape.
  void over_shapes(const bench_axes& axes, const std::function<void(problem&)>& work);
  /// Says why the shape at hand could not be measured.
  void cannot(exit_code code, const char* why);
  std::vector<timing_mode> modes() const;
  side checked(contender c);
  /// The best way of a reference; null where it cannot be timed in that mode.
  const side* reference(problem& p, const std::string& kind, timing_mode mode);
  void measure(const side& subject, const side* reference, const std::string& kind, timing_mode mode,
               std::optional<survey_cost> cost);
  void measure_copy();

  const bench_config& config_;
  device_session& device_;
  measurer measurer_;
  problem_shape shape_;
  std::uint64_t bytes_ = 0;
  std::map<std::pair<std::string, timing_mode>, std::optional<side>> references_;  ///< of this problem
  bench_record record_;
  exit_code outcome_ = exit_code::ok;
  std::optional<progress> bar_;
  std::uint64_t steps_ = 0;
};

}  // namespace upsweep::apps
