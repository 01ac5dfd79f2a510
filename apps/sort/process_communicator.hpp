// A rank of the sim that is a process: a communicator (simt/communicator.hpp) by MPI, as the sim's memory is the
// host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "process_ranks.hpp"
#include "upsweep/simt/communicator.hpp"

namespace upsweep::apps {

/// Its methods are those that communicator.hpp describes.
class process_communicator : public detail::same_addresses {
 public:
  using stream_type = sim_stream;

  /// `ranks` outlives it.
  explicit process_communicator(process_ranks& ranks) : ranks_(&ranks) {}

  int rank() const { return ranks_->rank(); }
  int ranks() const { return ranks_->ranks(); }
  bool reaches_peers() const { return false; }
  bool is_shared(workspace) const { return false; }

  template <class T>
  status meet(const T& mine, std::vector<T>& all) {
    static_assert(std::is_trivially_copyable_v<T>);
    all.resize(static_cast<std::size_t>(ranks()));
    return after(ranks_->gather(&mine, all.data(), sizeof(T)));
  }
  status all_gather(const void* mine, void* all, std::size_t bytes, sim_stream) {
    return after(ranks_->gather(mine, all, bytes));
  }
  status exchange(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at,
                  sim_stream) {
    return after(ranks_->exchange(send, send_at, receive, receive_at));
  }
  /// Only where peers are reached.
  status pull(void*, const void*, std::size_t, sim_stream) { return status::not_supported; }
  status await_pulled(sim_stream) { return status::success; }

  status checked(status s) {
    if (s != status::success) fail(s);
    return s;
  }
  void fail(status why) {
    if (failure_ == status::success) failure_ = why;
    ranks_->fail(exit_code::device);
  }
  status wait(sim_stream, std::chrono::milliseconds) { return failure_; }
  status can_take(sim_stream) const { return status::success; }

 private:
  status after(bool all_went_on) {
    if (!all_went_on && failure_ == status::success) failure_ = status::launch_failure;
    return failure_;
  }

  process_ranks* ranks_;
  status failure_ = status::success;
};

}  // namespace upsweep::apps
