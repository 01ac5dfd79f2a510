// A rank that is a GPU, by NCCL: the threads of one process, one a GPU, or a process a GPU.
//
//   upsweep::rank_group group(4);                                  // threads of one process
//   upsweep::run_ranks(group, [&](int rank) {
//     cudaSetDevice(rank);
//     upsweep::nccl_communicator comm;
//     if (comm.join(group, rank) == upsweep::status::success) ...
//   });
//
// Threads of one process reach the memory of their peers where CUDA has peer access between all of their GPUs.
// Processes of one host reach what they share, by CUDA's handles for that; others send and receive. A communicator
// belongs to its thread and to the device that was current when it joined.
//
// NCCL's communicators do not block; their results are asked for: so a host thread that waits for
// another rank within NCCL sees a failure, or the end of its patience. NCCL makes its connections in the first call of
// each kind, for which every rank must be there: joining makes such calls, while all are.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/rank_group.hpp"
#include "upsweep/simt/shared_memory.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// While there is one, this thread's calls on other streams leave a capture as it is. CUDA's other modes forbid some of
/// them, a query among them, and such a call ends the capture.
class capture_left_alone {
 public:
  capture_left_alone() { exchange(); }
  capture_left_alone(const capture_left_alone&) = delete;
  capture_left_alone& operator=(const capture_left_alone&) = delete;
  ~capture_left_alone() { exchange(); }

 private:
  void exchange() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then the one before
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI

namespace upsweep::inline UPSWEEP_ABI {

/// NCCL's result as a status; launch_failure for what has no cudaError_t of its own.
///   result  of a call of NCCL
inline status status_of(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
    case ncclInProgress:
      return status::success;
    case ncclInvalidArgument:
    case ncclInvalidUsage:
      return status::invalid_value;
    default:
      return status::launch_failure;
  }
}

/// A rank that is a GPU. communicator.hpp has an overview of its methods.
class nccl_communicator {
 public:
  using stream_type = cudaStream_t;  ///< what calls of this rank take as their stream

  /// No rank yet: join makes it one.
  nccl_communicator() = default;
  nccl_communicator(const nccl_communicator&) = delete;             ///< it owns communicators of NCCL
  nccl_communicator& operator=(const nccl_communicator&) = delete;  ///< it owns communicators of NCCL
  /// Does not wait for the work of the streams: synchronize them before.
  ~nccl_communicator() { close(); }

  /// Makes it a rank of a group of threads, on the current device. All threads of the group call it. What it was before
  /// ends.
  ///   group  must outlive it
  ///   rank   of this thread
  ///   how    for tests
  /// Errors: the first of CUDA, NCCL or another rank, with which the group fails.
  status join(rank_group& group, int rank, rank_options how = {}) {
    close();
    group_ = &group;
    rank_ = rank;
    ranks_ = group.ranks();
    options_ = how;
    struct word {
      ncclUniqueId id;
      int device;
    };
    word mine{};
    status s = status_of(cudaGetDevice(&mine.device));
    if (s == status::success && rank == 0) s = status_of(ncclGetUniqueId(&mine.id));
    if (s != status::success) group.fail(s);
    std::vector<word> all;
    s = meet(mine, all);
    if (s != status::success) return s;
    std::vector<int> devices;
    for (const word& w : all) devices.push_back(w.device);
    return open(all[0].id, enable_peers(devices, mine.device));
  }

  /// Makes it a rank of several processes, on the current device. All processes call it.
  ///   id     from ncclGetUniqueId in one process; the program brings it to all, by MPI or otherwise
  ///   rank   of this process, from 0
  ///   ranks  how many processes
  ///   how    for tests
  /// Errors: the first of CUDA or NCCL.
  status join(const ncclUniqueId& id, int rank, int ranks, rank_options how = {}) {
    close();
    rank_ = rank;
    ranks_ = ranks;
    options_ = how;
    return open(id, true);
  }

  int rank() const { return rank_; }                     ///< from 0
  int ranks() const { return ranks_; }                   ///< of how many
  bool reaches_peers() const { return reaches_peers_; }  ///< whether kernels may write to the memory of other ranks
  bool must_share() const { return group_ == nullptr; }  ///< whether that is only what they share: processes

  /// Every rank brings device memory, which all other ranks of its host may read and write from then on: a sort whose
  /// workspaces lie there goes as between threads, where keys are sent otherwise. All ranks call. It stays the
  /// caller's: call unshare before it is freed. Waits for all ranks; takes some 10 ms a GB once.
  ///   memory  from cudaMalloc, whole or a part, its own size on each rank; not of a pool. Let the allocation have a
  ///           multiple of 64 KiB, as the sorts' formulas do: CUDA opens others in small pages, and copies from these
  ///           take 1.5 times as long.
  /// Success also where CUDA does not share that memory, or the ranks are on several hosts, or threads, which need not
  /// share: is_shared tells.
  ///     comm.share(memory);
  ///     upsweep::sort_keys_across(memory, comm, in, out, n, n_out);
  ///     ...
  ///     comm.unshare(memory);
  /// Errors: the failure of a rank.
  status share(workspace memory) {
    if (failure() != status::success) return stop();
    if (!must_share() || !reaches_peers_) return status::success;
    std::vector<detail::memory_handle> all;
    status s = meet(detail::memory_handle::of(memory), all);
    if (s != status::success) return s;
    detail::shared_memory shared(memory, rank_, std::move(all));
    std::vector<int> whole;
    s = meet(shared.is_whole() ? 1 : 0, whole);
    if (s == status::success && std::count(whole.begin(), whole.end(), 1) == ranks_) {
      shared_.push_back(std::move(shared));
    }
    return s;
  }
  /// Takes back what `share` was called with. All ranks call, when the work of their streams is done. Then it may be
  /// freed.
  ///   memory  as it was shared; what was not is left alone
  /// Errors: the failure of a rank.
  status unshare(workspace memory) {
    if (failure() != status::success) return stop();
    if (!must_share() || !reaches_peers_) return status::success;
    status s = wait(stream_, rank_group::patience);
    std::erase_if(shared_, [&](const detail::shared_memory& of) { return of.mine().data == memory.data; });
    std::vector<int> all;
    return s == status::success ? meet(rank_, all) : s;
  }
  /// Whether all other ranks reach that memory of this one: of threads any, of processes what they share.
  bool is_shared(workspace memory) const {
    if (!must_share()) return reaches_peers_;
    return std::any_of(shared_.begin(), shared_.end(), [&](const detail::shared_memory& of) {
      return of.is_as_shared() && detail::is_within(memory, of.mine());
    });
  }
  /// What this rank tells others of an address in such memory.
  template <class T>
  T* address_for_peers(T* p) const {
    return p;
  }
  /// Where this rank finds what another one has told so.
  template <class T>
  T* at_peer(int rank, T* told) const {
    for (const detail::shared_memory& of : shared_) {
      if (void* const here = of.at_peer(rank, told)) return static_cast<T*>(here);
    }
    return told;
  }

  /// Every rank brings a record in host memory, and gets those of all ranks, in their order. Waits for all ranks:
  /// threads meet in their group, processes by NCCL on a stream of its own.
  template <class T>
  status meet(const T& mine, std::vector<T>& all) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= most_record_bytes);
    all.resize(static_cast<std::size_t>(ranks_));
    if (group_ != nullptr) return group_->meet(rank_, &mine, all.data(), sizeof(T));
    return meet_by_nccl(&mine, all.data(), sizeof(T));
  }

  /// Enqueues on the stream: every rank brings `bytes` bytes of device memory, and gets those of all ranks, in their
  /// order, in `all`.
  status all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
    if (failure() != status::success) return stop();
    return finished(ncclAllGather(mine, all, bytes, ncclChar, nccl_, stream), nccl_);
  }

  /// Enqueues on the stream: bytes send_at[r] to send_at[r + 1] of `send` go to rank r. What rank r sends to this one
  /// goes to `receive`, from byte receive_at[r] on. Both are device memory, both offsets ranks() + 1 numbers in host
  /// memory.
  status exchange(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at,
                  cudaStream_t stream) {
    if (failure() != status::success) return stop();
    const auto* const from = static_cast<const char*>(send);
    auto* const to = static_cast<char*>(receive);
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; r < ranks_ && is_under_way(result); ++r) {
      const auto sent = static_cast<std::size_t>(send_at[r + 1] - send_at[r]);
      const auto came = static_cast<std::size_t>(receive_at[r + 1] - receive_at[r]);
      if (sent > 0) result = ncclSend(from + send_at[r], sent, ncclChar, r, nccl_, stream);
      if (came > 0 && is_under_way(result)) result = ncclRecv(to + receive_at[r], came, ncclChar, r, nccl_, stream);
    }
    const ncclResult_t ended = ncclGroupEnd();
    return finished(is_under_way(result) ? ended : result, nccl_);
  }

  /// Copies `bytes` bytes from the memory of another rank by a copy engine, beside the stream.
  status pull(void* to, const void* from, std::size_t bytes, cudaStream_t) {
    if (failure() != status::success) return stop();
    return bytes == 0 ? status::success : status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  }
  /// The stream waits for what has been pulled so far; the host does not.
  status await_pulled(cudaStream_t stream) {
    const status s = status_of(cudaEventRecord(pulled_, stream_));
    return s == status::success ? status_of(cudaStreamWaitEvent(stream, pulled_)) : s;
  }

  /// Returns the status s of a step. If it is an error, every rank learns of it.
  status checked(status s) {
    if (++steps_ == options_.fails_at && s == status::success) s = status::memory_allocation;
    if (s != status::success) fail(s);
    return s;
  }

  /// Ends whatever this rank waits for on the GPU, and what other threads of the group wait for as soon as they make a
  /// call. Other processes notice when their time limits end.
  void fail(status why) {
    if (group_ != nullptr) {
      group_->fail(why);
    } else if (failure_ == status::success) {
      failure_ = why;
    }
    static_cast<void>(stop());
  }

  /// Waits until the stream's work is done. Returns the failure of a rank or of NCCL, if there is one. After `limit`
  /// the communicator fails with launch_timeout.
  status wait(cudaStream_t stream, std::chrono::milliseconds limit) {
    const auto begun = std::chrono::steady_clock::now(), until = begun + limit;
    for (;;) {
      if (failure() != status::success) return stop();
      const cudaError_t e = cudaStreamQuery(stream);
      if (e == cudaSuccess) return status::success;
      const status found = e != cudaErrorNotReady ? status_of(e) : failure_in_nccl();
      if (found != status::success) return checked(found);
      const auto now = std::chrono::steady_clock::now();
      if (now > until) return checked(status::launch_timeout);
      // A sleep takes some 70 us more than it should: calls that wait for a count would notice.
      if (now < begun + std::chrono::milliseconds(10)) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
  }

  /// Returns success, or cudaErrorStreamCaptureUnsupported while the stream is being captured.
  status can_take(cudaStream_t stream) const {
    cudaStreamCaptureStatus found = cudaStreamCaptureStatusNone;
    const status s = status_of(cudaStreamIsCapturing(stream, &found));
    if (s != status::success || found == cudaStreamCaptureStatusNone) return s;
    return static_cast<status>(cudaErrorStreamCaptureUnsupported);
  }

  /// How many steps the calls have had so far.
  int steps() const { return steps_; }

 private:
  static constexpr std::size_t most_record_bytes = 2048;

  status failure() const { return group_ != nullptr ? group_->failure() : failure_; }

  static bool is_under_way(ncclResult_t result) { return result == ncclSuccess || result == ncclInProgress; }

  /// What NCCL has found since its calls came back, of either communicator.
  status failure_in_nccl() const {
    status s = status::success;
    for (const ncclComm_t comm : {nccl_, meetings_}) {
      ncclResult_t async = ncclSuccess;
      if (comm != nullptr && s == status::success) s = status_of(ncclCommGetAsyncError(comm, &async));
      if (s == status::success) s = status_of(async);
    }
    return s;
  }

  /// What a call of NCCL comes to: its work is enqueued, it has failed, or a rank has.
  status finished(ncclResult_t result, ncclComm_t comm) {
    const auto until = std::chrono::steady_clock::now() + rank_group::patience;
    while (result == ncclInProgress) {
      if (failure() != status::success) return stop();
      if (std::chrono::steady_clock::now() > until) return status::launch_timeout;
      std::this_thread::yield();
      if (const ncclResult_t asked = ncclCommGetAsyncError(comm, &result); asked != ncclSuccess) result = asked;
    }
    return status_of(result);
  }

  /// NCCL's kernels leave. The failure.
  status stop() {
    if (nccl_ != nullptr) static_cast<void>(ncclCommAbort(nccl_));
    if (meetings_ != nullptr) static_cast<void>(ncclCommAbort(meetings_));
    nccl_ = meetings_ = nullptr;
    return failure();
  }

  void close() {
    if (failure() != status::success) static_cast<void>(stop());
    // No copy outlives the communicator: neither one from a peer's memory, nor one of records.
    if (stream_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
    shared_.clear();
    if (meetings_ != nullptr) static_cast<void>(ncclCommDestroy(meetings_));
    if (nccl_ != nullptr) static_cast<void>(ncclCommDestroy(nccl_));
    if (pulled_ != nullptr) static_cast<void>(cudaEventDestroy(pulled_));
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
    if (record_ != nullptr) static_cast<void>(cudaFree(record_));
    if (host_record_ != nullptr) static_cast<void>(cudaFreeHost(host_record_));
    group_ = nullptr;
    nccl_ = meetings_ = nullptr;
    pulled_ = nullptr;
    stream_ = nullptr;
    record_ = host_record_ = nullptr;
    reaches_peers_ = false;
    failure_ = status::success;
    steps_ = 0;
  }

  /// Whether the device reaches all others; those that share a device need no access.
  static bool enable_peers(const std::vector<int>& devices, int mine) {
    bool all = true;
    for (const int other : devices) {
      if (other == mine) continue;
      int can = 0;
      all = cudaDeviceCanAccessPeer(&can, mine, other) == cudaSuccess && can != 0 && all;
      if (can == 0) continue;
      const cudaError_t e = cudaDeviceEnablePeerAccess(other, 0);
      if (e != cudaSuccess && e != cudaErrorPeerAccessAlreadyEnabled) all = false;
      static_cast<void>(cudaGetLastError());
    }
    return all;
  }

  status open(const ncclUniqueId& id, bool enabled) {
    const std::size_t bytes = most_record_bytes * static_cast<std::size_t>(ranks_ + 1);
    status s = status_of(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    if (s == status::success) s = status_of(cudaEventCreateWithFlags(&pulled_, cudaEventDisableTiming));
    if (s == status::success) s = status_of(cudaMalloc(&record_, bytes));
    if (s == status::success && group_ == nullptr) s = status_of(cudaMallocHost(&host_record_, bytes));
    if (s == status::success) s = open(id, nccl_);
    if (s == status::success) s = connect();
    if (s == status::success && group_ == nullptr) s = open_meetings();
    if (s != status::success) {
      fail(s);
      return s;
    }
    struct word {
      bool reaches;
      std::uint64_t host;
    };
    std::vector<word> all;
    s = meet(word{enabled && options_.reaches_peers, detail::host_of_process()}, all);
    reaches_peers_ = s == status::success;
    for (const word& w : all) reaches_peers_ = reaches_peers_ && w.reaches && w.host == all[0].host;
    return s;
  }
  status open(const ncclUniqueId& id, ncclComm_t& comm) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const ncclResult_t begun = ncclCommInitRankConfig(&comm, ranks_, id, rank_, &config);
    return finished(begun, comm);
  }
  /// A communicator of its own, so that meetings do not wait for the work of streams.
  status open_meetings() {
    struct word {
      ncclUniqueId id;
    };
    word mine{};
    status s = rank_ == 0 ? status_of(ncclGetUniqueId(&mine.id)) : status::success;
    std::vector<word> all(static_cast<std::size_t>(ranks_));
    if (s == status::success) s = gather_on_host(nccl_, &mine, all.data(), sizeof mine);
    return s == status::success ? open(all[0].id, meetings_) : s;
  }

  /// A gather and an exchange of a few bytes.
  status connect() {
    constexpr std::int64_t bytes = 16;
    std::vector<std::int64_t> at;
    for (int r = 0; r <= ranks_; ++r) at.push_back(r * bytes);
    auto* const mine = static_cast<char*>(record_);
    char* const all = mine + at.back();
    status s = status_of(cudaMemsetAsync(mine, 0, static_cast<std::size_t>(2 * at.back()), stream_));
    if (s == status::success) s = all_gather(mine, all, bytes, stream_);
    if (s == status::success) s = exchange(mine, at.data(), all, at.data(), stream_);
    return s == status::success ? wait(stream_, rank_group::patience) : s;
  }

  status meet_by_nccl(const void* mine, void* all, std::size_t bytes) {
    if (failure_ != status::success) return failure_;
    const status s = gather_on_host(meetings_, mine, all, bytes);
    if (s != status::success) fail(s);
    return s;
  }

  /// A caller's capture goes on: all that is enqueued is on the communicator's own stream, and the host waits for that
  /// one alone. In `wait`, not in a copy, since what is copied is pinned.
  status gather_on_host(ncclComm_t comm, const void* mine, void* all, std::size_t bytes) {
    const detail::capture_left_alone guard;
    auto* const gathered = static_cast<char*>(record_) + most_record_bytes;
    auto* const on_host = static_cast<char*>(host_record_) + most_record_bytes;
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(ranks_);
    std::memcpy(host_record_, mine, bytes);
    status s = status_of(cudaMemcpyAsync(record_, host_record_, bytes, cudaMemcpyHostToDevice, stream_));
    if (s == status::success) {
      s = finished(ncclAllGather(record_, gathered, bytes, ncclChar, comm, stream_), comm);
    }
    if (s == status::success) {
      s = status_of(cudaMemcpyAsync(on_host, gathered, all_bytes, cudaMemcpyDeviceToHost, stream_));
    }
    if (s == status::success) s = wait(stream_, rank_group::patience);
    if (s == status::success) std::memcpy(all, on_host, all_bytes);
    return s;
  }

  rank_group* group_ = nullptr;  // of threads; null for processes
  int rank_ = 0, ranks_ = 1, steps_ = 0;
  rank_options options_;
  bool reaches_peers_ = false;
  ncclComm_t nccl_ = nullptr, meetings_ = nullptr;  // the second for meetings of processes, beside the work of streams
  cudaStream_t stream_ = nullptr;                   // of its own
  cudaEvent_t pulled_ = nullptr;
  void *record_ = nullptr, *host_record_ = nullptr;  // a rank's own, and then those of all; pinned, of a process
  std::vector<detail::shared_memory> shared_;        // of processes
  status failure_ = status::success;                 // of a process
};

}  // namespace upsweep::inline UPSWEEP_ABI
