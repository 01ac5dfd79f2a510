// The block context of the GPU: each method is one intrinsic or one PTX instruction. Kernels are written against this
// interface; sim_block.hpp mirrors it on the CPU.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/cuda_memory.cuh"
#include "upsweep/simt/cuda_words.cuh"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

template <int Threads>
class cuda_block {
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0, "a block has 1 to 32 whole warps");

 public:
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;

  // Ranks and sizes. Blocks are one-dimensional.
  __device__ int thread_rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int lane() const { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ int warp() const { return static_cast<int>(threadIdx.x / warp_size); }
  __device__ std::int64_t block_index() const { return blockIdx.x; }
  __device__ std::int64_t num_blocks() const { return gridDim.x; }

  /// Waits for the kernels that this one overlaps; see gpu::kernel_entry.
  __device__ void wait_for_previous() { gpu::wait_for_previous(); }

  // Barriers of the block: all threads meet; the votes also answer how many, whether all, whether any said true.
  __device__ void barrier() { __syncthreads(); }
  __device__ int barrier_count(bool vote) { return __syncthreads_count(vote); }
  __device__ bool barrier_and(bool vote) { return __syncthreads_and(vote) != 0; }
  __device__ bool barrier_or(bool vote) { return __syncthreads_or(vote) != 0; }

  // Barriers of a group of warps: every lane of each of its warps either syncs (arrives and waits) or arrives.
  __device__ void group_sync(warp_group group) {
    asm volatile("barrier.sync %0, %1;" ::"r"(group.id), "r"(group.num_warps * warp_size) : "memory");
  }
  __device__ void group_arrive(warp_group group) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(group.id), "r"(group.num_warps * warp_size) : "memory");
  }

  // Clusters (sm_90 and later): neighbouring blocks that run at the same time, as many as the launch says. All threads
  // of all of them meet at the barrier; the relaxed one orders no accesses.
  __device__ int cluster_blocks() const {
    return gpu::on_sm_90([&] {
      std::uint32_t blocks;
      asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
      return static_cast<int>(blocks);
    });
  }
  __device__ int cluster_rank() const {
    return gpu::on_sm_90([&] {
      std::uint32_t rank;
      asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
      return static_cast<int>(rank);
    });
  }
  __device__ void cluster_barrier() {
    gpu::on_sm_90([&] {
      asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    });
  }
  __device__ void cluster_barrier_relaxed() {
    gpu::on_sm_90([&] {
      asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    });
  }
  /// What `mine`, in shared memory, is in that of block number `rank` of the cluster. A barrier of the cluster is
  /// needed before the first access, since the block may not have begun, and after the last one, before the block ends.
  template <class T>
  __device__ T* cluster_shared(T* mine, int rank) {
    return gpu::on_sm_90([&] {
      T* theirs;
      asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
      return theirs;
    });
  }

  // Phase barriers (Hopper's mbarrier; sm_90 and later). One thread initialises, then the block's barrier. A phase is
  // complete when all arrivals have come and as many bytes as they announced; `parity` 0, 1, 0, ... names the phases.
  __device__ void phase_init(phase_barrier& b, int arrivals) {
    gpu::on_sm_90([&] {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gpu::shared_address(&b)), "r"(arrivals) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    });
  }
  __device__ void phase_arrive(phase_barrier& b) {
    gpu::on_sm_90([&] {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(gpu::shared_address(&b)) : "memory");
    });
  }
  __device__ void phase_arrive_expect(phase_barrier& b, std::uint32_t bytes) {
    gpu::on_sm_90([&] {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gpu::shared_address(&b)), "r"(bytes)
                   : "memory");
    });
  }
  __device__ bool phase_done(const phase_barrier& b, int parity) {
    return gpu::on_sm_90([&] {
      std::uint32_t done;
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(gpu::shared_address(&b)), "r"(parity)
                   : "memory");
      return done != 0;
    });
  }
  __device__ void phase_wait(const phase_barrier& b, int parity) {
    gpu::on_sm_90([&] {
      std::uint32_t done;
      do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(gpu::shared_address(&b)), "r"(parity)
                     : "memory");
      } while (done == 0);
    });
  }

  // Collectives of a warp: every lane of `mask` calls, with the same mask, at the same line.
  __device__ void warp_sync(lane_mask mask = full_warp) { __syncwarp(mask); }
  /// The value of lane `source` modulo 32. A lane outside the mask gives an unspecified value, here and below.
  template <class T>
  __device__ T shuffle(const T& value, int source, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_sync(mask, w, source); });
  }
  /// The value of lane - distance; the caller's own where there is none.
  template <class T>
  __device__ T shuffle_up(const T& value, int distance, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_up_sync(mask, w, distance); });
  }
  /// The value of lane + distance; the caller's own where there is none.
  template <class T>
  __device__ T shuffle_down(const T& value, int distance, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_down_sync(mask, w, distance); });
  }
  template <class T>
  __device__ T shuffle_xor(const T& value, int lanes, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_xor_sync(mask, w, lanes); });
  }
  __device__ lane_mask ballot(bool vote, lane_mask mask = full_warp) { return __ballot_sync(mask, vote); }
  __device__ bool any(bool vote, lane_mask mask = full_warp) { return __any_sync(mask, vote) != 0; }
  __device__ bool all(bool vote, lane_mask mask = full_warp) { return __all_sync(mask, vote) != 0; }
  /// The lanes whose value has the same bytes as the caller's; 4 or 8 bytes.
  template <class T>
  __device__ lane_mask match_any(T value, lane_mask mask = full_warp) {
    return __match_any_sync(mask, gpu::bytes_as<gpu::word_of<T>>(value));
  }
  /// The lanes whose value has the same `Bits` low bits as the caller's; for few bits faster than match_any.
  template <int Bits>
  __device__ lane_mask match_low_bits(std::uint32_t value, lane_mask mask = full_warp) {
    lane_mask same = mask;
#pragma unroll
    for (int b = 0; b < Bits; ++b) {
      const bool bit = (value >> b & 1u) != 0;
      const lane_mask with = __ballot_sync(mask, bit);
      same &= bit ? with : ~with;
    }
    return same;
  }
  // Reductions of 32-bit integers over the mask, given to every lane of it.
  template <class T>
  __device__ T reduce_add(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a + b; }, [](auto m, auto x) { return __reduce_add_sync(m, x); });
  }
  template <class T>
  __device__ T reduce_min(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return b < a ? b : a; }, [](auto m, auto x) { return __reduce_min_sync(m, x); });
  }
  template <class T>
  __device__ T reduce_max(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a < b ? b : a; }, [](auto m, auto x) { return __reduce_max_sync(m, x); });
  }
  template <class T>
  __device__ T reduce_and(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a & b; }, [](auto m, auto x) { return __reduce_and_sync(m, x); });
  }
  template <class T>
  __device__ T reduce_or(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a | b; }, [](auto m, auto x) { return __reduce_or_sync(m, x); });
  }
  template <class T>
  __device__ T reduce_xor(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a ^ b; }, [](auto m, auto x) { return __reduce_xor_sync(m, x); });
  }

  // Ordered loads and stores of 1, 2, 4, 8 or 16 bytes, each in one access, at device scope unless block_scope is
  // given.
  template <class T, class Scope = device_scope_t>
  __device__ T load_relaxed(const T* p, Scope = {}) {
    return gpu::load<gpu::relaxed_t, Scope>(p);
  }
  template <class T, class Scope = device_scope_t>
  __device__ T load_acquire(const T* p, Scope = {}) {
    return gpu::load<gpu::acquire_t, Scope>(p);
  }
  template <class T, class Scope = device_scope_t>
  __device__ void store_relaxed(T* p, std::type_identity_t<T> value, Scope = {}) {
    gpu::store<gpu::relaxed_t, Scope>(p, value);
  }
  template <class T, class Scope = device_scope_t>
  __device__ void store_release(T* p, std::type_identity_t<T> value, Scope = {}) {
    gpu::store<gpu::release_t, Scope>(p, value);
  }

  // Atomics, relaxed; they return the old value. Integers of 4 and 8 bytes; add also float and double.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_add(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::summand_of<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicAdd(at, x); },
        [](auto* at, auto x) { return atomicAdd_block(at, x); });
  }
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_min(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::native_of<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicMin(at, x); },
        [](auto* at, auto x) { return atomicMin_block(at, x); });
  }
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_max(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::native_of<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicMax(at, x); },
        [](auto* at, auto x) { return atomicMax_block(at, x); });
  }
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_and(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::atomic_word<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicAnd(at, x); },
        [](auto* at, auto x) { return atomicAnd_block(at, x); });
  }
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_or(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::atomic_word<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicOr(at, x); },
        [](auto* at, auto x) { return atomicOr_block(at, x); });
  }
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_xor(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::atomic_word<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicXor(at, x); },
        [](auto* at, auto x) { return atomicXor_block(at, x); });
  }
  /// Any T of 4 or 8 bytes, and of 16 on sm_90 and later.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_exchange(T* p, std::type_identity_t<T> value, Scope = {}) {
    if constexpr (sizeof(T) == 16) {
      const auto v = gpu::bytes_as<ulonglong2>(value);
      ulonglong2 old{};
      gpu::on_sm_90([&] {
        asm volatile(
            "{ .reg .b128 v, o; mov.b128 v, {%3, %4}; atom.relaxed.gpu.exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"
            : "=l"(old.x), "=l"(old.y)
            : "l"(p), "l"(v.x), "l"(v.y)
            : "memory");
      });
      return gpu::bytes_as<T>(old);
    } else {
      return update<gpu::atomic_word<T>, Scope>(
          p, value, [](auto* at, auto x) { return atomicExch(at, x); },
          [](auto* at, auto x) { return atomicExch_block(at, x); });
    }
  }
  /// Returns what was there; it was replaced when that equals `expected`. Sizes as atomic_exchange.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_compare_exchange(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value,
                                       Scope = {}) {
    if constexpr (sizeof(T) == 16) {
      const auto e = gpu::bytes_as<ulonglong2>(expected);
      const auto v = gpu::bytes_as<ulonglong2>(value);
      ulonglong2 old{};
      gpu::on_sm_90([&] {
        asm volatile(
            "{ .reg .b128 e, v, o; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6}; "
            "atom.relaxed.gpu.cas.b128 o, [%2], e, v; mov.b128 {%0, %1}, o; }"
            : "=l"(old.x), "=l"(old.y)
            : "l"(p), "l"(e.x), "l"(e.y), "l"(v.x), "l"(v.y)
            : "memory");
      });
      return gpu::bytes_as<T>(old);
    } else {
      using word = gpu::atomic_word<T>;
      auto* at = reinterpret_cast<word*>(p);
      const auto e = gpu::bytes_as<word>(expected);
      const auto v = gpu::bytes_as<word>(value);
      if constexpr (std::is_same_v<Scope, block_scope_t>) return gpu::bytes_as<T>(atomicCAS_block(at, e, v));
      return gpu::bytes_as<T>(atomicCAS(at, e, v));
    }
  }

  // Fences order the caller's accesses before and after them, for the threads of the scope.
  template <class Scope = device_scope_t>
  __device__ void fence(Scope = {}) {
    if constexpr (std::is_same_v<Scope, block_scope_t>) {
      __threadfence_block();
    } else {
      __threadfence();
    }
  }
  /// Called by every loop that waits for another thread.
  __device__ void back_off() {
    __nanosleep(32);
  }

  // Vector accesses move N elements at once and need that alignment; streaming ones are not expected to be used again.
  /// Brings what lies at p into the L2 cache.
  __device__ void prefetch(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  }
  template <int N, class T>
  __device__ vector_of<T, N> load_vector(const T* p) {
    return *reinterpret_cast<const vector_of<T, N>*>(p);
  }
  template <int N, class T>
  __device__ void store_vector(T* p, const vector_of<T, N>& v) {
    *reinterpret_cast<vector_of<T, N>*>(p) = v;
  }
  template <class T>
  __device__ T load_streaming(const T* p) {
    return gpu::bytes_as<T>(__ldcs(reinterpret_cast<const gpu::streaming_word<T>*>(p)));
  }
  template <class T>
  __device__ void store_streaming(T* p, const std::type_identity_t<T>& value) {
    __stcs(reinterpret_cast<gpu::streaming_word<T>*>(p), gpu::bytes_as<gpu::streaming_word<T>>(value));
  }

  // Dynamic shared memory of the launch, aligned to 1024 bytes.
  __device__ void* dynamic_shared() const {
    extern __shared__ __align__(1024) unsigned char upsweep_dynamic_shared[];
    return upsweep_dynamic_shared + dynamic_offset_;
  }
  __device__ std::size_t dynamic_shared_bytes() const {
    std::uint32_t bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes - dynamic_offset_;
  }

  // Bulk copies (sm_90 and later) between global and shared memory: one thread starts one, addresses and bytes are
  // multiples of 16. A load counts its bytes at a phase barrier. Stores form groups: bulk_commit closes one, and
  // bulk_wait<N> waits until all but the last N have read shared memory.
  __device__ void bulk_load(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b) {
    gpu::on_sm_90([&] {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       gpu::shared_address(to_shared)),
                   "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(gpu::shared_address(&b))
                   : "memory");
    });
  }
  /// Of what is not expected to be used again: it leaves the L2 cache before anything else does.
  __device__ void bulk_load_streaming(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b) {
    gpu::on_sm_90([&] {
      std::uint64_t policy;
      asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
          "[%0], [%1], %2, [%3], %4;" ::"r"(gpu::shared_address(to_shared)),
          "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(gpu::shared_address(&b)), "l"(policy)
          : "memory");
    });
  }
  __device__ void bulk_store(void* to, const void* from_shared, std::uint32_t bytes) {
    gpu::on_sm_90([&] {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                   "r"(gpu::shared_address(from_shared)), "r"(bytes)
                   : "memory");
    });
  }
  __device__ void bulk_commit() {
    gpu::on_sm_90([&] { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); });
  }
  template <int GroupsLeft>
  __device__ void bulk_wait() {
    gpu::on_sm_90([&] { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(GroupsLeft) : "memory"); });
  }
  /// Makes the caller's writes to shared memory visible to bulk copies; before the barrier that leads to a bulk_store
  /// of what it wrote, or to a bulk_load over it.
  __device__ void bulk_fence() {
    gpu::on_sm_90([&] { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); });
  }

  /// Every thread of a kernel makes one of its own, and needs no argument. dynamic_offset, for the launcher: bytes at
  /// the front of dynamic shared memory that hold the kernel's temp_storage.
  __device__ explicit cuda_block(std::uint32_t dynamic_offset = 0) : dynamic_offset_(dynamic_offset) {}

 private:
  /// An atomic of the scope on a T of 4 or 8 bytes, as a Word.
  template <class Word, class Scope, class T, class OfDevice, class OfBlock>
  static __device__ T update(T* p, T value, OfDevice of_device, OfBlock of_block) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics change 4 or 8 bytes");
    auto* const at = reinterpret_cast<Word*>(p);
    const auto x = gpu::bytes_as<Word>(value);
    if constexpr (std::is_same_v<Scope, block_scope_t>) return gpu::bytes_as<T>(of_block(at, x));
    return gpu::bytes_as<T>(of_device(at, x));
  }

  /// By at_once(mask, value) on sm_80 and later, else by shuffles and op.
  template <class T, class Op, class AtOnce>
  __device__ T reduce(T value, lane_mask mask, Op op, [[maybe_unused]] AtOnce at_once) {
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "32-bit integers");
#if __CUDA_ARCH__ >= 800
    return static_cast<T>(at_once(mask, value));
#else
    T total = shuffle(value, __ffs(mask) - 1, mask);
    for (lane_mask left = mask & (mask - 1); left != 0; left &= left - 1) {
      total = op(total, shuffle(value, __ffs(left) - 1, mask));
    }
    return total;
#endif
  }

  std::uint32_t dynamic_offset_;
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
