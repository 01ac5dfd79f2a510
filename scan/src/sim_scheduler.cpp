// The threads of a block in flight: fibers, and who runs next. sim_collectives.cpp is where they meet; sim_worker.cpp
// issues blocks to threads of the CPU.
#include "upsweep/simt/sim_scheduler.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <new>
#include <utility>

#include "sim_worker.hpp"
#include "upsweep/simt/sim_memory.hpp"
#include "upsweep/simt/sim_observer.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

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

observer* current = nullptr;

/// A page that cannot be touched splits a mapping, and a process has some 65,000 mappings (vm.max_map_count). So that
/// the rest of the process keeps enough of them, stacks beyond so many have no such page.
constexpr int most_guarded_stacks = 20000;
std::atomic<int> guarded_stacks = 0;

}  // namespace

void set_observer(observer* who) {
  current = who;
}
observer* current_observer() {
  return current;
}

block_runtime::block_runtime() : state_(new state) {}

block_runtime::~block_runtime() {
  unmap_stacks();
  delete scheduler_;
  delete state_;
}

std::span<block_runtime* const> block_runtime::blocks_of_cluster() const {
  return cluster_->blocks;
}

void block_runtime::unmap_stacks() {
  if (stacks_) munmap(stacks_, stacks_bytes_);
  stacks_ = nullptr;
  stacks_bytes_ = 0;
  guarded_stacks -= guarded_;
  guarded_ = 0;
}

// Stacks are mapped once and reused; each begins with a page that cannot be touched. Their tops are spread over the
// lines of a page, or all of them would fall into the same cache sets.
void block_runtime::prepare(int threads, std::size_t shared_bytes, std::size_t dynamic_bytes, std::size_t stack_bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t stride = (stack_bytes + page - 1) / page * page + 2 * page;
  if (stride * static_cast<std::size_t>(threads) > stacks_bytes_ || stride != stack_stride_) {
    unmap_stacks();
    const std::size_t bytes = stride * static_cast<std::size_t>(threads);
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc{};
    stacks_ = mapped;
    stacks_bytes_ = bytes;
    stack_stride_ = stride;
    guarded_ = threads;
    if ((guarded_stacks += threads) > most_guarded_stacks) {
      guarded_stacks -= threads;
      guarded_ = 0;
    }
    for (int t = 0; t < guarded_; ++t) {
      if (mprotect(static_cast<std::byte*>(stacks_) + stride * static_cast<std::size_t>(t), page, PROT_NONE) != 0) {
        unmap_stacks();
        throw std::bad_alloc{};
      }
    }
  }
  threads_ = threads;
  state_->fibers.resize(static_cast<std::size_t>(threads));
  state_->bulk_group.assign(static_cast<std::size_t>(threads), 0);
  state_->warps.resize(static_cast<std::size_t>((threads + warp_size - 1) / warp_size));
  if (!scheduler_) scheduler_ = new fiber;
  scheduler_->block = this;

  constexpr std::size_t align = 1024;
  const std::size_t fixed = (shared_bytes + align - 1) / align * align;
  shared_bytes_ = fixed + dynamic_bytes;
  storage_bytes_ = shared_bytes;
  dynamic_bytes_ = dynamic_bytes;
  if (state_->shared_memory.size() < shared_bytes_ + align) state_->shared_memory.resize(shared_bytes_ + align);
  const auto start = (reinterpret_cast<std::uintptr_t>(state_->shared_memory.data()) + align - 1) / align * align;
  shared_ = reinterpret_cast<void*>(start);
  dynamic_shared_ = reinterpret_cast<void*>(start + fixed);
}

void block_runtime::start(worker& w, cluster_state& cluster, int rank, std::int64_t index) {
  worker_ = &w;
  cluster_ = &cluster;
  cluster_blocks_ = w.request().cluster_blocks;
  cluster_rank_ = rank;
  block_index_ = index;
  num_blocks_ = w.request().blocks;
  const sim_order order = w.options().order;
  may_turn_ = order == sim_order::random || order == sim_order::explored;
  // Each is a schedule point of the order explored, and a launch is small.
  max_reads_without_progress_ = order == sim_order::explored ? 1u << 20 : 1u << 26;
  progress_ = 0;
  prepare(w.request().threads, w.request().shared_bytes, w.request().dynamic_bytes, w.options().stack_bytes);
  std::memset(shared_, poison, shared_bytes_);
  exited_ = 0;
  leaves_ = false;
  reads_since_progress_ = 0;
  state_->bulk.clear();
  for (state::barrier_state& b : state_->barriers) b = {};
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (int t = 0; t < threads_; ++t) {
    const auto i = static_cast<std::size_t>(t);
    std::byte* top = static_cast<std::byte*>(stacks_) + stack_stride_ * (i + 1) - i * 576 % page / 64 * 64;
    state_->fibers[i] = fiber{ctx::make_fcontext(top, stack_stride_ - 2 * page, fiber::entry), this, t, nullptr, {}};
  }
  runnable_warps_ = 0;
  for (std::size_t w_index = 0; w_index < state_->warps.size(); ++w_index) {
    state::warp_state& warp = state_->warps[w_index];
    warp.runnable = full_warp;
    warp.spinning = warp.exited = 0;
    warp.open = 0;
    warp.met = 0;
    warp.let_go_at = 0;
    runnable_warps_ |= 1u << w_index;
  }
  current_ = -1;
  observer_ = current;
  if (observer_ != nullptr) observer_->block_begins(*this);
}

/// All threads have exited. Other blocks of the cluster have no business in its shared memory any more.
void block_runtime::end() {
  if (observer_ != nullptr) observer_->block_ends(*this);
  if (cluster_blocks_ > 1) std::memset(shared_, poison, shared_bytes_);
}

/// Whether another block of the cluster can go on, and so may let this one go on.
bool block_runtime::others_may_run() const {
  return std::ranges::any_of(cluster_->blocks, [this](const block_runtime* b) {
    const auto spins = [](const state::warp_state& w) { return w.spinning != 0; };
    return b != this && (b->can_run() || !b->state_->bulk.empty() || std::ranges::any_of(b->state_->warps, spins));
  });
}

/// Runs threads until none can, or until the schedule turns to another block.
void block_runtime::run() {
  if (observer_ != nullptr) observer_->block_enters(*this);
  for (;;) {
    const int next = pick();
    if (next < 0) {
      if (worker_->stopped() || runnable_warps_ != 0) return;
      if (!complete_one_bulk_copy()) return;
      continue;
    }
    enter(next);
    if (std::exchange(leaves_, false)) return;
  }
}

/// Lets one warp run until it can run no further or the schedule turns to another.
void block_runtime::run_warp(int warp, std::uint64_t happened) {
  if (observer_ != nullptr) observer_->block_enters(*this);
  state::warp_state& w = state_->warps[static_cast<std::size_t>(warp)];
  if (w.runnable == 0) {
    wake_spinners(warp);
    w.let_go_at = happened;
  }
  enter(pick());
}

/// A warp that spins looks again only once something has happened since it last could, or its spinning would never end.
bool block_runtime::warp_can_run(int warp, std::uint64_t happened) const {
  const state::warp_state& w = state_->warps[static_cast<std::size_t>(warp)];
  return w.runnable != 0 || (w.spinning != 0 && happened > w.let_go_at);
}

/// From the scheduler to the thread, until one comes back.
void block_runtime::enter(int thread) {
  current_ = thread;
  fiber::arrived(ctx::jump_fcontext(state_->fibers[static_cast<std::size_t>(thread)].context, scheduler_));
}

/// The next thread to run by the schedule; -1 when none can or another block shall run.
int block_runtime::pick() {
  if (runnable_warps_ == 0 || worker_->stopped()) return -1;
  switch (worker_->options().order) {
    case sim_order::in_order: {
      const int w = std::countr_zero(runnable_warps_);
      return w * warp_size + std::countr_zero(state_->warps[static_cast<std::size_t>(w)].runnable);
    }
    case sim_order::reversed: {
      const int w = 31 - std::countl_zero(runnable_warps_);
      return w * warp_size + 31 - std::countl_zero(state_->warps[static_cast<std::size_t>(w)].runnable);
    }
    case sim_order::random: {
      const std::uint64_t r = worker_->random();
      if (!state_->bulk.empty() && (r >> 20) % 4 == 0) complete_one_bulk_copy();
      if ((r >> 24) % 16 == 0 && current_ >= 0) {
        leaves_ = true;
        return -1;
      }
      const int turn = static_cast<int>(r % 32), lane_turn = static_cast<int>((r >> 8) % 32);
      const int w = (std::countr_zero(std::rotr(runnable_warps_, turn)) + turn) % 32;
      const lane_mask lanes = state_->warps[static_cast<std::size_t>(w)].runnable;
      return w * warp_size + (std::countr_zero(std::rotr(lanes, lane_turn)) + lane_turn) % 32;
    }
    case sim_order::explored: {
      const int w = worker_->warp_in_turn();
      const lane_mask lanes = state_->warps[static_cast<std::size_t>(w)].runnable;
      return lanes == 0 ? -1 : w * warp_size + std::countr_zero(lanes);
    }
  }
  return -1;
}

void block_runtime::switch_from(int thread, int next) {
  if (next == thread) return;
  fiber& me = state_->fibers[static_cast<std::size_t>(thread)];
  current_ = next;
  fiber::arrived(
      ctx::jump_fcontext(next < 0 ? scheduler_->context : state_->fibers[static_cast<std::size_t>(next)].context, &me));
}

/// The caller waits until resume() has been called for it.
void block_runtime::suspend(int thread, const char* kind, call_site site) {
  state::warp_state& warp = state_->warps[static_cast<std::size_t>(warp_of(thread))];
  warp.runnable &= ~bit_of(thread);
  if (warp.runnable == 0) runnable_warps_ &= ~(1u << warp_of(thread));
  fiber& me = state_->fibers[static_cast<std::size_t>(thread)];
  me.waits_in = kind;
  me.waits_at = site;
  switch_from(thread, pick());
  me.waits_in = nullptr;
}

void block_runtime::resume(int thread) {
  state_->warps[static_cast<std::size_t>(warp_of(thread))].runnable |= bit_of(thread);
  runnable_warps_ |= 1u << warp_of(thread);
}

/// Counts an access through which blocks talk. A write that changes something is progress, and so are a barrier and
/// back_off; collectives are not, which a warp may call for ever, unless there are many of them without a back_off.
void block_runtime::talk(int thread, bool writes, call_site site) {
  if (writes) {
    ++progress_;
    reads_since_progress_ = 0;
  } else if (++reads_since_progress_ > max_reads_without_progress_) {
    stop(thread, site, "spins on an ordered load without back_off()");
  }
}

/// The schedule may turn to another thread at a schedule point: before and after every access through which blocks
/// talk, since each may lie between two others, or between others and plain accesses.
void block_runtime::maybe_turn(int thread, call_site site) {
  const bool random = worker_->options().order == sim_order::random;
  if (random ? worker_->random() % 8 != 0 : worker_->stays()) return;
  fiber& me = state_->fibers[static_cast<std::size_t>(thread)];
  me.waits_in = "an atomic or ordered access";
  me.waits_at = site;
  switch_from(thread, random ? pick() : -1);
  me.waits_in = nullptr;
}

void block_runtime::note(int thread, const ordered_access& access, call_site site) {
  if (observer_ != nullptr) observer_->accesses(*this, thread, access, site);
}
void block_runtime::tell_vector_read(int thread, const void* at, std::size_t bytes, call_site site) {
  observer_->vector_read(*this, thread, at, bytes, site);
}

void block_runtime::load(int thread, const ordered_access& access, void* value, call_site site) {
  talk(thread, false, site);
  begins_access(thread, access.at, access.bytes, site);
  note(thread, access, site);
  (access.acquires ? load_acquire : load_relaxed)(access.at, value, access.bytes);
  schedule_point(thread, site);
}
void block_runtime::store(int thread, const ordered_access& access, void* to, const void* value, call_site site) {
  begins_access(thread, to, access.bytes, site);
  note(thread, access, site);
  (access.releases ? store_release : store_relaxed)(to, value, access.bytes);
  talk(thread, true, site);
  schedule_point(thread, site);
}
void block_runtime::begins_access(int thread, const void* at, std::size_t bytes, call_site site) {
  if ((reinterpret_cast<std::uintptr_t>(at) & (bytes - 1)) != 0) stop_misaligned(thread, site, bytes);
  schedule_point(thread, site);
}
void block_runtime::ends_access(int thread, const ordered_access& access, bool changes, call_site site) {
  note(thread, access, site);
  talk(thread, changes, site);
  schedule_point(thread, site);
}

void block_runtime::fence(int thread, bool device_wide) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (observer_ != nullptr) observer_->fenced(*this, thread, device_wide);
}
void block_runtime::bulk_fence(int thread) {
  if (observer_ != nullptr) observer_->bulk_fenced(*this, thread);
}

void block_runtime::wait_for_previous() {
  worker_->waits();
  if (observer_ != nullptr) observer_->waits_for_previous(*this, current_);
}

void block_runtime::back_off(int thread, const char* kind, call_site site) {
  reads_since_progress_ = 0;
  state::warp_state& warp = state_->warps[static_cast<std::size_t>(warp_of(thread))];
  warp.spinning |= bit_of(thread);
  warp.met = 0;
  suspend(thread, kind, site);
}

bool block_runtime::wake_spinners() {
  bool woken = false;
  for (std::size_t w = 0; w < state_->warps.size(); ++w) {
    if (state_->warps[w].spinning == 0) continue;
    wake_spinners(static_cast<int>(w));
    woken = true;
  }
  return woken;
}
void block_runtime::wake_spinners(int warp) {
  state::warp_state& w = state_->warps[static_cast<std::size_t>(warp)];
  w.runnable |= std::exchange(w.spinning, 0);
  runnable_warps_ |= 1u << warp;
}

void block_runtime::thread_exits(int thread) {
  state::warp_state& warp = state_->warps[static_cast<std::size_t>(warp_of(thread))];
  for (int i = 0; i < warp.open; ++i) {
    if ((warp.meetings[i].mask & bit_of(thread)) != 0) {
      stop(thread, warp.meetings[i].site, std::string("exits, but the mask of ") + warp.meetings[i].kind + " names it");
    }
  }
  if (state_->barriers[0].arrived > 0) {
    stop(thread, state_->barriers[0].site,
         "partial barrier: it exits while " + thread_name(state_->barriers[0].first_thread) + " waits in " +
             state_->barriers[0].kind);
  }
  if (cluster_->arrived > 0) {
    stop(thread, cluster_->site,
         "partial barrier: it exits while " + cluster_->first_thread + " waits in " + cluster_->kind);
  }
  for (const bulk_copy& copy : state_->bulk) {
    if (copy.barrier == nullptr && copy.thread == thread) {
      stop(thread, copy.site, "exits before this bulk store has read shared memory (bulk_wait)");
    }
    if (copy.barrier != nullptr && exited_ + 1 == threads_) {
      stop(copy.thread, copy.site, "the block ends before this bulk load has come (phase_wait)");
    }
  }
  if (observer_ != nullptr && exited_ + 1 == threads_) observer_->last_thread_exits(*this, thread);
  warp.exited |= bit_of(thread);
  ++cluster_->exited;
  warp.runnable &= ~bit_of(thread);
  if (warp.runnable == 0) runnable_warps_ &= ~(1u << warp_of(thread));
  ++exited_;
  ++progress_;
  switch_from(thread, pick());
  __builtin_unreachable();
}

std::string block_runtime::thread_name(int thread) const {
  return "block " + std::to_string(block_index_) + ", warp " + std::to_string(warp_of(thread)) + ", lane " +
         std::to_string(thread % warp_size);
}

std::string block_runtime::name_of_exited() const {
  int gone = 0;
  while ((state_->warps[static_cast<std::size_t>(warp_of(gone))].exited & bit_of(gone)) == 0) ++gone;
  return thread_name(gone);
}

void block_runtime::stop(int thread, call_site site, const std::string& what) {
  worker_->stop(thread_name(thread) + ", at " + site.file + ":" + std::to_string(site.line) + ": " + what);
  switch_from(thread, -1);
  __builtin_unreachable();
}

void block_runtime::stop_misaligned(int thread, call_site site, std::size_t bytes) {
  stop(thread, site, "accesses memory that is not aligned to " + std::to_string(bytes) + " bytes");
}

/// Every place where threads of the block wait, each with its first thread.
std::string block_runtime::stuck_report(const char* headline) const {
  std::string report = headline;
  std::vector<const fiber*> places;
  for (const fiber& f : state_->fibers) {
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

}  // namespace upsweep::sim::inline UPSWEEP_ABI
