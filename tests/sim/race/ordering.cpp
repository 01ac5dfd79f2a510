// What orders accesses: barriers, phases, fences, messages, and what bulk copies wait for.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "race_checker.hpp"

namespace upsweep::race {

// --- what orders accesses ---

void race_checker::waits_for_previous(block_runtime& block, int thread) {
  block_state& b = state_of(block);
  b.behind_wait[static_cast<std::size_t>(thread)] = true;
  b.waits.push_back({static_cast<std::uint32_t>(thread), b.clocks.now(thread)});
  b.clocks.pass(thread);
}

bool race_checker::is_behind_wait(block_state& b, int thread) {
  const auto t = static_cast<std::size_t>(thread);
  b.behind_wait[t] = b.behind_wait[t] || std::ranges::any_of(b.waits, [&](const auto& wait) {
                       return b.clocks.knows(thread, b.clocks.block(), wait.first, wait.second);
                     });
  return b.behind_wait[t];
}

void race_checker::barrier_completes(block_runtime& block) {
  state_of(block).clocks.barrier();
}

void race_checker::group_arrives(block_runtime& block, int thread, int group) {
  block_state& b = state_of(block);
  b.group[group] = joined(b.group[group], b.clocks.release(thread));
}

void race_checker::group_completes(block_runtime& block, int group, std::span<const int> waiting) {
  block_state& b = state_of(block);
  for (const int t : waiting) b.clocks.acquire(t, b.group[group]);
  b.group[group] = nullptr;
}

void race_checker::cluster_arrives(block_runtime& block, int thread) {
  cluster_messages& c = clusters_[&block.cluster()];
  c.arrived = joined(c.arrived, state_of(block).clocks.release(thread));
}

void race_checker::cluster_completes(block_runtime& block) {
  cluster_messages& c = clusters_[&block.cluster()];
  c.complete = std::exchange(c.arrived, nullptr);
}

void race_checker::cluster_leaves(block_runtime& block, int thread) {
  state_of(block).clocks.acquire(thread, clusters_[&block.cluster()].complete);
}

void race_checker::warp_syncs(block_runtime& block, int warp, lane_mask mask) {
  state_of(block).clocks.warp_sync(warp, mask);
}

void race_checker::phase_begins(block_runtime& block, int thread, const phase_barrier& p, call_site site) {
  block_state& b = state_of(block);
  note(b, thread, &p, sizeof p, use::write, false, false, place_of(site));
  b.phases[address_of(&p)] = {nullptr, nullptr, b.clocks.new_actor()};
}

void race_checker::phase_arrives(block_runtime& block, int thread, const phase_barrier& p, call_site site) {
  block_state& b = state_of(block);
  note(b, thread, &p, sizeof p, use::atomic_write, false, false, place_of(site));
  phase& state = b.phases[address_of(&p)];
  state.arrived = joined(state.arrived, b.clocks.release(thread));
}

void race_checker::phase_completes(block_runtime& block, const phase_barrier& p) {
  phase& state = state_of(block).phases[address_of(&p)];
  state.complete = joined(state.complete, state.arrived);
  state.arrived = nullptr;
  ++state.number;
}

void race_checker::phase_seen(block_runtime& block, int thread, const phase_barrier& p, bool done, call_site site) {
  block_state& b = state_of(block);
  note(b, thread, &p, sizeof p, use::atomic_read, false, false, place_of(site));
  if (!done) return;
  const phase& state = b.phases[address_of(&p)];
  b.clocks.acquire(thread, state.complete);
  b.clocks.learns(thread, state.actor, state.number - 1);
}

void race_checker::fenced(block_runtime& block, int thread, bool device_wide) {
  block_state& b = state_of(block);
  fences& f = b.fence[static_cast<std::size_t>(thread)];
  b.clocks.acquire(thread, f.read_narrow);
  if (device_wide) b.clocks.acquire(thread, f.read_wide);
  const message m = b.clocks.release(thread);
  (device_wide ? f.wide : f.narrow) = m;
}

void race_checker::accesses(block_runtime& block, int thread, const sim::ordered_access& a, call_site site) {
  block_state& b = state_of(block);
  const std::uint32_t place = place_of(site);
  const std::uintptr_t p = address_of(a.at);
  if (a.reads) note(b, thread, a.at, a.bytes, use::atomic_read, a.device_wide, false, place);
  if (a.writes) note(b, thread, a.at, a.bytes, use::atomic_write, a.device_wide, false, place);

  const std::int64_t me = b.clocks.block();
  fences& f = b.fence[static_cast<std::size_t>(thread)];
  auto& words = words_of(b, p);
  const auto found = words.find(p);
  const word_message before = found != words.end() ? found->second : word_message{};
  if (a.reads) {
    const bool from_here = before.wide_block == me;
    const auto hears = [&](const message& m, message& kept) {
      if (a.acquires) {
        b.clocks.acquire(thread, m);
      } else {
        kept = joined(kept, m);
      }
    };
    if (from_here || a.device_wide) hears(before.wide, from_here ? f.read_narrow : f.read_wide);
    if (before.narrow_block == me) hears(before.narrow, f.read_narrow);
  }
  if (!a.writes) return;
  message wide = f.wide, narrow = f.narrow;
  if (a.releases) (a.device_wide ? wide : narrow) = b.clocks.release(thread);
  word_message says{wide, narrow, wide ? me : -1, narrow ? me : -1};
  // A read-modify-write goes on with the release that it follows; any other store ends it.
  if (a.reads && before.wide) {
    says.wide_block = !wide || before.wide_block == me ? before.wide_block : -1;
    says.wide = joined(wide, before.wide);
  }
  if (a.reads && before.narrow && (!narrow || before.narrow_block == me)) {
    says.narrow_block = before.narrow_block;
    says.narrow = joined(narrow, before.narrow);
  }
  if (says.wide || says.narrow) {
    words[p] = says;
  } else if (found != words.end()) {
    words.erase(found);
  }
}

// --- bulk copies ---

void race_checker::bulk_fenced(block_runtime& block, int thread) {
  block_state& b = state_of(block);
  b.bulk_fences[static_cast<std::size_t>(thread)].push_back(b.clocks.now(thread));
  b.clocks.pass(thread);
}

void race_checker::bulk_copy_issued(block_runtime& block, const sim::bulk_copy& copy) {
  block_state& b = state_of(block);
  const std::uint32_t place = place_of(copy.site);
  std::uint32_t reading, writing;
  moment when;
  if (copy.barrier != nullptr) {
    const phase& p = b.phases[address_of(copy.barrier)];
    reading = writing = p.actor;
    when = p.number;
  } else {
    auto found = b.stores.find(copy.thread);
    if (found == b.stores.end()) {
      const std::uint32_t first = b.clocks.new_actor();
      found = b.stores.emplace(copy.thread, store_actors{first, b.clocks.new_actor()}).first;
    }
    reading = found->second.reading;
    writing = found->second.writing;
    when = static_cast<moment>(copy.group) + 1;
  }
  note(b, copy.thread, reading, when, address_of(copy.from), copy.bytes, use::read, false, true, place);
  check_bulk_fences(b, copy);
  note(b, copy.thread, writing, when, address_of(copy.to), copy.bytes, use::write, false, true, place);
}

/// Each write of a thread to the shared memory of a bulk copy is followed by a bulk_fence of its thread, of which the
/// thread of the copy knows.
void race_checker::check_bulk_fences(block_state& b, const sim::bulk_copy& copy) {
  const bool loads = copy.barrier != nullptr;
  const std::uintptr_t shared = address_of(loads ? copy.to : copy.from);
  shadowed_memory* const memory = find(shared);
  if (memory == nullptr || !memory->holds(shared, copy.bytes)) return;  // note() says so
  const access* const hidden = memory->find_write(shared, copy.bytes, [&](const access& write) {
    if (write.block != b.clocks.block() || write.actor >= static_cast<std::uint32_t>(b.clocks.threads())) return false;
    const auto& fences = b.bulk_fences[write.actor];
    const auto next = std::lower_bound(fences.begin(), fences.end(), write.when);
    return next == fences.end() || !b.clocks.knows(copy.thread, write.block, write.actor, *next);
  });
  if (hidden == nullptr) return;
  stop(b, copy.thread, place_of(copy.site),
       (loads ? "a bulk load writes over what " : "a bulk store reads what ") + name_of(b, *hidden) +
           ", and no bulk_fence behind that makes it visible");
}

void race_checker::bulk_waited(block_runtime& block, int thread, int group) {
  block_state& b = state_of(block);
  const auto found = b.stores.find(thread);
  if (found != b.stores.end() && group > 0) b.clocks.learns(thread, found->second.reading, static_cast<moment>(group));
}

}  // namespace upsweep::race
