// What the context of a block has of Hopper alone (sm_90 and later): clusters, phase barriers, bulk copies. On older
// GPUs kernels that call them compile, and trap.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/cuda_memory.cuh"
#include "upsweep/simt/cuda_words.cuh"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI {

/// The methods of cuda_block that only GPUs of sm_90 and later have: clusters, phase barriers and bulk copies. On older
/// GPUs kernels that call them compile, and trap when they run.
class hopper_block {
 public:
  // Clusters: neighbouring blocks that run at the same time, as many as the launch says.

  /// How many blocks the cluster has.
  __device__ int cluster_blocks() const {
    return on_sm_90([&] {
      std::uint32_t blocks;
      asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
      return static_cast<int>(blocks);
    });
  }
  /// The number of the block in its cluster, from 0.
  __device__ int cluster_rank() const {
    return on_sm_90([&] {
      std::uint32_t rank;
      asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
      return static_cast<int>(rank);
    });
  }
  /// Waits until all threads of all blocks of the cluster have called it. What they wrote before, all see after it.
  __device__ void cluster_barrier() {
    on_sm_90([&] {
      asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    });
  }
  /// Waits for the same threads as cluster_barrier, without ordering accesses.
  __device__ void cluster_barrier_relaxed() {
    on_sm_90([&] {
      asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    });
  }
  /// The address, in the shared memory of block number `rank` of the cluster, of what `mine` is in the caller's. A
  /// barrier of the cluster is needed before the first access, since that block may not have begun, and after the last
  /// one, before the block ends.
  template <class T>
  __device__ T* cluster_shared(T* mine, int rank) {
    return on_sm_90([&] {
      T* theirs;
      asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
      return theirs;
    });
  }

  // Phase barriers (mbarrier), in shared memory. A phase is complete when all arrivals have happened and as many bytes
  // have arrived as they announced; `parity` 0, 1, 0, ... names the phases.

  /// Prepares a phase barrier for so many arrivals a phase: one thread calls it, before a barrier of the block.
  __device__ void phase_init(phase_barrier& b, int arrivals) {
    on_sm_90([&] {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&b)), "r"(arrivals) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    });
  }
  /// Arrives, once.
  __device__ void phase_arrive(phase_barrier& b) {
    on_sm_90([&] { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&b)) : "memory"); });
  }
  /// Arrives, once, and announces so many bytes of bulk loads for this phase.
  __device__ void phase_arrive_expect(phase_barrier& b, std::uint32_t bytes) {
    on_sm_90([&] {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&b)), "r"(bytes)
                   : "memory");
    });
  }
  /// Whether the phase of this parity is complete.
  __device__ bool phase_done(const phase_barrier& b, int parity) {
    return on_sm_90([&] {
      std::uint32_t done;
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(shared_address(&b)), "r"(parity)
                   : "memory");
      return done != 0;
    });
  }
  /// Waits until the phase of this parity is complete.
  __device__ void phase_wait(const phase_barrier& b, int parity) {
    on_sm_90([&] {
      std::uint32_t done;
      do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&b)), "r"(parity)
                     : "memory");
      } while (done == 0);
    });
  }

  // Bulk copies between global and shared memory: one thread starts one; addresses and bytes are multiples of 16.

  /// Starts a copy from global to shared memory. Its bytes arrive at the phase barrier b.
  __device__ void bulk_load(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b) {
    on_sm_90([&] {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       shared_address(to_shared)),
                   "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&b))
                   : "memory");
    });
  }
  /// A bulk_load of what will not be used again: the L2 cache drops it first.
  __device__ void bulk_load_streaming(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b) {
    on_sm_90([&] {
      std::uint64_t policy;
      asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
          "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to_shared)),
          "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&b)), "l"(policy)
          : "memory");
    });
  }
  /// Starts a copy from shared to global memory, as part of the caller's open group of stores.
  __device__ void bulk_store(void* to, const void* from_shared, std::uint32_t bytes) {
    on_sm_90([&] {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                   "r"(shared_address(from_shared)), "r"(bytes)
                   : "memory");
    });
  }
  /// Closes the caller's open group of stores.
  __device__ void bulk_commit() {
    on_sm_90([&] { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); });
  }
  /// Waits until all but the last GroupsLeft groups of the caller's stores have read shared memory.
  template <int GroupsLeft>
  __device__ void bulk_wait() {
    on_sm_90([&] { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(GroupsLeft) : "memory"); });
  }
  /// Makes the caller's writes to shared memory visible to bulk copies. Call it before the barrier that comes before a
  /// bulk_store of what was written, or a bulk_load over it.
  __device__ void bulk_fence() {
    on_sm_90([&] { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); });
  }
};

}  // namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI
