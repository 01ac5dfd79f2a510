// A device whose errors end the program, and times of what was done.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "upsweep/scan/runtime.hpp"
#include "upsweep/simt/runtime.hpp"

namespace upsweep::apps {

/// An open device. Every failure is exit_code::device and says what was being done.
class device_session {
 public:
  /// `most` bytes of the device's memory may be used; 0: what is free of a GPU's, and all of the sim's.
  explicit device_session(const std::string& which, std::uint64_t most = 0);

  runtime::backend where() const { return device_->where(); }
  std::string name() const { return device_->name(); }
  /// Where work is done, in a sentence.
  const char* kind() const { return where() == runtime::backend::sim ? "the sim" : "the device"; }
  std::string architecture() const { return device_->architecture(); }
  /// Whether it can run scans by this variant.
  bool runs(const scan_variant& v) const { return runtime::runs_on(v, *device_); }
  bool has_clusters() const { return device_->has_clusters(); }
  runtime::stream stream();

  /// `what` names the use of the memory in the error.
  runtime::buffer allocate(std::size_t bytes, const char* what);
  /// Copies in any direction, and waits.
  void copy(void* to, const void* from, std::size_t bytes);
  /// Enqueued on the stream, like the calls that are timed.
  status copy_async(void* to, const void* from, std::size_t bytes) { return device_->copy(to, from, bytes); }
  status fill(void* p, unsigned char value, std::size_t bytes) { return device_->fill(p, value, bytes); }
  status synchronize() { return device_->synchronize(); }
  std::size_t free_bytes() { return device_->free_bytes(); }
  /// Bytes of device memory that one piece of work may take: what is larger goes through it in pieces.
  std::size_t room();
  /// Whether they were asked for.
  bool is_bounded() const { return most_ > 0; }
  /// Runs `work` on the stream, waits, and returns its device time in milliseconds.
  double time(const char* what, const std::function<status()>& work);
  /// Fails when `s` is an error.
  void check(status s, const char* what);

 private:
  [[noreturn]] void refuse_memory(const std::string& use);

  std::unique_ptr<runtime::device> device_;
  std::uint64_t most_;
};

/// Milliseconds since it was made or last asked.
class stopwatch {
 public:
  double lap() {
    const auto now = clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return ms;
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

}  // namespace upsweep::apps
