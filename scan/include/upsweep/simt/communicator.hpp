// Communicators: how the ranks of a call over several GPUs reach each other's memory and learn of each other's
// failures. Each rank has one: one GPU, one host thread, one stream at a time. There are two kinds, with the same
// methods: sim_communicator (here) and nccl_communicator (nccl_communicator.hpp, of the target upsweep::nccl).
//
//   rank(), ranks()                   which rank this is, of how many
//   meet(mine, all)                   on the host: every rank brings a record, and gets those of all
//   all_gather(mine, all, bytes, s)   on the stream: the same for a few bytes of device memory. What ranks enqueued
//                                     before it has happened for all that they enqueue after it.
//   reaches_peers()                   whether kernels may write to the memory of other ranks
//   must_share()                      whether that is only such memory as `share` was called with, not any
//   share(w), unshare(w)              every rank brings memory that the others may reach, and takes it back
//   is_shared(w)                      whether all other ranks reach that memory of this one
//   address_for_peers(p)              what this rank tells others of an address in such memory
//   at_peer(rank, p)                  where this rank finds what another one has told so
//   exchange(send, at, to, at, s)     on the stream: a range of bytes to every rank and from every rank
//   pull(to, from, bytes, s)          beside the stream: a copy from the memory of another rank, if reaches_peers()
//   await_pulled(s)                   the stream waits for what has been pulled so far
//   checked(s)                        returns the status s of a step; if it is an error, every rank learns of it
//   wait(s, limit)                    waits until the stream's work is done, or a rank has failed
//   can_take(s)                       success, or why no call may enqueue work there: the stream is being captured
//   fail(why)                         ends whatever ranks wait for
//
// Every rank makes the same calls in the same order. A call that refuses its arguments on one rank is refused on all of
// them, and the communicator goes on. After any other error, it returns that error in every call: make a new one.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/rank_group.hpp"
#include "upsweep/simt/sim_executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// Whether the memory lies in that other one.
inline bool is_within(workspace memory, workspace all) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data), from = reinterpret_cast<std::uintptr_t>(all.data);
  return begin >= from && begin - from <= all.bytes && memory.bytes <= all.bytes - (begin - from);
}

/// As many bytes, or a few more: an allocation of so many is opened by other processes in pages of 64 KiB or more. What
/// is not whole such pages is in small ones there, and copies from it took 1.5 times as long (docs/lab/across.md).
constexpr std::size_t in_large_pages(std::size_t bytes) {
  constexpr std::size_t page = std::size_t{64} << 10;
  return (bytes + page - 1) / page * page;
}

/// Of ranks that need not share, and find memory of others where these have it.
struct same_addresses {
  bool must_share() const { return false; }
  status share(workspace) { return status::success; }
  status unshare(workspace) { return status::success; }
  template <class T>
  T* address_for_peers(T* p) const {
    return p;
  }
  template <class T>
  T* at_peer(int, T* p) const {
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI

namespace upsweep::inline UPSWEEP_ABI {

/// The most ranks of a call over several GPUs.
inline constexpr int most_ranks = 128;

/// The most items of a rank: 2^48, so that sums over all ranks, also in bytes, fit into 63 bits.
inline constexpr std::int64_t most_items_of_rank = std::int64_t{1} << 48;

/// How many of `total` items rank `rank` of `ranks` gets if they are shared equally: the shares differ by one at most.
constexpr std::int64_t balanced_share(std::int64_t total, int rank, int ranks) {
  return total / ranks + (rank < total % ranks ? 1 : 0);
}

/// For tests: how one rank differs from the usual.
struct rank_options {
  bool reaches_peers = true;  ///< false: as if it did not reach the memory of other ranks
  int fails_at = 0;           ///< which of its steps fails with memory_allocation, from 1 on; 0: none
  bool must_share = false;    ///< as if it reached only what is shared, each rank at addresses of its own
};

/// A rank of the sim: a thread of a rank_group. With a group whose ranks take turns, runs can be repeated.
class sim_communicator {
 public:
  using stream_type = sim_stream;  ///< what calls of this rank take as their stream

  /// Rank `rank` of the group, which must outlive it. The thread of that rank makes it and uses it.
  sim_communicator(rank_group& group, int rank, rank_options how = {}) : group_(&group), rank_(rank), options_(how) {}

  int rank() const { return rank_; }             ///< from 0
  int ranks() const { return group_->ranks(); }  ///< of how many
  /// Whether kernels may write to the memory of other ranks.
  bool reaches_peers() const { return options_.reaches_peers; }
  /// Whether that is only what they share.
  bool must_share() const { return options_.must_share; }

  /// Every rank brings memory that the others may reach from then on; it stays the caller's.
  status share(workspace memory) {
    shared_.push_back(memory);
    std::vector<int> all;
    return meet(rank_, all);
  }
  /// Takes back what `share` was called with. Every rank calls.
  status unshare(workspace memory) {
    std::erase_if(shared_, [&](const workspace& w) { return w.data == memory.data; });
    std::vector<int> all;
    return meet(rank_, all);
  }
  /// Whether other ranks reach that memory of this one.
  bool is_shared(workspace memory) const {
    return options_.reaches_peers &&
           (!options_.must_share || std::any_of(shared_.begin(), shared_.end(),
                                                [&](const workspace& w) { return detail::is_within(memory, w); }));
  }
  /// What this rank tells others of an address.
  template <class T>
  T* address_for_peers(T* p) const {
    return moved(p, rank_ + 1);
  }
  /// Where this rank finds what another one has told so.
  template <class T>
  T* at_peer(int rank, T* told) const {
    return moved(told, -(rank + 1));
  }

  /// Every rank brings a record in host memory, and gets those of all ranks, in their order. Waits for all ranks.
  template <class T>
  status meet(const T& mine, std::vector<T>& all) {
    static_assert(std::is_trivially_copyable_v<T>);
    all.resize(static_cast<std::size_t>(ranks()));
    return group_->meet(rank_, &mine, all.data(), sizeof(T));
  }

  /// Every rank brings `bytes` bytes of device memory, and gets those of all ranks, in their order, in `all`.
  status all_gather(const void* mine, void* all, std::size_t bytes, sim_stream stream) {
    std::vector<std::byte> gathered(bytes * static_cast<std::size_t>(ranks()));
    const status s = group_->meet(rank_, mine, gathered.data(), bytes);
    return s == status::success ? sim_executor(stream).copy(all, gathered.data(), gathered.size()) : s;
  }

  /// Bytes send_at[r] to send_at[r + 1] of `send` go to rank r. What rank r sends to this one goes to `receive`, from
  /// byte receive_at[r] on. Both are device memory, both offsets ranks() + 1 numbers in host memory.
  status exchange(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at,
                  sim_stream stream) {
    struct part {
      const std::byte* send;
      const std::int64_t* at;
    };
    std::vector<part> parts;
    status s = meet(part{static_cast<const std::byte*>(send), send_at}, parts);
    for (int r = 0; r < ranks() && s == status::success; ++r) {
      const part& from = parts[static_cast<std::size_t>(r)];
      const std::int64_t begin = from.at[rank_], bytes = from.at[rank_ + 1] - begin;
      if (bytes != receive_at[r + 1] - receive_at[r]) return checked(status::invalid_value);
      s = sim_executor(stream).copy(static_cast<std::byte*>(receive) + receive_at[r], from.send + begin,
                                    static_cast<std::size_t>(bytes));
    }
    return s == status::success ? meet(rank_, ranks_) : s;  // all have read
  }

  /// Copies `bytes` bytes from the memory of another rank, no later than await_pulled.
  status pull(void* to, const void* from, std::size_t bytes, sim_stream) {
    pulled_.push_back({to, from, bytes});
    return status::success;
  }
  /// The stream waits for what has been pulled so far.
  status await_pulled(sim_stream stream) {
    status s = status::success;
    for (const copy_from_rank& c : pulled_) {
      if (s == status::success && c.bytes > 0) s = sim_executor(stream).copy(c.to, c.from, c.bytes);
    }
    pulled_.clear();
    return s;
  }

  /// Returns the status s of a step. If it is an error, every rank learns of it.
  status checked(status s) {
    if (++steps_ == options_.fails_at && s == status::success) s = status::memory_allocation;
    if (s != status::success) fail(s);
    return s;
  }
  /// Ends whatever ranks wait for. From now on calls return `why`.
  void fail(status why) { group_->fail(why); }
  /// Returns the failure of a rank, if there is one. There is nothing to wait for: on the sim, work is done when a call
  /// returns.
  status wait(sim_stream, std::chrono::milliseconds) { return group_->failure(); }

  /// Returns success: a stream of the sim takes work at any time.
  status can_take(sim_stream) const { return status::success; }

  /// How many steps the calls have had so far.
  int steps() const { return steps_; }

 private:
  struct copy_from_rank {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  /// Where addresses differ from rank to rank, so far that no memory is there.
  template <class T>
  T* moved(T* p, std::intptr_t ranks) const {
    if (!options_.must_share || p == nullptr) return p;
    return reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(p) + (ranks << 50));
  }

  rank_group* group_;
  int rank_;
  rank_options options_;
  int steps_ = 0;
  std::vector<int> ranks_;
  std::vector<copy_from_rank> pulled_;  // and not come yet
  std::vector<workspace> shared_;
};

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_ABI {

/// Something for every rank, by value in the arguments of a kernel.
template <class T>
struct rank_table {
  T at[most_ranks + 1];

  UPSWEEP_HOST_DEVICE const T& operator[](int rank) const { return at[rank]; }
  UPSWEEP_HOST_DEVICE T& operator[](int rank) { return at[rank]; }
};

/// The ranks tell each other how they find their arguments and streams, and their records. The error of the first rank
/// that has one: nobody goes on then, and nothing was touched. A graph would hold what the hosts told each other.
template <class Communicator, class Record>
status agree(Communicator& comm, typename Communicator::stream_type stream, status mine, Record record,
             std::vector<Record>& all) {
  if (mine == status::success) mine = comm.can_take(stream);
  if (comm.ranks() > most_ranks && mine == status::success) mine = status::not_supported;
  struct word {
    status found;
    Record record;
  };
  std::vector<word> words;
  const status met = comm.meet(word{mine, record}, words);
  if (met != status::success) return met;
  all.clear();
  for (const word& w : words) {
    if (w.found != status::success) return w.found;
    all.push_back(w.record);
  }
  return status::success;
}

/// Whether that is a number of items that a rank may have, or ask for.
constexpr bool is_size_of_rank(std::int64_t n) {
  return n >= 0 && n <= most_items_of_rank;
}
/// The nearest such number, for formulas.
constexpr std::int64_t size_of_rank(std::int64_t n) {
  return std::clamp<std::int64_t>(n, 0, most_items_of_rank);
}

/// A few bytes of device memory for the host, which waits for what the stream has to do before. It waits in `wait`, not
/// in the copy: a copy to memory that is not pinned waits inside of the driver, where no failure of a rank is seen.
template <class Communicator, class Executor>
status copy_to_host(Communicator& comm, Executor& ex, void* to, const void* from, std::size_t bytes,
                    typename Communicator::stream_type stream) {
  status s = comm.wait(stream, rank_group::patience);
  if (s == status::success) s = ex.copy(to, from, bytes);
  return comm.checked(s == status::success ? comm.wait(stream, rank_group::patience) : s);
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
