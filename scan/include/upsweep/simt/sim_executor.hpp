// Runs kernels on the CPU. The mirror of cuda_executor; every call has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/sim_block.hpp"
#include "upsweep/simt/sim_memory.hpp"
#include "upsweep/simt/sim_observer.hpp"
#include "upsweep/simt/sim_options.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

/// A text from the compiler that has "Kernel = ", then the name of the type: for programs without RTTI too.
template <class Kernel>
const char* text_with_name() {
  return __PRETTY_FUNCTION__;
}

}  // namespace upsweep::sim::inline UPSWEEP_ABI

namespace upsweep::inline UPSWEEP_ABI {

/// The stream of the sim: its options, which must outlive the call; null for the defaults.
struct sim_stream {
  const sim_options* options = nullptr;  ///< of the caller; null for the defaults
};

/// Runs kernels on the CPU, thread by thread; the mirror of cuda_executor. A kernel's call operator gets a sim_block.
/// Every method has finished when it returns.
///     upsweep::status s = upsweep::sim_executor().launch(blocks, kernel{}, in, out, n);
class sim_executor {
 public:
  using error_type = status;            ///< what public calls on such a stream return
  using event = std::int64_t;           ///< a time, in nanoseconds
  static constexpr bool is_sim = true;  ///< whether kernels run on the CPU

  /// Runs kernels by these options, which it copies.
  explicit sim_executor(sim_stream s = {}) : options_(s.options ? *s.options : sim_options{}) {}

  /// Runs a kernel on every thread of a grid.
  ///   g       how many blocks; is_possible(g)
  ///   kernel  the functor
  ///   args    its arguments
  /// Errors: invalid_value for an impossible grid; not_supported for a cluster of more blocks than
  /// sim_options::most_cluster_blocks; launch_failure for a kernel that breaks a rule of the sim, such as a divergent
  /// barrier, with sim_diagnostic() for the reason; memory_allocation without room for the threads' stacks. Cost: some
  /// nanoseconds for each switch from thread to thread.
  template <class Kernel, class... Args>
  status launch(grid g, const Kernel& kernel, Args... args) {
    using storage = typename Kernel::temp_storage;
    const auto body = [&kernel, args...](sim::block_runtime& runtime, int thread) {
      sim_block<Kernel::block_threads> block(runtime, thread);
      kernel(block, *static_cast<storage*>(runtime.shared()), args...);
    };
    sim::launch_request request{sim::text_with_name<Kernel>(),
                                g.blocks,
                                g.cluster_blocks,
                                Kernel::block_threads,
                                sizeof(storage),
                                g.dynamic_bytes,
                                [](const void* b, sim::block_runtime& runtime, int thread) {
                                  (*static_cast<decltype(&body)>(b))(runtime, thread);
                                },
                                &body,
                                sizeof body,
                                &kernel,
                                sizeof kernel};
    if constexpr (requires { Kernel::begins_early; }) request.must_wait = next_overlaps_;
    return run(g, request);
  }

  /// Whether a kernel that needs a certain GPU can run.
  template <class Kernel, class... Args>
  static bool can_run() {
    return true;
  }

  /// As many blocks as the sim has in flight.
  std::int64_t multiprocessors() const { return options_.resident_blocks > 1 ? options_.resident_blocks : 1; }

  /// Whether blocks can be launched in clusters.
  bool has_clusters() const { return options_.most_cluster_blocks > 1; }

  /// Sets *p to new memory of `bytes` bytes, filled with a pattern that no kernel should read; null for 0 bytes.
  status allocate(void** p, std::size_t bytes) {
    *p = bytes == 0 ? nullptr : sim::allocate(bytes);
    return bytes == 0 || *p != nullptr ? status::success : status::memory_allocation;
  }
  /// Frees what allocate returned; null is allowed.
  status deallocate(void* p) {
    sim::deallocate(p);
    return status::success;
  }
  /// Copies `bytes` bytes.
  status copy(void* to, const void* from, std::size_t bytes) {
    next_overlaps_ = false;
    if (bytes != 0) std::memmove(to, from, bytes);
    return status::success;
  }
  /// Sets `bytes` bytes from p on to `value`.
  status fill(void* p, unsigned char value, std::size_t bytes) {
    next_overlaps_ = false;
    if (bytes != 0) std::memset(p, value, bytes);
    return status::success;
  }
  /// Sets `bytes` bytes from p on to zero, for the next kernel. `p` is a multiple of 16.
  status clear(void* p, std::size_t bytes) {
    const status cleared = fill(p, 0, bytes);
    if (sim::observer* const watching = sim::current_observer()) watching->clears(p, bytes);
    next_overlaps_ = true;
    return cleared;
  }
  /// Does nothing: all work is done.
  status synchronize() { return status::success; }

  /// Makes an event for timing.
  status make_event(event&) { return status::success; }
  /// Does nothing.
  status destroy_event(event&) { return status::success; }
  /// Sets the event to the time that it is.
  status record(event& e) {
    e = sim::now();
    return status::success;
  }
  /// Sets ms to the milliseconds from one event to the other.
  status elapsed_ms(const event& from, const event& to, float& ms) {
    ms = static_cast<float>(to - from) * 1e-6f;
    return status::success;
  }

 private:
  /// What is the same for every kernel; `request` is of this grid.
  status run(const grid& g, sim::launch_request& request) {
    if (!is_possible(g)) return status::invalid_value;
    if (g.cluster_blocks > 1 && g.cluster_blocks > options_.most_cluster_blocks) return status::not_supported;
    if (g.blocks == 0) return status::success;
    request.overlaps_previous = next_overlaps_;
    next_overlaps_ = g.overlaps_next;
    return sim::run(request, options_);
  }

  sim_options options_;
  bool next_overlaps_ = false;  // on a GPU, the next launch may begin while the one before runs
};

}  // namespace upsweep::inline UPSWEEP_ABI
