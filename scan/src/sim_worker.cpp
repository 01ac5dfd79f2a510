// Issues the blocks of a launch to threads of the CPU, several in flight on each, and notices when nothing moves.
#include "sim_worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "upsweep/simt/sim_exploration.hpp"
#include "upsweep/simt/sim_observer.hpp"
#include "upsweep/version.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {
namespace {

thread_local std::string last_diagnostic;

/// Blocks keep their stacks from launch to launch.
class block_pool {
 public:
  std::unique_ptr<block_runtime> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<block_runtime>();
    auto block = std::move(free_.back());
    free_.pop_back();
    return block;
  }
  void give_back(std::unique_ptr<block_runtime> block) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(block));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<block_runtime>> free_;
};

block_pool& blocks() {
  static block_pool pool;
  return pool;
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The kernel's name without its template arguments, and without the inline namespaces that nobody writes.
std::string readable(std::string_view text_with_name) {
  constexpr std::string_view in_front = "Kernel = ";
  if (const auto at = text_with_name.find(in_front); at != std::string_view::npos) {
    text_with_name.remove_prefix(at + in_front.size());
  }
  std::string name(text_with_name.substr(0, text_with_name.find_first_of("<;]")));
  const std::string in_front_of_each = "::v" + std::to_string(version_major) + "_";
  for (std::size_t at; (at = name.find(in_front_of_each)) != std::string::npos;) {
    name.erase(at, name.find("::", at + 2) - at);
  }
  return name;
}

}  // namespace

void launch_state::stop(const std::string& why, status how) {
  const std::lock_guard lock(mutex);
  if (message.empty()) {
    message = "sim: kernel " + readable(request.kernel) + ": " + why;
    outcome = how;
  }
  stopped.store(true, std::memory_order_relaxed);
}

/// The fiber is left only after the handler, or the exception would stay with this thread of the CPU for ever.
void worker::run_thread(block_runtime& block, int thread) {
  std::string thrown;
  try {
    request().run_thread(request().closure, block, thread);
    return;
  } catch (const std::exception& e) {
    thrown = std::string("an exception leaves the kernel: ") + e.what();
  } catch (...) {
    thrown = "an exception leaves the kernel";
  }
  block.stop(thread, call_site::current(), thrown);
}

/// Issues the blocks of a cluster together; false when there are no more.
bool worker::issue_cluster(std::size_t which) {
  const std::int64_t n = launch_.issued.fetch_add(request().cluster_blocks, std::memory_order_relaxed);
  if (n >= request().blocks) return false;
  cluster_state& cluster = clusters_[which];
  cluster = cluster_state{};
  const bool backwards = options().blocks_backwards;
  const std::int64_t first = backwards ? request().blocks - request().cluster_blocks - n : n;
  slot* const slots = &slots_[which * cluster_blocks()];
  for (int rank = 0; rank < request().cluster_blocks; ++rank) {
    slot& s = slots[backwards ? request().cluster_blocks - 1 - rank : rank];
    cluster.blocks.push_back(s.block.get());
    s.block->start(*this, cluster, rank, first + rank);
    s.busy = true;
  }
  return true;
}

bool worker::in_flight(std::size_t which) const {
  const auto first = slots_.begin() + static_cast<std::ptrdiff_t>(which * cluster_blocks());
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(cluster_blocks()),
                     [](const slot& s) { return s.busy; });
}

bool worker::free_if_finished(slot& s) {
  if (!s.block->finished()) return false;
  s.block->end();
  s.busy = false;
  return true;
}

/// Runs the slot's block as far as it goes; true when anything moved.
bool worker::run_slot(slot& s) {
  block_runtime& block = *s.block;
  const std::uint64_t before = block.progress_;
  block.run();
  if (stopped()) return true;
  if (free_if_finished(s)) return true;
  const bool left_early = block.can_run();
  if (!block.wake_spinners() && !left_early && !block.others_may_run()) {
    std::string report = block.stuck_report("no forward progress: all threads wait for each other");
    for (const block_runtime* const other : block.cluster().blocks) {
      if (other != &block) report += other->stuck_report("");
    }
    stop(report);
    return true;
  }
  return block.progress_ != before;
}

/// A standstill: for many rounds no thread of any worker wrote to shared state, passed a barrier or exited.
void worker::look_for_standstill(bool moved) {
  if (moved) {
    idle_rounds_ = 0;
    launch_.progress.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  constexpr int patience = 20000;
  if (++idle_rounds_ < patience) return;
  const bool alone = options().os_threads == 1;
  const std::uint64_t progress = launch_.progress.load(std::memory_order_relaxed);
  const std::int64_t now = now_ns();
  if (idle_rounds_ == patience || progress != seen_progress_) {
    seen_progress_ = progress;
    idle_since_ns_ = now;
    idle_rounds_ = patience;
    if (!alone) return;
  }
  constexpr std::int64_t patience_ns = 10'000'000'000;
  if (!alone && now - idle_since_ns_ < patience_ns) {
    std::this_thread::yield();
    return;
  }
  for (const slot& s : slots_) {
    if (!s.busy) continue;
    stop(s.block->stuck_report("no forward progress: threads back off, and nothing that they wait for happens"));
    return;
  }
}

/// Block after block, each as far as it goes. By the order random one of them is favoured for a while, so that it comes
/// to ask for what the others are far from telling; turns that are all equally likely would keep them abreast.
void worker::run_in_turns() {
  std::size_t turn = slots_.size() - 1, favoured = 0;
  bool round_moved = false;
  for (;;) {
    bool any = false;
    for (std::size_t c = 0; c < clusters_.size(); ++c) any |= in_flight(c) || issue_cluster(c);
    if (!any || stopped()) break;
    if (options().order == sim_order::random) {
      if (random() % 32 == 0) favoured = random() % slots_.size();
      turn = random() % 4 == 0 ? random() % slots_.size() : favoured;
    } else {
      turn = (turn + 1) % slots_.size();
    }
    if (slots_[turn].busy && run_slot(slots_[turn])) round_moved = true;
    if (turn + 1 == slots_.size()) {
      look_for_standstill(round_moved);
      round_moved = false;
    }
  }
}

void worker::run() {
  try {
    clusters_.resize(static_cast<std::size_t>(options().resident_blocks) / cluster_blocks());
    slots_.resize(clusters_.size() * cluster_blocks());
    for (slot& s : slots_) s.block = blocks().take();
    if (options().order == sim_order::explored) {
      run_explored();
    } else {
      run_in_turns();
    }
  } catch (const std::bad_alloc&) {
    launch_.stop("no memory for the stacks of a block", status::memory_allocation);
  }
  // In reverse, so that the next launch takes the same ones, and those with many stacks do not become more and more.
  for (auto s = slots_.rbegin(); s != slots_.rend(); ++s) {
    if (s->block) blocks().give_back(std::move(s->block));
  }
}

std::int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

status run(const launch_request& request, const sim_options& options) {
  // A thread of the CPU is worth starting for some thousand simulated ones.
  const std::int64_t worth = request.blocks * request.threads / 4096 + 1;
  const std::int64_t asked = options.os_threads > 0
                                 ? options.os_threads
                                 : std::min<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()), 16);
  // Each simulated thread takes two memory mappings, of which Linux gives a process 65,530.
  constexpr std::int64_t most_threads = 16384;
  const int cluster = request.cluster_blocks;
  const std::int64_t resident = std::max(options.resident_blocks / cluster, 1) * std::int64_t{cluster};
  const std::int64_t fit = std::max<std::int64_t>(1, most_threads / (resident * request.threads));
  observer* const watching = current_observer();
  const bool explored = options.order == sim_order::explored;
  const bool alone = options.order == sim_order::random || explored || watching != nullptr;
  const std::int64_t count = alone ? 1 : std::min({asked, worth, fit});

  sim_options chosen = options;
  chosen.os_threads = static_cast<int>(count);
  chosen.resident_blocks = static_cast<int>(resident);
  if (explored) {
    chosen.resident_blocks =
        static_cast<int>(std::min(request.blocks, most_threads / request.threads / cluster * cluster));
  }
  launch_state launch(request, chosen);
  if (watching != nullptr) watching->launch_begins(request);
  std::vector<std::thread> threads;
  try {
    for (std::int64_t i = 1; i < count; ++i) {
      threads.emplace_back([&launch, i] { worker(launch, launch.options.seed + static_cast<std::uint64_t>(i)).run(); });
    }
  } catch (const std::system_error&) {
    // The threads that there are run all blocks.
  }
  worker(launch, options.seed).run();
  for (std::thread& t : threads) t.join();
  if (watching != nullptr) watching->launch_ends();
  if (request.must_wait && !launch.waited && !launch.stopped) {
    launch.stop("no thread calls wait_for_previous: it may end before the launch in front");
  }
  if (!launch.stopped) return status::success;
  last_diagnostic = launch.message;
  if (options.order == sim_order::random) last_diagnostic += " (seed " + std::to_string(options.seed) + ")";
  if (explored && options.exploration != nullptr) {
    last_diagnostic += " (preemptions " + to_string(options.exploration->preemptions) + ")";
  }
  if (options.print) std::fprintf(stderr, "%s\n", last_diagnostic.c_str());
  return launch.outcome;
}

}  // namespace upsweep::sim::inline UPSWEEP_ABI

const std::string& upsweep::sim_diagnostic() {
  return upsweep::sim::last_diagnostic;
}
