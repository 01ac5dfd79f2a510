// What is at a place, and whether an access there breaks a rule. What orders accesses: ordering.cpp.
#include "race_checker.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "report_text.hpp"

namespace upsweep::race {
namespace {

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
  gap_begin_ = gap_end_ = 0;
  auto memory = std::make_unique<shadowed_memory>(p, bytes);
  device_memory_[address_of(p) + bytes] = std::move(memory);
  lowest_ = std::min(lowest_, address_of(p));
  highest_ = std::max(highest_, address_of(p) + bytes);
}

void race_checker::deallocated(void* p) {
  latest_ = nullptr;
  gap_begin_ = gap_end_ = 0;
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
  if (p - gap_begin_ < gap_end_ - gap_begin_) return nullptr;
  const auto found = device_memory_.upper_bound(p);
  if (found != device_memory_.end() && found->second->holds(p)) return latest_ = found->second.get();
  gap_begin_ = found == device_memory_.begin() ? 0 : std::prev(found)->first;
  gap_end_ = found == device_memory_.end() ? ~std::uintptr_t{0} : found->second->begin();
  return nullptr;
}

sim::block_runtime* race_checker::neighbour_with(std::uintptr_t p) const {
  if (running_->runtime->cluster_blocks() == 1) return nullptr;
  for (block_runtime* const block : running_->runtime->blocks_of_cluster()) {
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

// --- places in the source ---

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

}  // namespace upsweep::race
