#include "device_session.hpp"

#include <algorithm>
#include <limits>

#include "failure.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "upsweep/simt/sim_options.hpp"
#include "usable_cores.hpp"

namespace upsweep::apps {
namespace {

/// Each block in flight takes up to 2 MB of stacks; two of them keep a core as busy as four.
sim_options* options_of_sim() {
  static sim_options options = [] {
    sim_options few;
    few.os_threads = static_cast<int>(std::min<std::size_t>(usable_cores(), 16));
    few.resident_blocks = 2;
    return few;
  }();
  return &options;
}

}  // namespace

device_session::device_session(const std::string& which, std::uint64_t most) : most_(most) {
  std::string why;
  device_ = runtime::open_device(which, why);
  if (device_) return;
  // The flag names the device already.
  const std::string named = fmt::format("device '{}': ", which);
  fail(exit_code::device, "--device {}: {}", which, why.starts_with(named) ? why.substr(named.size()) : why);
}

runtime::stream device_session::stream() {
  runtime::stream s = device_->get_stream();
  if (s.where == runtime::backend::sim) s.handle = options_of_sim();
  return s;
}

std::size_t device_session::room() {
  if (most_ > 0) return static_cast<std::size_t>(most_);
  if (where() == runtime::backend::sim) return std::numeric_limits<std::size_t>::max();
  // Arrays are rounded up, and others allocate, too.
  return device_->free_bytes() / 16 * 15;
}

void device_session::check(status s, const char* what) {
  if (s == status::success) return;
  if (s == status::memory_allocation) refuse_memory(fmt::format("no room for {}", what));
  const std::string more = device_->message();
  fail(exit_code::device, "{}: {} failed: {} ({}){}{}", name(), what, status_name(s), status_text(s),
       more.empty() ? "" : ": ", more);
}

void device_session::refuse_memory(const std::string& use) {
  // The sim's arrays are the host's, of whose free memory this process may have less than all.
  if (where() == runtime::backend::sim) throw out_of_memory("out of host memory: " + use);
  throw out_of_memory(
      fmt::format("{}: out of device memory: {}; {} are free", name(), use, bytes_text(device_->free_bytes())));
}

runtime::buffer device_session::allocate(std::size_t bytes, const char* what) {
  runtime::buffer memory(*device_, bytes);
  if (memory.state() == status::memory_allocation) {
    refuse_memory(fmt::format("{} for {}", bytes_text(bytes), what));
  }
  check(memory.state(), "allocating memory");
  return memory;
}

void device_session::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check(device_->copy(to, from, bytes), "copying");
  check(device_->synchronize(), "copying");
}

double device_session::time(const char* what, const std::function<status()>& work) {
  const auto begin = device_->make_event();
  const auto end = device_->make_event();
  if (!begin || !end) fail(exit_code::device, "{}: cannot make events", name());
  const elapsed_time shown(fmt::format("{} on {}", what, name()));
  check(device_->record(*begin), what);
  check(work(), what);
  check(device_->record(*end), what);
  check(device_->synchronize(), what);
  float ms = 0;
  check(device_->elapsed_ms(*begin, *end, ms), what);
  return static_cast<double>(ms);
}

}  // namespace upsweep::apps
