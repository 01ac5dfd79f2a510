// Chunks of host memory on their way through a device: while one is worked on, the next one comes up and the one before
// goes down. Chunk i uses the set i % 2 of the device's buffers.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <span>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/host_copies.cuh"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Executor>
class host_pipeline {
 public:
  host_pipeline(const Executor& beside, const from_host_options& options)
      : up_(beside, options), kernels_(beside), down_(beside, options) {}

  status open() {
    status s = up_.open();
    if (s == status::success) s = kernels_.open();
    if (s == status::success) s = down_.open();
    for (owned_event<Executor>* of : {up_done_, worked_, down_done_}) {
      for (int set = 0; set < 2; ++set) {
        if (s == status::success) s = of[set].make(kernels_.executor);
      }
    }
    return s;
  }

  /// The host memory that the next run reads and writes.
  status serve(std::span<const memory_use> read, std::span<const memory_use> written) {
    const status s = up_.serve(read);
    return s != status::success ? s : down_.serve(written);
  }

  /// Of each chunk in turn: up(queue, i) enqueues copies to its set, work(stream, i) kernels, down(queue, i) copies
  /// from its set. `down` may wait for `work` on the host, by worked(queue, i). All has finished when it returns, the
  /// first error.
  template <class Up, class Work, class Down>
  status run(std::int64_t chunks, Up up, Work work, Down down) {
    const auto begin_up = [&](std::int64_t i) {
      up_.start([&, i] {
        status s = status::success;
        if (i >= 2) s = up_.stream().wait_for(worked_[i % 2].native);
        if (s == status::success) s = up(up_, i);
        return s;
      });
    };
    const auto begin_down = [&](std::int64_t i) {
      down_.start([&, i] {
        status s = down_.stream().wait_for(worked_[i % 2].native);
        if (s == status::success) s = down(down_, i);
        if (s == status::success) s = down_.stream().executor.record(down_done_[i % 2].native);
        return s;
      });
    };
    const auto one = [&](std::int64_t i) {
      status s = up_.wait();
      if (s == status::success) s = up_.stream().executor.record(up_done_[i % 2].native);
      if (s == status::success && i + 1 < chunks) begin_up(i + 1);
      if (s == status::success) s = kernels_.wait_for(up_done_[i % 2].native);
      // Here, and not on the stream: the host is never far ahead of what it reports.
      if (s == status::success && i >= 2) s = kernels_.wait_on_host(down_done_[i % 2].native);
      if (s == status::success) s = work(kernels_, i);
      if (s == status::success) s = kernels_.executor.record(worked_[i % 2].native);
      if (s == status::success) s = down_.wait();
      if (s == status::success) begin_down(i);
      return s;
    };
    status s = status::success;
    if (chunks > 0) begin_up(0);
    for (std::int64_t i = 0; i < chunks && s == status::success; ++i) s = one(i);
    return first_error(s, finish());
  }

  /// For `down`: the host waits until chunk i has been worked on.
  status worked(copy_queue<Executor>& queue, std::int64_t i) {
    return queue.stream().wait_on_host(worked_[i % 2].native);
  }

  side_stream<Executor>& kernels() { return kernels_; }

 private:
  static status first_error(status a, status b) { return a != status::success ? a : b; }
  status finish() {
    status s = up_.wait();
    s = first_error(s, down_.wait());
    s = first_error(s, up_.stream().executor.synchronize());
    s = first_error(s, kernels_.executor.synchronize());
    return first_error(s, down_.stream().executor.synchronize());
  }

  copy_queue<Executor> up_;
  side_stream<Executor> kernels_;
  copy_queue<Executor> down_;
  owned_event<Executor> up_done_[2], worked_[2], down_done_[2];
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
