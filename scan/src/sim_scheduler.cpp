// The sim's block: fibers, collectives, barriers, bulk copies. sim_worker.cpp issues blocks to threads of the CPU.
#include "upsweep/simt/sim_scheduler.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <new>
#include <utility>

#include "sim_worker.hpp"

namespace upsweep::sim {

namespace ctx = boost::context::detail;

/// One simulated thread. The scheduler itself is a fiber too, with thread == -1.
/// A jump passes the jumper's own record, and whoever it reaches stores the jumper's context there.
struct fiber {
  ctx::fcontext_t context = nullptr;
  block_runtime* block = nullptr;
  int thread = -1;
  const char* waits_in = nullptr;  // null: it can run, or has not begun
  call_site waits_at{};

  static void arrived(ctx::transfer_t from) { static_cast<fiber*>(from.data)->context = from.fctx; }

  static void entry(ctx::transfer_t from) {
    arrived(from);
    block_runtime& block = *static_cast<fiber*>(from.data)->block;
    const int thread = block.current_;
    block.worker_->run_thread(block, thread);
    block.thread_exits(thread);
  }
};

namespace {

constexpr unsigned char poison = 0xcb;

int warp_of(int thread) {
  return thread / warp_size;
}
lane_mask bit_of(int thread) {
  return 1u << (static_cast<unsigned>(thread) % warp_size);
}

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

}  // namespace

block_runtime::block_runtime() = default;

block_runtime::~block_runtime() {
  if (stacks_) munmap(stacks_, stacks_bytes_);
  delete scheduler_;
}

// Stacks are mapped once and reused; each begins with a page that cannot be touched. Their tops are spread over the
// lines of a page, or all of them would fall into the same cache sets.
void block_runtime::prepare(int threads, std::size_t shared_bytes, std::size_t dynamic_bytes, std::size_t stack_bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t stride = (stack_bytes + page - 1) / page * page + 2 * page;
  if (stride * static_cast<std::size_t>(threads) > stacks_bytes_ || stride != stack_stride_) {
    if (stacks_) munmap(stacks_, stacks_bytes_);
    stack_stride_ = stride;
    stacks_bytes_ = stride * static_cast<std::size_t>(threads);
    stacks_ = mmap(nullptr, stacks_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks_ == MAP_FAILED) {
      stacks_ = nullptr;
      stacks_bytes_ = 0;
      throw std::bad_alloc{};
    }
    for (int t = 0; t < threads; ++t) {
      if (mprotect(static_cast<std::byte*>(stacks_) + stride * static_cast<std::size_t>(t), page, PROT_NONE) != 0) {
        munmap(stacks_, stacks_bytes_);
        stacks_ = nullptr;
        stacks_bytes_ = 0;
        throw std::bad_alloc{};
      }
    }
  }
  threads_ = threads;
  fibers_.resize(static_cast<std::size_t>(threads));
  bulk_group_.assign(static_cast<std::size_t>(threads), 0);
  warps_.resize(static_cast<std::size_t>((threads + warp_size - 1) / warp_size));
  if (!scheduler_) scheduler_ = new fiber;
  scheduler_->block = this;

  constexpr std::size_t align = 1024;
  const std::size_t fixed = (shared_bytes + align - 1) / align * align;
  shared_bytes_ = fixed + dynamic_bytes;
  dynamic_bytes_ = dynamic_bytes;
  if (shared_memory_.size() < shared_bytes_ + align) shared_memory_.resize(shared_bytes_ + align);
  const auto start = (reinterpret_cast<std::uintptr_t>(shared_memory_.data()) + align - 1) / align * align;
  shared_ = reinterpret_cast<void*>(start);
  dynamic_shared_ = reinterpret_cast<void*>(start + fixed);
}

void block_runtime::start(worker& w, std::int64_t index) {
  worker_ = &w;
  block_index_ = index;
  num_blocks_ = w.request().blocks;
  random_ = w.options().order == sim_order::random;
  prepare(w.request().threads, w.request().shared_bytes, w.request().dynamic_bytes, w.options().stack_bytes);
  std::memset(shared_, poison, shared_bytes_);
  exited_ = 0;
  leaves_ = false;
  reads_since_switch_ = 0;
  bulk_.clear();
  for (barrier_state& b : barriers_) b = barrier_state{};
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (int t = 0; t < threads_; ++t) {
    const auto i = static_cast<std::size_t>(t);
    std::byte* top = static_cast<std::byte*>(stacks_) + stack_stride_ * (i + 1) - i * 576 % page / 64 * 64;
    fibers_[i] = fiber{ctx::make_fcontext(top, stack_stride_ - 2 * page, fiber::entry), this, t, nullptr, {}};
  }
  runnable_warps_ = 0;
  for (std::size_t w_index = 0; w_index < warps_.size(); ++w_index) {
    warp_state& warp = warps_[w_index];
    warp.runnable = full_warp;
    warp.spinning = warp.exited = 0;
    warp.open = 0;
    runnable_warps_ |= 1u << w_index;
  }
}

/// Runs threads until none can, or until the schedule turns to another block.
void block_runtime::run() {
  for (;;) {
    const int next = pick();
    if (next < 0) {
      if (worker_->stopped() || runnable_warps_ != 0) return;
      if (!complete_one_bulk_copy()) return;
      continue;
    }
    current_ = next;
    fiber::arrived(ctx::jump_fcontext(fibers_[static_cast<std::size_t>(next)].context, scheduler_));
    if (std::exchange(leaves_, false)) return;
  }
}

/// The next thread to run by the schedule; -1 when none can or another block shall run.
int block_runtime::pick() {
  if (runnable_warps_ == 0 || worker_->stopped()) return -1;
  switch (worker_->options().order) {
    case sim_order::in_order: {
      const int w = std::countr_zero(runnable_warps_);
      return w * warp_size + std::countr_zero(warps_[static_cast<std::size_t>(w)].runnable);
    }
    case sim_order::reversed: {
      const int w = 31 - std::countl_zero(runnable_warps_);
      return w * warp_size + 31 - std::countl_zero(warps_[static_cast<std::size_t>(w)].runnable);
    }
    case sim_order::random: {
      const std::uint64_t r = worker_->random();
      if (!bulk_.empty() && (r >> 20) % 4 == 0) complete_one_bulk_copy();
      if ((r >> 24) % 16 == 0 && current_ >= 0) {
        leaves_ = true;
        return -1;
      }
      const int turn = static_cast<int>(r % 32), lane_turn = static_cast<int>((r >> 8) % 32);
      const int w = (std::countr_zero(std::rotr(runnable_warps_, turn)) + turn) % 32;
      const lane_mask lanes = warps_[static_cast<std::size_t>(w)].runnable;
      return w * warp_size + (std::countr_zero(std::rotr(lanes, lane_turn)) + lane_turn) % 32;
    }
  }
  return -1;
}

void block_runtime::switch_from(int thread, int next) {
  if (next == thread) return;
  fiber& me = fibers_[static_cast<std::size_t>(thread)];
  current_ = next;
  fiber::arrived(
      ctx::jump_fcontext(next < 0 ? scheduler_->context : fibers_[static_cast<std::size_t>(next)].context, &me));
}

/// The caller waits until resume() has been called for it.
void block_runtime::suspend(int thread, const char* kind, call_site site) {
  warp_state& warp = warps_[static_cast<std::size_t>(warp_of(thread))];
  warp.runnable &= ~bit_of(thread);
  if (warp.runnable == 0) runnable_warps_ &= ~(1u << warp_of(thread));
  fiber& me = fibers_[static_cast<std::size_t>(thread)];
  me.waits_in = kind;
  me.waits_at = site;
  reads_since_switch_ = 0;
  switch_from(thread, pick());
  me.waits_in = nullptr;
}

void block_runtime::resume(int thread) {
  warps_[static_cast<std::size_t>(warp_of(thread))].runnable |= bit_of(thread);
  runnable_warps_ |= 1u << warp_of(thread);
}

void block_runtime::maybe_preempt(int thread, call_site site) {
  if (worker_->random() % 4 != 0) return;
  fiber& me = fibers_[static_cast<std::size_t>(thread)];
  me.waits_in = "an atomic or ordered access";
  me.waits_at = site;
  switch_from(thread, pick());
  me.waits_in = nullptr;
}

void block_runtime::back_off(int thread, const char* kind, call_site site) {
  warps_[static_cast<std::size_t>(warp_of(thread))].spinning |= bit_of(thread);
  suspend(thread, kind, site);
}

bool block_runtime::wake_spinners() {
  bool woken = false;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (warps_[w].spinning == 0) continue;
    warps_[w].runnable |= warps_[w].spinning;
    warps_[w].spinning = 0;
    runnable_warps_ |= 1u << w;
    woken = true;
  }
  return woken;
}

void block_runtime::thread_exits(int thread) {
  warp_state& warp = warps_[static_cast<std::size_t>(warp_of(thread))];
  for (int i = 0; i < warp.open; ++i) {
    if ((warp.meetings[i].mask & bit_of(thread)) != 0) {
      stop(thread, warp.meetings[i].site, std::string("exits, but the mask of ") + warp.meetings[i].kind + " names it");
    }
  }
  if (barriers_[0].arrived > 0) {
    stop(
        thread, barriers_[0].site,
        "partial barrier: it exits while " + thread_name(barriers_[0].first_thread) + " waits in " + barriers_[0].kind);
  }
  for (const bulk_copy& copy : bulk_) {
    if (copy.barrier == nullptr && copy.thread == thread) {
      stop(thread, copy.site, "exits before this bulk store has read shared memory (bulk_wait)");
    }
    if (copy.barrier != nullptr && exited_ + 1 == threads_) {
      stop(copy.thread, copy.site, "the block ends before this bulk load has come (phase_wait)");
    }
  }
  warp.exited |= bit_of(thread);
  warp.runnable &= ~bit_of(thread);
  if (warp.runnable == 0) runnable_warps_ &= ~(1u << warp_of(thread));
  ++exited_;
  ++progress_;
  switch_from(thread, pick());
  __builtin_unreachable();
}

void block_runtime::meet(int thread, lane_mask mask, const char* kind, call_site site, void* call,
                         combine_function combine) {
  warp_state& warp = warps_[static_cast<std::size_t>(warp_of(thread))];
  const lane_mask me = bit_of(thread);
  if ((mask & me) == 0) stop(thread, site, std::string("calls ") + kind + " with a mask that does not name it");
  if ((mask & warp.exited) != 0) {
    const int gone = warp_of(thread) * warp_size + std::countr_zero(mask & warp.exited);
    stop(thread, site, std::string("calls ") + kind + " with a mask that names the exited " + thread_name(gone));
  }
  int found = -1;
  for (int i = 0; i < warp.open; ++i) {
    const meeting& m = warp.meetings[i];
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
  meeting& m = warp.meetings[found];
  m.arrived |= me;
  warp.calls[thread % warp_size] = call;
  if (m.arrived != mask) {
    suspend(thread, kind, site);
    return;
  }
  warp.meetings[found] = warp.meetings[--warp.open];
  combine(warp.calls, mask);
  warp.runnable |= mask;
  runnable_warps_ |= 1u << warp_of(thread);
}

int block_runtime::barrier(int thread, barrier_vote vote, bool value, const char* kind, call_site site) {
  barrier_state& b = barriers_[0];
  if (exited_ > 0) {
    int gone = 0;
    while ((warps_[static_cast<std::size_t>(warp_of(gone))].exited & bit_of(gone)) == 0) ++gone;
    stop(thread, site, std::string("partial barrier: it calls ") + kind + ", but " + thread_name(gone) + " has exited");
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
  for (std::size_t w = 0; w < warps_.size(); ++w) warps_[w].runnable = full_warp;
  runnable_warps_ = static_cast<std::uint32_t>((std::uint64_t{1} << warps_.size()) - 1);
  return b.result;
}

void block_runtime::group_arrive(int thread, warp_group group, bool wait, call_site site) {
  if (group.id < 1 || group.id > 15)
    stop(thread, site, "a warp_group's id is 1 to 15, not " + std::to_string(group.id));
  const int warp = warp_of(thread);
  if (warp < group.first_warp || warp >= group.first_warp + group.num_warps) {
    stop(thread, site, "its warp is not of warp_group " + std::to_string(group.id));
  }
  barrier_state& b = barriers_[group.id];
  if (b.arrived == 0) {
    b.expected = group.num_warps * warp_size;
    b.first_thread = thread;
  } else if (b.expected != group.num_warps * warp_size) {
    stop(thread, site,
         "divergent barrier: " + thread_name(b.first_thread) + " expects another number of warps at warp_group " +
             std::to_string(group.id));
  }
  ++b.arrived;
  if (b.arrived < b.expected) {
    if (wait) {
      b.waiting.push_back(thread);
      suspend(thread, "group_sync", site);
    }
    return;
  }
  b.arrived = 0;
  ++progress_;
  for (int t : b.waiting) resume(t);
  b.waiting.clear();
}

void block_runtime::phase_init(int thread, phase_barrier& b, int arrivals, call_site site) {
  if (arrivals < 1 || arrivals > threads_) {
    stop(thread, site,
         "phase_init expects 1 to " + std::to_string(threads_) + " arrivals, not " + std::to_string(arrivals));
  }
  const auto count = static_cast<std::uint16_t>(arrivals);
  b = std::bit_cast<phase_barrier>(phase_word{0, count, 0, count});
}

void block_runtime::release_phase_if_complete(phase_barrier& b) {
  phase_word w = read_phase(b);
  if (w.pending != 0 || w.bytes != 0) return;
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
  --w.pending;
  w.bytes += static_cast<std::int32_t>(expected_bytes);
  b = std::bit_cast<phase_barrier>(w);
  release_phase_if_complete(b);
}

bool block_runtime::phase_done(int thread, const phase_barrier& b, int parity, call_site site) {
  const phase_word w = read_phase(b);
  if (w.arrivals == 0 || w.arrivals > threads_) stop(thread, site, "looks at a phase_barrier that was not initialised");
  return w.parity != (parity & 1);
}

void block_runtime::phase_wait(int thread, const phase_barrier& b, int parity, call_site site) {
  while (!phase_done(thread, b, parity, site)) back_off(thread, "phase_wait", site);
}

void block_runtime::bulk_load(int thread, void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b,
                              call_site site) {
  if ((reinterpret_cast<std::uintptr_t>(to_shared) | reinterpret_cast<std::uintptr_t>(from) | bytes) % 16 != 0) {
    stop(thread, site, "a bulk copy's addresses and bytes are multiples of 16");
  }
  bulk_.push_back({to_shared, from, bytes, &b, thread, 0, site});
}

void block_runtime::bulk_store(int thread, void* to, const void* from_shared, std::uint32_t bytes, call_site site) {
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from_shared) | bytes) % 16 != 0) {
    stop(thread, site, "a bulk copy's addresses and bytes are multiples of 16");
  }
  bulk_.push_back({to, from_shared, bytes, nullptr, thread, bulk_group_[static_cast<std::size_t>(thread)], site});
}

void block_runtime::bulk_commit(int thread) {
  ++bulk_group_[static_cast<std::size_t>(thread)];
}

void block_runtime::bulk_wait(int thread, int groups_left) {
  const int last = bulk_group_[static_cast<std::size_t>(thread)] - groups_left;
  std::erase_if(bulk_, [&](const bulk_copy& copy) {
    if (copy.barrier != nullptr || copy.thread != thread || copy.group >= last) return false;
    complete(copy);
    return true;
  });
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
  if (bulk_.empty()) return false;
  std::size_t which = 0;
  if (worker_->options().order == sim_order::reversed) which = bulk_.size() - 1;
  if (random_) which = worker_->random() % bulk_.size();
  const bulk_copy copy = bulk_[which];
  bulk_.erase(bulk_.begin() + static_cast<std::ptrdiff_t>(which));
  complete(copy);
  wake_spinners();
  return true;
}

std::string block_runtime::thread_name(int thread) const {
  return "block " + std::to_string(block_index_) + ", warp " + std::to_string(warp_of(thread)) + ", lane " +
         std::to_string(thread % warp_size);
}

void block_runtime::stop(int thread, call_site site, const std::string& what) {
  worker_->stop(thread_name(thread) + ", at " + site.file + ":" + std::to_string(site.line) + ": " + what);
  switch_from(thread, -1);
  __builtin_unreachable();
}

void block_runtime::stop_misaligned(int thread, call_site site, std::size_t bytes) {
  stop(thread, site, "accesses memory that is not aligned to " + std::to_string(bytes) + " bytes");
}

void block_runtime::stop_spinning(int thread, call_site site) {
  stop(thread, site, "spins on an ordered load without back_off()");
}

/// Every place where threads of the block wait, each with its first thread.
std::string block_runtime::stuck_report(const char* headline) const {
  std::string report = headline;
  std::vector<const fiber*> places;
  for (const fiber& f : fibers_) {
    if (f.waits_in == nullptr) continue;
    const bool known = std::any_of(places.begin(), places.end(), [&](const fiber* p) {
      return p->waits_in == f.waits_in && p->waits_at == f.waits_at && warp_of(p->thread) == warp_of(f.thread);
    });
    if (known || places.size() >= 8) continue;
    places.push_back(&f);
    report += "\n  " + thread_name(f.thread) + " waits in " + f.waits_in + " at " + f.waits_at.file + ":" +
              std::to_string(f.waits_at.line);
  }
  return report;
}

}  // namespace upsweep::sim
