// Finds races and missing barriers in kernels that run on the sim. Programs are compiled with -fsanitize=thread and
// linked with this instead of the compiler's runtime: instrumentation.cpp hands every access of a kernel to the
// checker, and the sim tells it what orders them. The rules are those of the GPU, not of the CPU under the sim:
//  - the block's barrier, barriers of named warps, phase barriers and warp_sync order what comes before them and what
//    comes after them, for those who take part. Other collectives order nothing.
//  - a release orders for those who acquire what it wrote, within its scope; a fence makes a release of the relaxed
//    stores after it, and an acquire of the relaxed loads before it. Relaxed accesses and atomics alone order nothing.
//    Two atomic accesses to the same bytes do not race; those that overlap otherwise do, as plain ones.
//  - a bulk copy comes after what its thread did before it; a load before those who saw its phase end, the reading of a
//    store before what its thread does after bulk_wait. Who wrote what a store reads, or where a load writes, calls
//    bulk_fence in between.
//  - the barrier of a cluster orders as the block's does, for all of its blocks; the relaxed one orders nothing.
//  - a block ends when all of its threads do, and its shared memory with it: what other blocks do there comes before
//    that.
//  - launches happen one after the other; but what a kernel that may begin early writes to device memory, and what
//    it reads there of earlier launches that may still run, comes after a wait_for_previous of the block.
// The first finding stops the launch and is its diagnostic. A process has one checker, which watches from the start.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "clocks.hpp"
#include "shadow.hpp"
#include "upsweep/simt/sim_observer.hpp"

namespace upsweep::race {

class race_checker final : public sim::observer {
 public:
  using block_runtime = sim::block_runtime;
  using call_site = sim::call_site;

  /// An access of compiled code, just before it happens. `vague`: some of its bytes may be padding.
  void plain(const void* p, std::size_t bytes, bool writes, std::size_t alignment, bool vague,
             const void* instruction) {
    if (kernel_runs()) {
      of_kernel(p, bytes, writes, alignment, vague, instruction);
    } else if (writes) {
      of_host(p, bytes);
    }
  }
  /// memmove of compiled code, just before it happens.
  void copy(const void* to, const void* from, std::size_t bytes, const void* instruction);

  /// Bytes that kernels have read and written, but for atomics, of the device memory that holds `p`, since it was
  /// allocated; 0 for any other memory.
  std::uint64_t traffic_of(const void* p);

  void allocated(void* p, std::size_t bytes) override;
  void deallocated(void* p) override;
  void forbids(const void* p, std::size_t bytes) override;
  void forgets(const void* p, std::size_t bytes) override;
  void clears(const void* p, std::size_t bytes) override;
  void launch_begins(const sim::launch_request&) override;
  void launch_ends() override;
  void block_begins(block_runtime&) override;
  void block_ends(block_runtime&) override;
  void last_thread_exits(block_runtime&, int thread) override;
  void block_enters(block_runtime&) override;
  void waits_for_previous(block_runtime&, int thread) override;
  void barrier_completes(block_runtime&) override;
  void group_arrives(block_runtime&, int thread, int group) override;
  void group_completes(block_runtime&, int group, std::span<const int> waiting) override;
  void cluster_arrives(block_runtime&, int thread) override;
  void cluster_completes(block_runtime&) override;
  void cluster_leaves(block_runtime&, int thread) override;
  void warp_syncs(block_runtime&, int warp, lane_mask mask) override;
  void phase_begins(block_runtime&, int thread, const phase_barrier&, call_site) override;
  void phase_arrives(block_runtime&, int thread, const phase_barrier&, call_site) override;
  void phase_completes(block_runtime&, const phase_barrier&) override;
  void phase_seen(block_runtime&, int thread, const phase_barrier&, bool done, call_site) override;
  void bulk_copy_issued(block_runtime&, const sim::bulk_copy&) override;
  void bulk_waited(block_runtime&, int thread, int group) override;
  void bulk_fenced(block_runtime&, int thread) override;
  void accesses(block_runtime&, int thread, const sim::ordered_access&, call_site) override;
  void fenced(block_runtime&, int thread, bool device_wide) override;
  void vector_read(block_runtime&, int thread, const void* p, std::size_t bytes, call_site) override;

 private:
  /// A place in the source: a call of the context, or an instruction that is looked up when it is needed.
  struct place {
    call_site site{};
    const void* instruction = nullptr;
  };
  /// What a word hands over to those who acquire it, by the scope of the release.
  struct word_message {
    message wide, narrow;                             // to the device, to the block
    std::int64_t wide_block = -1, narrow_block = -1;  // who said it; -1 for nobody, or several
  };
  struct fences {
    message wide, narrow;            // released by relaxed stores from now on
    message read_wide, read_narrow;  // by relaxed loads from other blocks and from this one, for the next fence
  };
  struct phase {
    message arrived, complete;
    std::uint32_t actor;  // its bulk loads
    moment number = 1;
  };
  /// The barrier of a cluster that fills, and the last complete one.
  struct cluster_messages {
    message arrived, complete;
  };
  /// Of a thread's bulk stores. Their moments are its groups, from 1. bulk_wait tells of the reading alone.
  struct store_actors {
    std::uint32_t reading, writing;
  };
  struct block_state {
    block_state(block_runtime& block, std::uint32_t index)
        : runtime(&block),
          clocks(index, block.threads()),
          fence(static_cast<std::size_t>(block.threads())),
          bulk_fences(fence.size()),
          behind_wait(fence.size()) {}

    block_runtime* runtime;
    block_clocks clocks;
    message group[16];
    std::vector<fences> fence;  // by thread
    std::unordered_map<std::uintptr_t, phase> phases;
    std::unordered_map<int, store_actors> stores;            // by thread
    std::vector<std::vector<moment>> bulk_fences;            // by thread, rising: the moments that they ended
    std::vector<std::pair<std::uint32_t, moment>> waits;     // for the previous launch: which threads, and when
    std::vector<bool> behind_wait;                           // by thread: it knows of one of them
    std::unordered_map<std::uintptr_t, word_message> words;  // of shared memory
  };

  block_state& state_of(block_runtime& block) { return *blocks_.at(&block); }
  void of_kernel(const void* p, std::size_t bytes, bool writes, std::size_t alignment, bool vague,
                 const void* instruction);
  void of_host(const void* p, std::size_t bytes);
  bool kernel_runs() const { return running_ != nullptr && running_->runtime->current_thread() >= 0; }
  std::uint32_t place_of(const void* instruction);
  std::uint32_t place_of(call_site site);
  call_site site_of(std::uint32_t place);
  shadowed_memory* find_device_memory(std::uintptr_t p);
  /// Another block of the running one's cluster that has this address in its shared memory; null for none.
  block_runtime* neighbour_with(std::uintptr_t p) const;
  /// For the block that runs.
  shadowed_memory* find(std::uintptr_t p) {
    if (running_shared_->holds(p)) return running_shared_;
    if (shadowed_memory* const m = find_device_memory(p)) return m;
    block_runtime* const neighbour = neighbour_with(p);
    return neighbour == nullptr ? nullptr : shared_memory_.at(neighbour).get();
  }

  /// Notes an access to memory that kernels share; stops the launch when it breaks a rule. `actor` is the thread, or a
  /// bulk copy that it issued.
  void note(block_state& block, int thread, std::uint32_t actor, moment when, std::uintptr_t p, std::size_t bytes,
            use how, bool device_wide, bool vague, std::uint32_t place);
  /// The same for what the thread itself does now.
  void note(block_state& block, int thread, const void* p, std::size_t bytes, use how, bool device_wide, bool vague,
            std::uint32_t place) {
    note(block, thread, static_cast<std::uint32_t>(thread), block.clocks.now(thread),
         reinterpret_cast<std::uintptr_t>(p), bytes, how, device_wide, vague, place);
  }
  std::unordered_map<std::uintptr_t, word_message>& words_of(block_state& block, std::uintptr_t p) {
    if (running_shared_->holds(p)) return block.words;
    block_runtime* const neighbour = neighbour_with(p);
    return neighbour == nullptr ? words_ : state_of(*neighbour).words;
  }
  void check_bulk_fences(block_state& block, const sim::bulk_copy& copy);
  /// Whether what the thread does comes after a wait_for_previous of its block.
  bool is_behind_wait(block_state& block, int thread);
  [[noreturn]] void stop(block_state& block, int thread, std::uint32_t place, const std::string& what);
  [[noreturn]] void stop_at_stray(block_state& block, int thread, std::uintptr_t p, const std::string& what,
                                  std::uint32_t place);
  std::string name_of(const block_state& block, const access& a);
  std::string name_of(const shadowed_memory& memory, std::uintptr_t p, const block_state& block) const;

  std::map<std::uintptr_t, std::unique_ptr<shadowed_memory>> device_memory_;  // by its end
  std::uintptr_t lowest_ = ~std::uintptr_t{0}, highest_ = 0;                  // where it has ever been
  std::uintptr_t gap_begin_ = 0, gap_end_ = 0;  // where none is: the host writes time and again beside it
  std::unordered_map<block_runtime*, std::unique_ptr<shadowed_memory>> shared_memory_;
  std::unordered_map<block_runtime*, std::unique_ptr<block_state>> blocks_;
  std::unordered_map<const sim::cluster_state*, cluster_messages> clusters_;
  std::unordered_map<std::uintptr_t, word_message> words_;         // of device memory
  std::vector<std::pair<std::uintptr_t, std::size_t>> arguments_;  // of the kernel that runs
  block_state* running_ = nullptr;
  bool begins_early_ = false;            // the kernel that runs, before the previous launch has ended
  std::uint32_t launches_in_front_ = 0;  // that may still run: a launch that overlaps leaves those before it, too
  shadowed_memory *latest_ = nullptr, *running_shared_ = nullptr;
  std::vector<place> places_;
  std::unordered_map<std::uintptr_t, std::uint32_t> place_numbers_;
  struct cached_place {
    const void* instruction = nullptr;
    std::uint32_t number = 0;
  };
  std::vector<cached_place> place_cache_ = std::vector<cached_place>(4096);
};

race_checker& the_checker();

}  // namespace upsweep::race
