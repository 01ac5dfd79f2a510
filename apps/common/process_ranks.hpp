// The processes that mpirun began as one run of a program, and how they end together.
//
// What a rank does alone goes through `together`: the failure of one is that of all. The rank whose exit code is the
// worst says its line, and all end with that code. Where ranks wait for each other by other means, by NCCL say, there
// is no telling: a failure there ends all processes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "failure.hpp"
#include "mpi_calls.hpp"

namespace upsweep::apps {

class process_ranks {
 public:
  /// Of mpirun, or of srun with PMI, by what they leave in the environment: every process of theirs constructs one. A
  /// program that was started in another way is rank 0 of 1. Fails if there is no module upsweep-mpi.so.
  process_ranks();
  process_ranks(const process_ranks&) = delete;
  process_ranks& operator=(const process_ranks&) = delete;

  int rank() const { return mpi_ != nullptr ? mpi_->rank : 0; }
  int ranks() const { return mpi_ != nullptr ? mpi_->ranks : 1; }
  /// Among those on this host.
  int local_rank() const { return mpi_ != nullptr ? mpi_->local_rank : 0; }

  /// Runs a step of this rank, which may be another one on each, and waits for those of the others. Fails where one of
  /// them has, on all ranks; on all but one without a line.
  void together(const std::function<void()>& step);

  /// Every rank brings `bytes` bytes, and gets those of all. False where a rank has failed: then nothing came.
  bool gather(const void* mine, void* all, std::size_t bytes);
  /// Bytes to and from all ranks, as mpi_calls::exchange has them. False on the same failures.
  bool exchange(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at);
  /// This rank has failed: others learn of it in what they call next.
  void fail(exit_code why) { static_cast<void>(nobody_fails(why)); }
  /// Makes bytes of all ranks those of rank 0; fails as `together` does.
  void bring_from_first(void* p, std::size_t bytes);
  /// gather, which fails in the same way.
  template <class T>
  std::vector<T> all_of(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(ranks()), mine);
    if (!gather(&mine, all.data(), sizeof(T))) fail_silently();
    return all;
  }

 private:
  friend int run_program_as_ranks(std::string_view name, const std::function<exit_code(process_ranks&)>& body);

  bool nobody_fails(exit_code mine);
  bool have_failed() const { return worst_ != exit_code::ok; }
  [[noreturn]] void fail_silently() const { throw failure(worst_, ""); }
  void end(std::string_view name, const failure& why);

  const mpi_calls* mpi_ = nullptr;  ///< null for a rank alone
  exit_code worst_ = exit_code::ok;
  bool speaks_ = false;  ///< of the ranks that failed so, the first
};

/// run_program, by every rank: rank 0 alone talks and writes to standard output.
int run_program_as_ranks(std::string_view name, const std::function<exit_code(process_ranks&)>& body);

}  // namespace upsweep::apps
