// Ranks to test on where there is one GPU, and no NCCL: threads with a stream each, whose memory all others reach.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/cuda_test_device.cuh"
#include "upsweep/simt/communicator.hpp"

namespace upsweep::test {

/// A rank whose gathers and exchanges wait for the GPU and go through the host.
class one_gpu_communicator : public detail::same_addresses {
 public:
  using stream_type = cudaStream_t;

  one_gpu_communicator(rank_group& group, int rank, rank_options how) : group_(&group), rank_(rank), options_(how) {}

  int rank() const { return rank_; }
  int ranks() const { return group_->ranks(); }
  bool reaches_peers() const { return options_.reaches_peers; }
  bool is_shared(workspace) const { return options_.reaches_peers; }

  template <class T>
  status meet(const T& mine, std::vector<T>& all) {
    all.resize(static_cast<std::size_t>(ranks()));
    return group_->meet(rank_, &mine, all.data(), sizeof(T));
  }

  status all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
    std::vector<char> sent(bytes), gathered(bytes * static_cast<std::size_t>(ranks()));
    status s = copied(sent.data(), mine, bytes, stream);
    if (s == status::success) s = group_->meet(rank_, sent.data(), gathered.data(), bytes);
    return s == status::success ? copied(all, gathered.data(), gathered.size(), stream) : s;
  }

  status exchange(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at,
                  cudaStream_t stream) {
    struct part {
      const char* send;
      const std::int64_t* at;
    };
    std::vector<part> parts;
    status s = static_cast<status>(cudaStreamSynchronize(stream));
    if (s == status::success) s = meet(part{static_cast<const char*>(send), send_at}, parts);
    for (int r = 0; r < ranks() && s == status::success; ++r) {
      const part& from = parts[static_cast<std::size_t>(r)];
      const std::int64_t begin = from.at[rank_], bytes = from.at[rank_ + 1] - begin;
      EXPECT_EQ(bytes, receive_at[r + 1] - receive_at[r]);
      s = copied(static_cast<char*>(receive) + receive_at[r], from.send + begin, static_cast<std::size_t>(bytes),
                 stream);
    }
    std::vector<int> all;
    return s == status::success ? meet(rank_, all) : s;  // all have read
  }

  status pull(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    return static_cast<status>(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  }
  status await_pulled(cudaStream_t) { return status::success; }

  status checked(status s) {
    if (++steps_ == options_.fails_at && s == status::success) s = status::memory_allocation;
    if (s != status::success) fail(s);
    return s;
  }
  void fail(status why) { group_->fail(why); }
  status wait(cudaStream_t stream, std::chrono::milliseconds) {
    const auto s = static_cast<status>(cudaStreamSynchronize(stream));
    return s == status::success ? group_->failure() : s;
  }
  status can_take(cudaStream_t) const { return status::success; }
  int steps() const { return steps_; }

 private:
  static status copied(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    const cudaError_t e = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    return static_cast<status>(e == cudaSuccess ? cudaStreamSynchronize(stream) : e);
  }

  rank_group* group_;
  int rank_, steps_ = 0;
  rank_options options_;
};

class one_gpu_ranks {
 public:
  using stream_type = cudaStream_t;
  using communicator = one_gpu_communicator;

  /// `fails` fails at that step; nobody where it is below 0.
  explicit one_gpu_ranks(int ranks, bool reaches_peers = true, int fails = -1, int at_step = 0)
      : group_(ranks), reaches_peers_(reaches_peers), fails_(fails), at_step_(at_step) {
    for (int r = 0; r < ranks; ++r) {
      devices_.push_back(std::make_unique<test_device<cudaStream_t>>(test_device<cudaStream_t>::ways()[0]));
    }
  }

  int ranks() const { return group_.ranks(); }
  test_device<cudaStream_t>& device(int rank) { return *devices_[static_cast<std::size_t>(rank)]; }

  /// body(rank, communicator) on every rank.
  template <class Body>
  void run(Body body) {
    run_ranks(group_, [&](int rank) {
      one_gpu_communicator comm(group_, rank, {reaches_peers_, rank == fails_ ? at_step_ : 0});
      body(rank, comm);
    });
  }

 private:
  rank_group group_;
  bool reaches_peers_;
  int fails_, at_step_;
  std::vector<std::unique_ptr<test_device<cudaStream_t>>> devices_;
};

}  // namespace upsweep::test
