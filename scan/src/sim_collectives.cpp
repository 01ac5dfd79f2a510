// Where the threads of a block meet: collectives of warps, barriers, phase barriers, bulk copies.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim_worker.hpp"
#include "upsweep/simt/sim_memory.hpp"
#include "upsweep/simt/sim_observer.hpp"
#include "upsweep/simt/sim_scheduler.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {
namespace {

/// What a phase_barrier's word holds on the sim.
struct phase_word {
  std::int32_t bytes;  // expected and not yet come
  std::uint16_t pending : 15, parity : 1;
  std::uint16_t arrivals;
};
static_assert(sizeof(phase_word) == sizeof(phase_barrier));

phase_word read_phase(const phase_barrier& b) {
  return std::bit_cast<phase_word>(b);
}

/// Calls f with the record of each lane of the mask, from the lowest on.
template <class Call, class F>
void for_each_lane(void* const calls[], lane_mask mask, F f) {
  for (lane_mask left = mask; left != 0; left &= left - 1) f(*static_cast<Call*>(calls[std::countr_zero(left)]));
}

}  // namespace

void block_runtime::meet(int thread, lane_mask mask, const char* kind, call_site site, void* call,
                         combine_function combine) {
  state::warp_state& warp = state_->warps[static_cast<std::size_t>(warp_of(thread))];
  const lane_mask me = bit_of(thread);
  if ((mask & me) == 0) stop(thread, site, std::string("calls ") + kind + " with a mask that does not name it");
  if ((mask & warp.exited) != 0) {
    const int gone = warp_of(thread) * warp_size + std::countr_zero(mask & warp.exited);
    stop(thread, site, std::string("calls ") + kind + " with a mask that names the exited " + thread_name(gone));
  }
  int found = -1;
  for (int i = 0; i < warp.open; ++i) {
    const state::meeting& m = warp.meetings[i];
    const bool same = m.mask == mask && m.site == site && m.kind == kind;
    if (same) {
      found = i;
    } else if ((m.arrived & mask) != 0 && (m.mask & me) != 0) {
      const int other = warp_of(thread) * warp_size + std::countr_zero(m.arrived & mask);
      stop(thread, site,
           std::string("lanes meet in different collectives: it calls ") + kind + " while " + thread_name(other) +
               " waits for it in " + m.kind + " at " + m.site.file + ":" + std::to_string(m.site.line));
    }
  }
  if (found < 0) {
    found = warp.open++;
    warp.meetings[found] = {mask, 0, kind, site};
  }
  state::meeting& m = warp.meetings[found];
  m.arrived |= me;
  warp.calls[thread % warp_size] = call;
  if (m.arrived != mask) {
    suspend(thread, kind, site);
    return;
  }
  warp.meetings[found] = warp.meetings[--warp.open];
  // Long computation in a warp is progress, even where it leaves no trace yet; a loop that waits backs off, or ends
  // at the limit.
  constexpr std::uint32_t long_computation = 256, longest = 1u << 18;
  if (++warp.met % long_computation == 0 && warp.met <= longest) ++progress_;
  current_ = -1;  // what is combined belongs to no thread
  combine(warp.calls, mask);
  current_ = thread;
  if (observer_ != nullptr && call == nullptr) observer_->warp_syncs(*this, warp_of(thread), mask);
  warp.runnable |= mask;
  runnable_warps_ |= 1u << warp_of(thread);
}

void block_runtime::exchange(int thread, const void* value, void* result, std::size_t bytes, int source, lane_mask mask,
                             const char* kind, call_site site) {
  struct call {
    const void* value;
    void* result;
    std::size_t bytes;
    int source;
  } c{value, result, bytes, source};
  meet(thread, mask, kind, site, &c, [](void* const calls[], lane_mask all) {
    for_each_lane<call>(calls, all, [&](call& mine) {
      if ((all >> mine.source & 1u) != 0) {
        const void* const from = static_cast<const call*>(calls[mine.source])->value;
        if (mine.bytes == 4) {  // most are, and need no call
          std::memcpy(mine.result, from, 4);
        } else {
          std::memcpy(mine.result, from, mine.bytes);
        }
      } else {
        std::memset(mine.result, poison, mine.bytes);
      }
    });
  });
}

lane_mask block_runtime::ballot(int thread, bool vote, lane_mask mask, const char* kind, call_site site) {
  const lane_mask same = match(thread, vote, mask, kind, site);
  return vote ? same : mask & ~same;
}

lane_mask block_runtime::match(int thread, std::uint64_t word, lane_mask mask, const char* kind, call_site site) {
  struct call {
    std::uint64_t word;
    lane_mask same;
  } c{word, 0};
  meet(thread, mask, kind, site, &c, [](void* const calls[], lane_mask all) {
    for (lane_mask left = all; left != 0;) {
      const std::uint64_t first = static_cast<const call*>(calls[std::countr_zero(left)])->word;
      lane_mask same = 0;
      for (lane_mask rest = left; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (static_cast<const call*>(calls[lane])->word == first) same |= 1u << lane;
      }
      for_each_lane<call>(calls, same, [same](call& mine) { mine.same = same; });
      left &= ~same;
    }
  });
  return c.same;
}

std::uint32_t block_runtime::reduce(int thread, std::uint32_t word, std::uint32_t (*op)(std::uint32_t, std::uint32_t),
                                    lane_mask mask, const char* kind, call_site site) {
  struct call {
    std::uint32_t word;
    std::uint32_t (*op)(std::uint32_t, std::uint32_t);
  } c{word, op};
  meet(thread, mask, kind, site, &c, [](void* const calls[], lane_mask all) {
    call total = *static_cast<const call*>(calls[std::countr_zero(all)]);
    for_each_lane<call>(calls, all & (all - 1),
                        [&](const call& next) { total.word = total.op(total.word, next.word); });
    for_each_lane<call>(calls, all, [&](call& mine) { mine.word = total.word; });
  });
  return c.word;
}

int block_runtime::barrier(int thread, barrier_vote vote, bool value, const char* kind, call_site site) {
  state::barrier_state& b = state_->barriers[0];
  if (exited_ > 0) {
    stop(thread, site, std::string("partial barrier: it calls ") + kind + ", but " + name_of_exited() + " has exited");
  }
  if (b.arrived == 0) {
    b.kind = kind;
    b.site = site;
    b.first_thread = thread;
    b.value = vote == barrier_vote::all ? 1 : 0;
  } else if (b.site != site || b.kind != kind) {
    stop(thread, site,
         std::string("divergent barrier: it calls ") + kind + " while " + thread_name(b.first_thread) + " waits in " +
             b.kind + " at " + b.site.file + ":" + std::to_string(b.site.line));
  }
  switch (vote) {
    case barrier_vote::none:
      break;
    case barrier_vote::count:
      b.value += value;
      break;
    case barrier_vote::all:
      b.value &= static_cast<int>(value);
      break;
    case barrier_vote::any:
      b.value |= static_cast<int>(value);
      break;
  }
  if (++b.arrived < threads_) {
    suspend(thread, kind, site);
    return b.result;
  }
  // The next barrier cannot complete before all threads have left this one, so `result` lasts until all have read it.
  b.arrived = 0;
  b.result = b.value;
  ++progress_;
  reads_since_progress_ = 0;
  if (observer_ != nullptr) observer_->barrier_completes(*this);
  for (std::size_t w = 0; w < state_->warps.size(); ++w) state_->warps[w].runnable = full_warp;
  runnable_warps_ = static_cast<std::uint32_t>((std::uint64_t{1} << state_->warps.size()) - 1);
  const int result = b.result;
  schedule_point(thread, site);
  return result;
}

void block_runtime::cluster_barrier(int thread, bool orders, const char* kind, call_site site) {
  cluster_state& c = *cluster_;
  if (c.exited > 0) {
    const auto gone = std::ranges::find_if(c.blocks, [](const block_runtime* b) { return b->exited_ > 0; });
    stop(thread, site,
         std::string("partial barrier: it calls ") + kind + ", but " + (*gone)->name_of_exited() + " has exited");
  }
  if (c.arrived == 0) {
    c.kind = kind;
    c.site = site;
    c.first_thread = thread_name(thread);
  } else if (c.site != site || c.kind != kind) {
    stop(thread, site,
         std::string("divergent barrier: it calls ") + kind + " while " + c.first_thread + " waits in " + c.kind +
             " at " + c.site.file + ":" + std::to_string(c.site.line));
  }
  if (observer_ != nullptr && orders) observer_->cluster_arrives(*this, thread);
  if (++c.arrived < threads_ * cluster_blocks_) {
    c.waiting.emplace_back(this, thread);
    suspend(thread, kind, site);
  } else {
    c.arrived = 0;
    ++c.barriers;
    for (block_runtime* const b : c.blocks) {
      ++b->progress_;
      b->reads_since_progress_ = 0;
    }
    if (observer_ != nullptr && orders) observer_->cluster_completes(*this);
    for (const auto& [block, waiting] : c.waiting) block->resume(waiting);
    c.waiting.clear();
    schedule_point(thread, site);
  }
  // The next barrier cannot complete before all threads have left this one.
  if (observer_ != nullptr && orders) observer_->cluster_leaves(*this, thread);
}

void* block_runtime::cluster_shared(int thread, void* mine, int rank, call_site site) {
  if (rank < 0 || rank >= cluster_blocks_) {
    stop(thread, site,
         "its cluster has " + std::to_string(cluster_blocks_) + " blocks, and none has the rank " +
             std::to_string(rank));
  }
  const auto offset = reinterpret_cast<std::uintptr_t>(mine) - reinterpret_cast<std::uintptr_t>(shared_);
  if (offset >= shared_bytes_) stop(thread, site, "cluster_shared takes an address of the block's own shared memory");
  const block_runtime& other = *cluster_->blocks[static_cast<std::size_t>(rank)];
  const std::string which = "the shared memory of block " + std::to_string(other.block_index_);
  if (&other != this && cluster_->barriers == 0) {
    stop(thread, site, "reaches for " + which + " before a barrier of the cluster: that block may not have begun");
  }
  if (other.finished()) stop(thread, site, "reaches for " + which + ", which has ended");
  return static_cast<std::byte*>(other.shared_) + offset;
}

void block_runtime::group_arrive(int thread, warp_group group, bool wait, call_site site) {
  if (group.id < 1 || group.id > 15)
    stop(thread, site, "a warp_group's id is 1 to 15, not " + std::to_string(group.id));
  const int warp = warp_of(thread);
  if (warp < group.first_warp || warp >= group.first_warp + group.num_warps) {
    stop(thread, site, "its warp is not of warp_group " + std::to_string(group.id));
  }
  state::barrier_state& b = state_->barriers[group.id];
  if (b.arrived == 0) {
    b.expected = group.num_warps * warp_size;
    b.first_thread = thread;
  } else if (b.expected != group.num_warps * warp_size) {
    stop(thread, site,
         "divergent barrier: " + thread_name(b.first_thread) + " expects another number of warps at warp_group " +
             std::to_string(group.id));
  }
  if (observer_ != nullptr) observer_->group_arrives(*this, thread, group.id);
  if (wait) b.waiting.push_back(thread);
  const bool whole_warps = ++b.arrived % warp_size == 0;
  if (b.arrived < b.expected) {
    if (wait) {
      suspend(thread, "group_sync", site);
    } else if (whole_warps) {
      schedule_point(thread, site);
    }
    return;
  }
  b.arrived = 0;
  ++progress_;
  if (observer_ != nullptr) observer_->group_completes(*this, group.id, b.waiting);
  for (int t : b.waiting) resume(t);
  b.waiting.clear();
  schedule_point(thread, site);
}

void block_runtime::phase_init(int thread, phase_barrier& b, int arrivals, call_site site) {
  if (arrivals < 1 || arrivals > threads_) {
    stop(thread, site,
         "phase_init expects 1 to " + std::to_string(threads_) + " arrivals, not " + std::to_string(arrivals));
  }
  if (observer_ != nullptr) observer_->phase_begins(*this, thread, b, site);
  const auto count = static_cast<std::uint16_t>(arrivals);
  b = std::bit_cast<phase_barrier>(phase_word{0, count, 0, count});
}

void block_runtime::release_phase_if_complete(phase_barrier& b) {
  phase_word w = read_phase(b);
  if (w.pending != 0 || w.bytes != 0) return;
  if (observer_ != nullptr) observer_->phase_completes(*this, b);
  w.pending = w.arrivals;
  w.parity ^= 1;
  b = std::bit_cast<phase_barrier>(w);
  ++progress_;
}

void block_runtime::phase_arrive(int thread, phase_barrier& b, std::uint32_t expected_bytes, call_site site) {
  phase_word w = read_phase(b);
  if (w.arrivals == 0 || w.arrivals > threads_)
    stop(thread, site, "arrives at a phase_barrier that was not initialised");
  if (w.pending == 0) stop(thread, site, "arrives at a phase_barrier more often than its phase expects");
  if (observer_ != nullptr) observer_->phase_arrives(*this, thread, b, site);
  --w.pending;
  w.bytes += static_cast<std::int32_t>(expected_bytes);
  b = std::bit_cast<phase_barrier>(w);
  release_phase_if_complete(b);
  schedule_point(thread, site);
}

bool block_runtime::is_phase_done(int thread, const phase_barrier& b, int parity, call_site site) {
  const phase_word w = read_phase(b);
  if (w.arrivals == 0 || w.arrivals > threads_) stop(thread, site, "looks at a phase_barrier that was not initialised");
  const bool done = w.parity != (parity & 1);
  if (observer_ != nullptr) observer_->phase_seen(*this, thread, b, done, site);
  return done;
}

bool block_runtime::phase_done(int thread, const phase_barrier& b, int parity, call_site site) {
  talk(thread, false, site);
  schedule_point(thread, site);
  const bool done = is_phase_done(thread, b, parity, site);
  schedule_point(thread, site);
  return done;
}

void block_runtime::phase_wait(int thread, const phase_barrier& b, int parity, call_site site) {
  schedule_point(thread, site);
  while (!is_phase_done(thread, b, parity, site)) back_off(thread, "phase_wait", site);
  schedule_point(thread, site);
}

void block_runtime::bulk_load(int thread, void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b,
                              call_site site) {
  if ((reinterpret_cast<std::uintptr_t>(to_shared) | reinterpret_cast<std::uintptr_t>(from) | bytes) % 16 != 0) {
    stop(thread, site, "a bulk copy's addresses and bytes are multiples of 16");
  }
  state_->bulk.push_back({to_shared, from, bytes, &b, thread, 0, site});
  if (observer_ != nullptr) observer_->bulk_copy_issued(*this, state_->bulk.back());
}

void block_runtime::bulk_store(int thread, void* to, const void* from_shared, std::uint32_t bytes, call_site site) {
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from_shared) | bytes) % 16 != 0) {
    stop(thread, site, "a bulk copy's addresses and bytes are multiples of 16");
  }
  state_->bulk.push_back(
      {to, from_shared, bytes, nullptr, thread, state_->bulk_group[static_cast<std::size_t>(thread)], site});
  if (observer_ != nullptr) observer_->bulk_copy_issued(*this, state_->bulk.back());
}

void block_runtime::bulk_commit(int thread) {
  ++state_->bulk_group[static_cast<std::size_t>(thread)];
}

void block_runtime::bulk_wait(int thread, int groups_left) {
  const int last = state_->bulk_group[static_cast<std::size_t>(thread)] - groups_left;
  std::erase_if(state_->bulk, [&](const bulk_copy& copy) {
    if (copy.barrier != nullptr || copy.thread != thread || copy.group >= last) return false;
    complete(copy);
    return true;
  });
  if (observer_ != nullptr) observer_->bulk_waited(*this, thread, last);
}

void block_runtime::complete(const bulk_copy& copy) {
  std::memcpy(copy.to, copy.from, copy.bytes);
  ++progress_;
  if (copy.barrier == nullptr) return;
  phase_word w = read_phase(*copy.barrier);
  w.bytes -= static_cast<std::int32_t>(copy.bytes);
  *copy.barrier = std::bit_cast<phase_barrier>(w);
  release_phase_if_complete(*copy.barrier);
}

/// The schedule's choice: the oldest, the newest, or any. Threads that wait for a phase look again.
bool block_runtime::complete_one_bulk_copy() {
  if (state_->bulk.empty()) return false;
  std::size_t which = 0;
  if (worker_->options().order == sim_order::reversed) which = state_->bulk.size() - 1;
  if (worker_->options().order == sim_order::random) which = worker_->random() % state_->bulk.size();
  complete_bulk_copy(which);
  wake_spinners();
  return true;
}

void block_runtime::complete_bulk_copy(std::size_t which) {
  const bulk_copy copy = state_->bulk[which];
  state_->bulk.erase(state_->bulk.begin() + static_cast<std::ptrdiff_t>(which));
  complete(copy);
}

}  // namespace upsweep::sim::inline UPSWEEP_ABI
