#include "scan/networks/access_recorder.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace upsweep::test {
namespace {

constexpr int banks = 32, word_bytes = 4;

/// Lanes of a warp access together what they access by one instruction between the same barriers and collectives, for
/// the same time.
struct moment {
  int warp, barriers, meetings;
  const void* instruction;
  int time;
  auto operator<=>(const moment&) const = default;
};

struct recording {
  sim::block_runtime* block = nullptr;
  std::vector<const passed_points*> passed;
  std::map<std::tuple<int, int, int, const void*>, int> times;  // thread, barriers, meetings, instruction
  std::map<moment, std::set<std::uintptr_t>> words;
} now;
bool records = false;

void note(const void* p, std::size_t bytes, const void* instruction) {
  if (!records || now.block == nullptr || bytes == 0) return;
  const int thread = now.block->current_thread();
  const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(now.block->shared());
  if (thread < 0 || offset >= now.block->storage_bytes()) return;
  const passed_points& passed = *now.passed[static_cast<std::size_t>(thread)];
  const int time = now.times[{thread, passed.barriers, passed.meetings, instruction}]++;
  auto& words = now.words[{thread / warp_size, passed.barriers, passed.meetings, instruction, time}];
  for (std::uintptr_t w = offset / word_bytes; w <= (offset + bytes - 1) / word_bytes; ++w) words.insert(w);
}

/// Cycles that an access takes beyond those for as many words without a conflict.
int conflicts_of(const std::set<std::uintptr_t>& words) {
  std::array<int, banks> of_bank{};
  for (const std::uintptr_t w : words) ++of_bank[w % banks];
  const int least = (static_cast<int>(words.size()) + banks - 1) / banks;
  return *std::max_element(of_bank.begin(), of_bank.end()) - least;
}

}  // namespace

void begin_recording(int threads) {
  now = recording{};
  now.passed.resize(static_cast<std::size_t>(threads));
  records = true;
}

void record_thread(sim::block_runtime& block, int thread, const passed_points& passed) {
  now.block = &block;
  now.passed[static_cast<std::size_t>(thread)] = &passed;
}

shared_traffic end_recording() {
  records = false;
  shared_traffic t;
  for (const auto& [when, words] : now.words) {
    ++t.accesses;
    t.conflicts += conflicts_of(words);
  }
  return t;
}

}  // namespace upsweep::test

#define CALLER __builtin_return_address(0)
#define ACCESS(bytes)                           \
  void __tsan_read##bytes(void* p) {            \
    upsweep::test::note(p, bytes, CALLER);      \
  }                                             \
  void __tsan_write##bytes(void* p) {           \
    upsweep::test::note(p, bytes, CALLER);      \
  }                                             \
  void __tsan_unaligned_read##bytes(void* p) {  \
    upsweep::test::note(p, bytes, CALLER);      \
  }                                             \
  void __tsan_unaligned_write##bytes(void* p) { \
    upsweep::test::note(p, bytes, CALLER);      \
  }

extern "C" {
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void* p, std::size_t n) {
  upsweep::test::note(p, n, CALLER);
}
void __tsan_write_range(void* p, std::size_t n) {
  upsweep::test::note(p, n, CALLER);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
