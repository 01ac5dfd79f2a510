// What the race checker says of threads, places and accesses.
#include <iterator>
#include <string>

#include "race_checker.hpp"
#include "report_text.hpp"
#include "source_line.hpp"

namespace upsweep::race {

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
