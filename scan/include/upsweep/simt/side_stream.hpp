// A second stream for a call, beside the caller's, and what a call asks about host memory. cuda_side_stream.cuh has the
// GPU's.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdlib>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/sim_executor.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// On the sim, where all work has finished when its call returns: the executor itself.
template <class Executor>
struct side_stream {
  using event = typename Executor::event;

  Executor executor;

  explicit side_stream(const Executor& beside) : executor(beside) {}

  /// Makes the stream. It ends with the object, after its work.
  status open() { return status::success; }
  /// For a host thread that is to work with the stream.
  void activate() const {}
  /// What is enqueued from here on begins after the event.
  status wait_for(const event&) { return status::success; }
  /// The host waits for the event.
  status wait_on_host(const event&) { return status::success; }

  /// Whether copies of the stream read or write all of this host memory without the CPU.
  static bool is_pinned(const void*, std::size_t) { return true; }
  /// Host memory that is.
  static status allocate_pinned(void** p, std::size_t bytes) {
    *p = std::malloc(bytes);
    return *p != nullptr ? status::success : status::memory_allocation;
  }
  static void free_pinned(void* p) { std::free(p); }
};

/// The stream on which calls go beside the caller's: on the sim, the caller's.
template <class Executor, class Stream>
auto stream_of_side(const side_stream<Executor>& side, Stream callers) {
  if constexpr (requires { side.stream; }) {
    return side.stream;
  } else {
    return callers;
  }
}

/// An event that ends with the object.
template <class Executor>
class owned_event {
 public:
  owned_event() = default;
  owned_event(const owned_event&) = delete;
  owned_event& operator=(const owned_event&) = delete;
  ~owned_event() {
    if (executor_ != nullptr) static_cast<void>(executor_->destroy_event(native));
  }
  status make(Executor& executor) {
    const status s = executor.make_event(native);
    if (s == status::success) executor_ = &executor;
    return s;
  }
  typename Executor::event native{};

 private:
  Executor* executor_ = nullptr;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

#if defined(__CUDACC__)
#include "upsweep/simt/cuda_side_stream.cuh"
#endif
