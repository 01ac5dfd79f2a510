#include "measure.hpp"

#include <algorithm>
#include <utility>

#include "statistics.hpp"

namespace upsweep::apps {
namespace {

constexpr int calls_in_graph = 50;

/// One side's samples as they come in.
struct side {
  std::vector<double> ms, clocks;

  void add(const call_sample& s) {
    ms.push_back(s.ms);
    if (s.clock_mhz > 0) clocks.push_back(s.clock_mhz);
  }
  timing as_timing(const contender& c) const {
    timing all = timing_of_samples(c.name, ms);
    all.clock_mhz = clocks.empty() ? 0 : median(clocks);
    all.bytes = c.bytes;
    return all;
  }
};

/// For a subject alone: its median is known to +-1 %.
bool is_stable(const std::vector<double>& ms) {
  if (ms.size() < 10) return false;
  const interval i = bootstrap_median(ms);
  return i.high - i.low < 0.02 * i.median;
}

}  // namespace

std::unique_ptr<call_timer> timer_for(device_session& device) {
  auto timer = device.where() == runtime::backend::cuda ? make_cuda_timer(device.stream()) : make_host_timer();
  if (!timer) fail(exit_code::device, "{}: the buffers of the timer cannot be allocated", device.name());
  return timer;
}

measurer::measurer(device_session& device, const measure_settings& settings, std::unique_ptr<call_timer> timer)
    : device_(device), settings_(settings), timer_(std::move(timer)) {}

call_sample measurer::sample(const contender& c, timing_mode mode) {
  // What ran last is in the instruction caches, which no flush empties: let that be this one, for both sides alike.
  if (&c != last_ && !c.on_host) warm_up(c);
  last_ = &c;
  call_sample s;
  call_timer& timer = c.on_host ? *host_timer_ : *timer_;
  device_.check(timer.time(c, mode == timing_mode::cold, s), c.name.c_str());
  // Shorter than the clock can tell would be a ratio of nothing.
  s.ms = std::max(s.ms, 1e-6);
  highest_mhz_ = std::max(highest_mhz_, s.clock_mhz);
  return s;
}

void measurer::warm_up(const contender& c) {
  if (c.prepare) device_.check(c.prepare(), c.name.c_str());
  device_.check(c.call(), c.name.c_str());
  device_.check(device_.synchronize(), c.name.c_str());
}

contender measurer::in_mode(const contender& c, timing_mode mode) {
  if (mode != timing_mode::graph || c.on_host) return c;
  std::optional<contender> graph;
  device_.check(timer_->capture(c, calls_in_graph, graph), c.name.c_str());
  if (!graph) return c;
  graph->check = c.check;
  graph->bytes = c.bytes;
  return *graph;
}

std::vector<interval> measurer::in_turn(const std::vector<contender>& ways, timing_mode mode, int rounds) {
  last_ = nullptr;
  std::vector<std::vector<double>> ms(ways.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) ms[i].push_back(sample(ways[i], mode).ms);
  }
  std::vector<interval> medians;
  for (const std::vector<double>& of_one : ms) medians.push_back(bootstrap_median(of_one));
  return medians;
}

contender measurer::fastest(const std::vector<contender>& ways, timing_mode mode) {
  if (ways.size() == 1) return ways[0];
  const std::vector<interval> ms = in_turn(ways, mode, 5);
  return ways[static_cast<std::size_t>(std::ranges::min_element(ms, {}, &interval::median) - ms.begin())];
}

void measurer::compare(const contender& subject, const contender* reference, bench_row& row) {
  std::vector<const contender*> order = {&subject};
  if (reference) order = {&subject, reference, reference, &subject};
  const auto enough = static_cast<std::size_t>(settings_.min_samples);
  side ours, theirs;
  paired_samples pairs;
  stopwatch watch;
  double seconds = 0;
  std::size_t next_look = enough;
  row.stable = false;
  last_ = nullptr;
  while (!row.stable) {
    if (ours.ms.size() >= enough && seconds > settings_.max_seconds) break;
    std::vector<call_sample> group;
    for (const contender* c : order) group.push_back(sample(*c, row.mode));
    seconds += watch.lap() / 1000;
    if (std::any_of(group.begin(), group.end(), [this](const auto& s) { return throttled(s); })) {
      row.discarded += static_cast<std::int64_t>(group.size());
      // A clock that stays low is the clock there is.
      if (seconds > 10 * settings_.max_seconds) highest_mhz_ = 0;
      continue;
    }
    for (std::size_t i = 0; i < order.size(); ++i) (order[i] == &subject ? ours : theirs).add(group[i]);
    if (reference) pairs.add(group[0].ms, group[1].ms, group[2].ms, group[3].ms);
    // Looking takes time, and the next group would feel that pause: so it is done seldom.
    if (ours.ms.size() < next_look) continue;
    next_look = ours.ms.size() + ours.ms.size() / 10;
    row.stable = reference ? pairs.stable() : is_stable(ours.ms);
  }
  row.subject = ours.as_timing(subject);
  if (!reference) return;
  row.reference_timing = theirs.as_timing(*reference);
  row.speedup = pairs.speedup();
  row.noise = pairs.noise();
}

}  // namespace upsweep::apps
