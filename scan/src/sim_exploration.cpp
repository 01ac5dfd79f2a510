// sim_order::explored: who runs next is chosen here, and the same in every run by the same preemptions.
#include "upsweep/simt/sim_exploration.hpp"

#include "sim_worker.hpp"
#include "upsweep/simt/sim_scheduler.hpp"

namespace upsweep::inline UPSWEEP_ABI {

std::string to_string(const std::vector<preemption>& preemptions) {
  std::string text = "{";
  for (const preemption& p : preemptions) {
    text += (text.size() > 1 ? ", {" : "{") + std::to_string(p.point) + ", " + std::to_string(p.other) + "}";
  }
  return text + "}";
}

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::sim::inline UPSWEEP_ABI {

void worker::run_explored() {
  if (static_cast<std::int64_t>(slots_.size()) < request().blocks) {
    return stop("sim_order::explored keeps all blocks in flight, and this grid has too many threads for that");
  }
  for (std::size_t c = 0; c < clusters_.size(); ++c) issue_cluster(c);
  for (bool more = choose_turn(); more && !stopped();) {
    const int place = turn_;
    slot& s = slot_of(place);
    s.block->run_warp(warp_in_turn(), happened());
    if (s.busy) free_if_finished(s);
    // Where the schedule turned, it has chosen; else the warp can run no further.
    if (turn_ == place) more = choose_turn();
  }
}

bool worker::stays() {
  const int place = turn_;
  choose_turn();
  return turn_ == place;
}

/// Chooses the warp that runs next; false when all have ended or none ever will.
bool worker::choose_turn() {
  while (!stopped()) {
    const std::uint64_t now = happened();
    const int places = static_cast<int>(slots_.size()) * warps();
    can_run_.clear();
    for (int i = 0; i < places; ++i) {
      const int place = (turn_ + i) % places;
      if (slot_of(place).block->warp_can_run(place % warps(), now)) can_run_.push_back(place);
    }
    std::size_t ways = can_run_.size();
    for (const slot& s : slots_) ways += s.block->state_->bulk.size();
    if (ways == 0) {
      if (!look_again(now)) return false;
      continue;
    }
    const auto choice = static_cast<std::size_t>(choice_of(ways - 1));
    if (choice < can_run_.size()) {
      turn_ = can_run_[choice];
      return true;
    }
    complete_bulk_copy(choice - can_run_.size());
  }
  return false;
}

/// The answer of the exploration at a schedule point: 0 to go on as the order does.
int worker::choice_of(std::size_t alternatives) {
  sim_exploration* const e = options().exploration;
  if (e == nullptr || alternatives == 0) return 0;
  const std::size_t point = e->alternatives.size();
  e->alternatives.push_back(static_cast<int>(alternatives));
  while (next_preemption_ < e->preemptions.size() && e->preemptions[next_preemption_].point < point) ++next_preemption_;
  if (next_preemption_ == e->preemptions.size() || e->preemptions[next_preemption_].point != point) return 0;
  const int other = e->preemptions[next_preemption_].other;
  if (other >= 0 && other <= e->alternatives.back()) return other;
  stop("schedule point " + std::to_string(point) + " has " + std::to_string(alternatives) + " alternatives, not " +
       std::to_string(other) + ": these preemptions are of another run");
  return 0;
}

void worker::complete_bulk_copy(std::size_t which) {
  for (const slot& s : slots_) {
    if (which < s.block->state_->bulk.size()) return s.block->complete_bulk_copy(which);
    which -= s.block->state_->bulk.size();
  }
}

/// Nothing can run unless a warp that spins looks again though nothing has happened; it may have backed off without a
/// look. After many such rounds, and when no warp spins, the launch stands still.
bool worker::look_again(std::uint64_t now) {
  constexpr int patience = 1000;
  if (now != seen_progress_) idle_rounds_ = 0;
  seen_progress_ = now;
  const int places = static_cast<int>(slots_.size()) * warps();
  bool spins = false;
  for (int i = 1; i <= places; ++i) {
    const int place = (turn_ + i) % places;
    block_runtime& block = *slot_of(place).block;
    if (block.state_->warps[static_cast<std::size_t>(place % warps())].spinning == 0) continue;
    spins = true;
    if (++idle_rounds_ > patience) break;
    block.wake_spinners(place % warps());
    turn_ = place;
    return true;
  }
  std::string report;
  for (const slot& s : slots_) {
    if (s.busy) report += s.block->stuck_report("");
  }
  if (!report.empty()) {
    stop((spins ? "no forward progress: threads back off, and nothing that they wait for happens"
                : "no forward progress: all threads wait for each other") +
         report);
  }
  return false;
}

std::uint64_t worker::happened() const {
  std::uint64_t sum = 0;
  for (const slot& s : slots_) sum += s.block->progress_;
  return sum;
}

}  // namespace upsweep::sim::inline UPSWEEP_ABI
