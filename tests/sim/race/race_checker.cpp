#include "race_checker.hpp"

#include <link.h>

#include <algorithm>
#include <utility>

#include "source_line.hpp"

namespace upsweep::race {
namespace {

std::uintptr_t address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// The program's own data, which kernels may read.
bool is_of_an_image(std::uintptr_t p) {
  static const auto ranges = [] {
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& into = *static_cast<decltype(found)*>(data);
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& segment = info->dlpi_phdr[i];
            if (segment.p_type == PT_LOAD) into.emplace_back(info->dlpi_addr + segment.p_vaddr, segment.p_memsz);
          }
          return 0;
        },
        &found);
    return found;
  }();
  return std::any_of(ranges.begin(), ranges.end(), [p](const auto& range) { return p - range.first < range.second; });
}

std::string bytes_text(std::size_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

std::string done_by(use how) {
  switch (how) {
    case use::read:
      return "reads";
    case use::write:
      return "writes";
    case use::atomic_read:
      return "reads (atomically)";
    default:
      return "writes (atomically)";
  }
}

}  // namespace

race_checker& the_checker() {
  static race_checker& checker = *[] {
    auto* const one = new race_checker;
    sim::set_observer(one);
    return one;
  }();
  return checker;
}

// --- memory ---

void race_checker::allocated(void* p, std::size_t bytes) {
  auto memory = std::make_unique<shadowed_memory>(p, bytes);
  device_memory_[address_of(p) + bytes] = std::move(memory);
  lowest_ = std::min(lowest_, address_of(p));
  highest_ = std::max(highest_, address_of(p) + bytes);
}

void race_checker::deallocated(void* p) {
  latest_ = nullptr;
  const auto found = device_memory_.upper_bound(address_of(p));
  if (found != device_memory_.end() && found->second->begin() == address_of(p)) device_memory_.erase(found);
}

void race_checker::forbids(const void* p, std::size_t bytes) {
  if (shadowed_memory* const m = find_device_memory(address_of(p))) {
    m->set(address_of(p), bytes, shadowed_memory::forbidden);
  }
}

void race_checker::forgets(const void* p, std::size_t bytes) {
  if (shadowed_memory* const m = find_device_memory(address_of(p))) {
    m->unset(address_of(p), bytes, shadowed_memory::defined);
  }
}

shadowed_memory* race_checker::find_device_memory(std::uintptr_t p) {
  if (p < lowest_ || p >= highest_) return nullptr;
  if (latest_ != nullptr && latest_->holds(p)) return latest_;
  const auto found = device_memory_.upper_bound(p);
  if (found == device_memory_.end() || !found->second->holds(p)) return nullptr;
  return latest_ = found->second.get();
}

sim::block_runtime* race_checker::neighbour_with(std::uintptr_t p) const {
  if (running_->runtime->cluster_blocks() == 1) return nullptr;
  for (block_runtime* const block : running_->runtime->cluster().blocks) {
    if (p - address_of(block->shared()) < block->shared_bytes()) return block == running_->runtime ? nullptr : block;
  }
  return nullptr;
}

void race_checker::of_host(const void* p, std::size_t bytes) {
  shadowed_memory* const m = find_device_memory(address_of(p));
  if (m != nullptr && m->holds(address_of(p), bytes)) m->set(address_of(p), bytes, shadowed_memory::defined);
}

// --- launches and blocks ---

void race_checker::clears(const void* p, std::size_t bytes) {
  for (auto& [end, memory] : device_memory_) memory->begin_generation();
  if (shadowed_memory* const m = find_device_memory(address_of(p))) m->write(address_of(p), bytes);
  launches_in_front_ = 0;
}

void race_checker::launch_begins(const sim::launch_request& request) {
  begins_early_ = request.must_wait;
  launches_in_front_ = request.overlaps_previous ? launches_in_front_ + 1 : 0;
  is_of_an_image(0);  // looks for the ranges here, on the host's stack
  arguments_ = {{address_of(request.closure), request.closure_bytes},
                {address_of(request.functor), request.functor_bytes}};
  for (auto& [end, memory] : device_memory_) memory->begin_generation();
}

void race_checker::launch_ends() {
  running_ = nullptr;
  blocks_.clear();
  clusters_.clear();
  words_.clear();
}

void race_checker::block_begins(block_runtime& block) {
  auto& memory = shared_memory_[&block];
  const std::uintptr_t begin = address_of(block.shared()), dynamic = address_of(block.dynamic_shared());
  if (memory && memory->begin() == begin && memory->bytes() == block.shared_bytes()) {
    memory->begin_anew();
  } else {
    memory = std::make_unique<shadowed_memory>(block.shared(), block.shared_bytes());
  }
  memory->set(begin, block.shared_bytes(), shadowed_memory::forbidden);
  memory->unset(begin, block.storage_bytes(), shadowed_memory::forbidden);
  memory->unset(dynamic, block.dynamic_shared_bytes(), shadowed_memory::forbidden);
  blocks_[&block] = std::make_unique<block_state>(block, static_cast<std::uint32_t>(block.block_index()));
}

void race_checker::block_ends(block_runtime& block) {
  if (running_ != nullptr && running_->runtime == &block) running_ = nullptr;
  blocks_.erase(&block);
}

/// Its shared memory goes with it, as if it were overwritten.
void race_checker::last_thread_exits(block_runtime& block, int thread) {
  if (block.cluster_blocks() == 1) return;
  block_state& b = state_of(block);
  b.clocks.barrier();
  shadowed_memory& memory = *shared_memory_.at(&block);
  const access end{b.clocks.block(), 0, b.clocks.now(thread), static_cast<std::uint16_t>(thread), use::write, 0, 0};
  const access* const wrong = memory.add(memory.begin(), memory.bytes(), end, [&](const access& earlier) {
    return b.clocks.knows(thread, earlier.block, earlier.actor, earlier.when);
  });
  if (wrong != nullptr) {
    stop(b, thread, wrong->place,
         "its block ends, and nothing orders that behind shared memory of it which " + name_of(b, *wrong));
  }
}

void race_checker::block_enters(block_runtime& block) {
  running_ = &state_of(block);
  running_shared_ = shared_memory_.at(&block).get();
}

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
  const access* const hidden = find(shared)->find_write(shared, copy.bytes, [&](const access& write) {
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

// --- accesses ---

void race_checker::of_kernel(const void* at, std::size_t bytes, bool writes, std::size_t alignment, bool vague,
                             const void* instruction) {
  block_state* const block = running_;
  if (block->runtime->on_stack(at)) return;
  const std::uintptr_t p = address_of(at);
  const int thread = block->runtime->current_thread();
  // The context's own record of the block.
  if (p - address_of(block->runtime) < sizeof(block_runtime)) return;
  const std::uint32_t place = place_of(instruction);
  if (p % alignment != 0) {
    stop(*block, thread, place,
         (writes ? "writes " : "reads ") + bytes_text(bytes) + " that are not aligned to " + std::to_string(alignment));
  }
  if (!writes && find(p) == nullptr) {
    for (const auto& [begin, size] : arguments_) {
      if (p - begin < size) return;
    }
    if (is_of_an_image(p)) return;
  }
  note(*block, thread, at, bytes, writes ? use::write : use::read, false, vague, place);
}

std::uint64_t race_checker::traffic_of(const void* p) {
  const shadowed_memory* const memory = find_device_memory(address_of(p));
  return memory == nullptr ? 0 : memory->traffic();
}

void race_checker::copy(const void* to, const void* from, std::size_t bytes, const void* instruction) {
  if (bytes == 0) return;
  if (kernel_runs()) {
    plain(from, bytes, false, 1, true, instruction);
    plain(to, bytes, true, 1, true, instruction);
    return;
  }
  shadowed_memory* const source = find_device_memory(address_of(from));
  shadowed_memory* const target = find_device_memory(address_of(to));
  if (target == nullptr || !target->holds(address_of(to), bytes)) return;
  if (source == nullptr || !source->holds(address_of(from), bytes)) {
    target->set(address_of(to), bytes, shadowed_memory::defined);
    return;
  }
  std::vector<std::uint8_t> state(source->state(address_of(from)), source->state(address_of(from)) + bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    std::uint8_t& there = target->state(address_of(to))[i];
    there = static_cast<std::uint8_t>((there & ~shadowed_memory::defined) | (state[i] & shadowed_memory::defined));
  }
}

void race_checker::vector_read(block_runtime& block, int thread, const void* p, std::size_t bytes, call_site site) {
  block_state& b = state_of(block);
  note(b, thread, p, bytes, use::read, false, false, place_of(site));
  find(address_of(p))->discount(bytes);  // the copy that follows counts them
}

void race_checker::note(block_state& b, int thread, std::uint32_t actor, moment when, std::uintptr_t p,
                        std::size_t bytes, use how, bool device_wide, bool vague, std::uint32_t place) {
  if (bytes == 0) return;
  shadowed_memory* const memory = find(p);
  const auto what = [&] { return done_by(how) + " " + bytes_text(bytes); };
  if (memory == nullptr || !memory->holds(p, bytes)) stop_at_stray(b, thread, p, what(), place);
  const block_runtime* const neighbour = neighbour_with(p);
  if (neighbour != nullptr && neighbour->finished()) {
    stop(b, thread, place, what() + " of " + name_of(*memory, p, b) + ", which has ended");
  }
  if (begins_early_ && memory == find_device_memory(p) && !is_behind_wait(b, thread)) {
    if (is_write(how)) stop(b, thread, place, what() + " before wait_for_previous: " + name_of(*memory, p, b));
    if (memory->written_before(p, bytes, launches_in_front_)) {
      stop(b, thread, place,
           what() + " that a launch in front wrote, before wait_for_previous: " + name_of(*memory, p, b));
    }
  }

  std::uint8_t* const state = memory->state(p);
  std::uint8_t all = 0xff, any = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    all &= state[i];
    any |= state[i];
  }
  if ((any & shadowed_memory::forbidden) != 0) {
    stop(b, thread, place, what() + " outside of an array: " + name_of(*memory, p, b));
  }
  if (!is_write(how) && (all & shadowed_memory::defined) == 0 && !(vague && (any & shadowed_memory::defined) != 0)) {
    const auto undefined =
        std::find_if(state, state + bytes, [](std::uint8_t s) { return (s & shadowed_memory::defined) == 0; }) - state;
    stop(b, thread, place,
         what() + " that nothing wrote: " + name_of(*memory, p + static_cast<std::size_t>(undefined), b));
  }

  const access a{b.clocks.block(),
                 place,
                 when,
                 static_cast<std::uint16_t>(actor),
                 how,
                 device_wide,
                 static_cast<std::uint8_t>(is_atomic(how) ? bytes : 0)};
  const access* const wrong = memory->add(p, bytes, a, [&](const access& earlier) {
    return b.clocks.knows(thread, earlier.block, earlier.actor, earlier.when);
  });
  if (wrong != nullptr) {
    stop(b, thread, place,
         "race: it " + what() + " of " + name_of(*memory, p, b) + ", which " + name_of(b, *wrong) +
             ", and nothing orders the two");
  }
  if (!is_atomic(how)) memory->count(bytes);
  if (is_write(how)) memory->set(p, bytes, shadowed_memory::defined);
  if (how == use::write) {
    auto& words = words_of(b, p);
    if (!words.empty()) words.erase(p);
  }
}

// --- reports ---

std::uint32_t race_checker::place_of(const void* instruction) {
  cached_place& cached = place_cache_[address_of(instruction) / 2 % place_cache_.size()];
  if (cached.instruction != instruction) {
    const auto [found, fresh] =
        place_numbers_.try_emplace(address_of(instruction), static_cast<std::uint32_t>(places_.size()));
    if (fresh) places_.push_back({{}, instruction});
    cached = {instruction, found->second};
  }
  return cached.number;
}

std::uint32_t race_checker::place_of(call_site site) {
  // Lines of one file name have keys of their own, beside the addresses of instructions.
  const std::uintptr_t key = (address_of(site.file) * 0x9e3779b97f4a7c15u + site.line) | std::uintptr_t{1} << 63;
  const auto [found, fresh] = place_numbers_.try_emplace(key, static_cast<std::uint32_t>(places_.size()));
  if (fresh) places_.push_back({site, nullptr});
  return found->second;
}

sim::call_site race_checker::site_of(std::uint32_t number) {
  place& p = places_[number];
  if (p.instruction != nullptr) p = {source_line(p.instruction), nullptr};
  return p.site;
}

std::string race_checker::name_of(const block_state& b, const access& a) {
  const auto threads = static_cast<std::uint32_t>(b.clocks.threads());
  std::string who;
  if (a.actor >= threads) {
    who = "a bulk copy";
  } else {
    who = "warp " + std::to_string(a.actor / warp_size) + ", lane " + std::to_string(a.actor % warp_size);
  }
  who += a.block == b.clocks.block() ? " of the same block" : " of block " + std::to_string(a.block);
  const call_site site = site_of(a.place);
  const char* const did[] = {"read", "wrote", "read atomically", "wrote atomically"};
  return who + " " + did[static_cast<int>(a.how)] + " at " + site.file + ":" + std::to_string(site.line);
}

std::string race_checker::name_of(const shadowed_memory& memory, std::uintptr_t p, const block_state& b) const {
  const block_runtime* const neighbour = neighbour_with(p);
  const bool shared = neighbour != nullptr || memory.holds(address_of(b.runtime->shared()));
  const std::string which = neighbour == nullptr ? "" : " of block " + std::to_string(neighbour->block_index());
  return (shared ? "shared memory" : "device memory") + which + ", byte " + std::to_string(p - memory.begin()) +
         " of " + std::to_string(shared ? b.runtime->storage_bytes() : memory.bytes());
}

void race_checker::stop(block_state& b, int thread, std::uint32_t place, const std::string& what) {
  b.runtime->stop(thread, site_of(place), what);
}

void race_checker::stop_at_stray(block_state& b, int thread, std::uintptr_t p, const std::string& what,
                                 std::uint32_t place) {
  const auto next = device_memory_.upper_bound(p);
  std::string where = " in memory that is neither the block's shared memory nor device memory";
  std::uintptr_t nearest = 4096;
  if (next != device_memory_.begin()) {
    const auto& before = *std::prev(next)->second;
    const std::uintptr_t behind = p - (before.begin() + before.bytes());
    if (behind < nearest) {
      nearest = behind;
      where = ", " + bytes_text(behind) + " behind the end of an allocation of " + bytes_text(before.bytes());
    }
  }
  if (next != device_memory_.end()) {
    const auto& here = *next->second;
    if (here.holds(p)) {
      where = " across the end of an allocation of " + bytes_text(here.bytes());
    } else if (here.begin() - p < nearest) {
      where = ", " + bytes_text(here.begin() - p) + " before an allocation of " + bytes_text(here.bytes());
    }
  }
  stop(b, thread, place, what + where);
}

}  // namespace upsweep::race
