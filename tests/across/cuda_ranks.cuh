// Ranks to test on: the GPUs of this machine, on threads, by NCCL.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "support/cuda_test_device.cuh"
#include "upsweep/simt/nccl_communicator.hpp"

namespace upsweep::test {

/// Empty where there are so many GPUs.
inline std::string missing_gpus(int wanted) {
  const std::string none = missing_gpu();
  int count = 0;
  if (!none.empty() || cudaGetDeviceCount(&count) != cudaSuccess) return none;
  return count >= wanted ? "" : "one GPU here; this takes " + std::to_string(wanted);
}

class cuda_ranks {
 public:
  using stream_type = cudaStream_t;
  using communicator = nccl_communicator;

  /// `fails` fails at that step; nobody where it is below 0.
  explicit cuda_ranks(int ranks, bool reaches_peers = true, int fails = -1, int at_step = 0)
      : group_(ranks),
        reaches_peers_(reaches_peers),
        fails_(fails),
        at_step_(at_step),
        devices_(static_cast<std::size_t>(ranks)),
        comms_(static_cast<std::size_t>(ranks)) {}
  cuda_ranks(const cuda_ranks&) = delete;
  ~cuda_ranks() { EXPECT_EQ(cudaSetDevice(0), cudaSuccess); }

  int ranks() const { return group_.ranks(); }
  rank_group& group() { return group_; }
  test_device<cudaStream_t>& device(int rank) { return *devices_[static_cast<std::size_t>(rank)]; }

  /// body(rank, communicator) on every rank. They join in the first run: that takes most of a second.
  template <class Body>
  void run(Body body) {
    run_ranks(group_, [&](int rank) {
      ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
      auto& mine = devices_[static_cast<std::size_t>(rank)];
      auto& comm = comms_[static_cast<std::size_t>(rank)];
      if (!comm) {
        mine = std::make_unique<test_device<cudaStream_t>>(test_device<cudaStream_t>::ways()[0]);
        comm = std::make_unique<nccl_communicator>();
        ASSERT_EQ(comm->join(group_, rank, {reaches_peers_, rank == fails_ ? at_step_ : 0}), status::success);
        EXPECT_TRUE(!reaches_peers_ || comm->reaches_peers());
      }
      body(rank, *comm);
      if (group_.failure() != status::success) comm.reset();  // before anybody gives back what its kernels use
    });
  }

 private:
  rank_group group_;
  bool reaches_peers_;
  int fails_, at_step_;
  std::vector<std::unique_ptr<test_device<cudaStream_t>>> devices_;
  std::vector<std::unique_ptr<nccl_communicator>> comms_;
};

}  // namespace upsweep::test
