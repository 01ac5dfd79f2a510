// One direction of copies between host memory and a device, beside its kernels and beside the other direction.
//
// Pinned host memory is copied straight. Of pageable memory the CPU copies pieces to or from a ring of pinned buffers,
// on its own threads, while the device copies others.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/from_host_options.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/side_stream.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Copies with so many threads; with fewer where they cannot be made.
inline void copy_by_threads(void* to, const void* from, std::size_t bytes, int threads) {
  constexpr std::size_t least_part = std::size_t{1} << 20;
  const auto wanted = static_cast<std::size_t>((std::max)(1, threads));
  const std::size_t parts = (std::min)(wanted, (bytes + least_part - 1) / least_part);
  const auto copy_part = [=](std::size_t part) {
    const std::size_t begin = bytes / parts * part, end = part + 1 == parts ? bytes : bytes / parts * (part + 1);
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  };
  if (bytes == 0) return;
  std::vector<std::thread> helpers;
  std::size_t part = 1;
  static_cast<void>(without_exceptions([&] {
    helpers.reserve(parts);
    for (; part < parts; ++part) helpers.emplace_back(copy_part, part);
  }));
  copy_part(0);
  for (; part < parts; ++part) copy_part(part);
  for (std::thread& helper : helpers) helper.join();
}

template <class Executor>
class copy_queue {
 public:
  using event = typename Executor::event;

  copy_queue(const Executor& beside, const from_host_options& options) : stream_(beside), options_(options) {
    if (options_.copy_threads <= 0) {
      options_.copy_threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 4, 1, 8);
    }
  }
  copy_queue(const copy_queue&) = delete;
  copy_queue& operator=(const copy_queue&) = delete;
  ~copy_queue() {
    static_cast<void>(wait());
    static_cast<void>(stream_.executor.synchronize());
    for (buffer& b : ring_) {
      if (b.data != nullptr) stream_.free_pinned(b.data);
    }
  }

  status open() { return stream_.open(); }

  /// From here on, copies between a device and these arrays: straight where all are pinned.
  status serve(std::span<const memory_use> host) {
    by_buffers_ = options_.always_by_buffers || !std::all_of(host.begin(), host.end(), [&](const memory_use& m) {
                    return stream_.is_pinned(m.data, m.bytes);
                  });
    if (!by_buffers_ || ring_[0].data != nullptr) return status::success;
    if (options_.buffer_bytes == 0) return status::invalid_value;
    for (buffer& b : ring_) {
      status s = b.copied.make(stream_.executor);
      void* p = nullptr;
      if (s == status::success) s = stream_.allocate_pinned(&p, options_.buffer_bytes);
      if (s != status::success) return s;
      b.data = static_cast<char*>(p);
    }
    return status::success;
  }

  /// Begins work that enqueues copies: at once, or by a thread where the CPU has to copy. The work started before has
  /// been waited for.
  template <class Work>
  void start(Work work) {
    const auto run = [this, work] {
      result_ = work();
      if (result_ == status::success) result_ = flush();
    };
    if (by_buffers_) {
      const status begun = without_exceptions([&] {
        worker_ = std::thread([this, run] {
          stream_.activate();
          run();
        });
      });
      if (begun == status::success) return;
    }
    run();
  }
  /// Waits until the work started last has enqueued all; to the host through buffers, until all has arrived.
  status wait() {
    if (worker_.joinable()) worker_.join();
    return result_;
  }

  side_stream<Executor>& stream() { return stream_; }

  /// Enqueues a copy. Pieces that adjoin on the device share a buffer.
  status to_device(void* device, const void* host, std::size_t bytes) {
    if (!by_buffers_) return stream_.executor.copy(device, host, bytes);
    auto* to = static_cast<char*>(device);
    const auto* from = static_cast<const char*>(host);
    while (bytes > 0) {
      buffer& open = ring_[at_];
      const bool adjoins = open.filled > 0 && open.device + open.filled == to && open.filled < options_.buffer_bytes;
      if (open.filled > 0 && !adjoins) {
        const status s = send();
        if (s != status::success) return s;
        continue;
      }
      if (open.filled == 0) {
        const status s = free_again(open);
        if (s != status::success) return s;
        open.device = to;
      }
      const std::size_t part = (std::min)(bytes, options_.buffer_bytes - open.filled);
      copy_by_threads(open.data + open.filled, from, part, options_.copy_threads);
      open.filled += part;
      to += part;
      from += part;
      bytes -= part;
    }
    return status::success;
  }

  /// Enqueues a copy; through buffers, it waits for earlier ones.
  status to_host(void* host, const void* device, std::size_t bytes) {
    if (!by_buffers_) return stream_.executor.copy(host, device, bytes);
    auto* to = static_cast<char*>(host);
    const auto* from = static_cast<const char*>(device);
    while (bytes > 0) {
      buffer& next = ring_[at_];
      status s = free_again(next);
      const std::size_t part = (std::min)(bytes, options_.buffer_bytes);
      if (s == status::success) s = stream_.executor.copy(next.data, from, part);
      if (s == status::success) s = stream_.executor.record(next.copied.native);
      if (s != status::success) return s;
      next.in_flight = true;
      next.host = to;
      next.host_bytes = part;
      at_ = (at_ + 1) % ring_.size();
      to += part;
      from += part;
      bytes -= part;
    }
    return status::success;
  }

 private:
  struct buffer {
    char* data = nullptr;
    owned_event<Executor> copied;
    bool in_flight = false;
    char* device = nullptr;  ///< to the device: where its bytes go
    std::size_t filled = 0;  ///< to the device: not enqueued yet
    char* host = nullptr;    ///< to the host: where its bytes go
    std::size_t host_bytes = 0;
  };

  /// The open buffer is enqueued, and the next one becomes the open one.
  status send() {
    buffer& b = ring_[at_];
    if (b.filled == 0) return status::success;
    status s = stream_.executor.copy(b.device, b.data, b.filled);
    if (s == status::success) s = stream_.executor.record(b.copied.native);
    b.in_flight = s == status::success;
    b.filled = 0;
    at_ = (at_ + 1) % ring_.size();
    return s;
  }
  /// Waits until the device is done with the buffer, and takes what arrived on the host.
  status free_again(buffer& b) {
    if (!b.in_flight) return status::success;
    b.in_flight = false;
    const status s = stream_.wait_on_host(b.copied.native);
    if (s == status::success && b.host != nullptr) copy_by_threads(b.host, b.data, b.host_bytes, options_.copy_threads);
    b.host = nullptr;
    return s;
  }
  status flush() {
    if (!by_buffers_) return status::success;
    status s = send();
    for (std::size_t i = 0; i < ring_.size() && s == status::success; ++i) {
      buffer& b = ring_[(at_ + i) % ring_.size()];
      if (b.host != nullptr) s = free_again(b);
    }
    return s;
  }

  side_stream<Executor> stream_;
  from_host_options options_;
  bool by_buffers_ = false;
  std::array<buffer, 4> ring_{};
  std::size_t at_ = 0;
  std::thread worker_;
  status result_ = status::success;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
