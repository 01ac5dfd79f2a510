// The block context of the GPU: each method is one intrinsic or one PTX instruction. Kernels are written against this
// interface; sim_block.hpp mirrors it on the CPU.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/cuda_block_hopper.cuh"
#include "upsweep/simt/cuda_memory.cuh"
#include "upsweep/simt/cuda_words.cuh"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// What a thread of a kernel knows of its block, on the GPU: ranks, barriers, warp collectives, ordered accesses and
/// atomics. A kernel makes one without arguments; its methods cost what their instruction costs. Launch one-dimensional
/// blocks of `Threads` threads, 32 to 1024, a multiple of 32. sim_block has the same methods on the CPU.
///     upsweep::cuda_block<256> block;
///     if (block.any(x > 0)) block.atomic_add(count, 1);
template <int Threads>
class cuda_block : public gpu::hopper_block {
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0, "a block has 1 to 32 whole warps");

 public:
  static constexpr int threads = Threads;            ///< of a block
  static constexpr int warps = Threads / warp_size;  ///< of a block

  /// The number of the thread in its block, from 0.
  __device__ int thread_rank() const { return static_cast<int>(threadIdx.x); }
  /// The number of the thread in its warp, 0 to 31.
  __device__ int lane() const { return static_cast<int>(threadIdx.x % warp_size); }
  /// The number of the warp in its block, from 0.
  __device__ int warp() const { return static_cast<int>(threadIdx.x / warp_size); }
  /// The number of the block in its grid, from 0.
  __device__ std::int64_t block_index() const { return blockIdx.x; }
  /// How many blocks the grid has.
  __device__ std::int64_t num_blocks() const { return gridDim.x; }

  /// Waits for the kernels that this one overlaps; see gpu::kernel_entry.
  __device__ void wait_for_previous() { gpu::wait_for_previous(); }

  /// Waits until all threads of the block have called it. What they wrote before, all of them see after it.
  __device__ void barrier() { __syncthreads(); }
  /// A barrier that returns how many threads gave true.
  __device__ int barrier_count(bool vote) { return __syncthreads_count(vote); }
  /// A barrier that returns whether all threads gave true.
  __device__ bool barrier_and(bool vote) { return __syncthreads_and(vote) != 0; }
  /// A barrier that returns whether any thread gave true.
  __device__ bool barrier_or(bool vote) { return __syncthreads_or(vote) != 0; }

  /// A barrier of some warps of the block: arrives, and waits until every lane of every warp of the group has called
  /// group_sync or group_arrive.
  __device__ void group_sync(warp_group group) {
    asm volatile("barrier.sync %0, %1;" ::"r"(group.id), "r"(group.num_warps * warp_size) : "memory");
  }
  /// Arrives at the group's barrier without waiting.
  __device__ void group_arrive(warp_group group) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(group.id), "r"(group.num_warps * warp_size) : "memory");
  }

  // Collectives of a warp: every lane of `mask` calls, with the same mask, at the same line.

  /// Waits until all lanes of the mask have called it. What they wrote before, all of them see after it.
  __device__ void warp_sync(lane_mask mask = full_warp) { __syncwarp(mask); }
  /// The value of lane `source` modulo 32; unspecified where that lane is not in the mask. `value` has any size and is
  /// trivially copyable.
  template <class T>
  __device__ T shuffle(const T& value, int source, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_sync(mask, w, source); });
  }
  /// The value of the lane `distance` below; the caller's own where there is none. Unspecified where that lane is not
  /// in the mask.
  template <class T>
  __device__ T shuffle_up(const T& value, int distance, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_up_sync(mask, w, distance); });
  }
  /// The value of the lane `distance` above; the caller's own where there is none. Unspecified where that lane is not
  /// in the mask.
  template <class T>
  __device__ T shuffle_down(const T& value, int distance, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_down_sync(mask, w, distance); });
  }
  /// The value of lane() ^ lanes; unspecified where that lane is not in the mask.
  template <class T>
  __device__ T shuffle_xor(const T& value, int lanes, lane_mask mask = full_warp) {
    return gpu::by_words(value, [=](std::uint32_t w) { return __shfl_xor_sync(mask, w, lanes); });
  }
  /// The lanes of the mask that gave true.
  __device__ lane_mask ballot(bool vote, lane_mask mask = full_warp) { return __ballot_sync(mask, vote); }
  /// Whether any lane of the mask gave true.
  __device__ bool any(bool vote, lane_mask mask = full_warp) { return __any_sync(mask, vote) != 0; }
  /// Whether all lanes of the mask gave true.
  __device__ bool all(bool vote, lane_mask mask = full_warp) { return __all_sync(mask, vote) != 0; }
  /// The lanes of the mask whose value has the same bytes as the caller's. A value has 4 or 8 bytes.
  template <class T>
  __device__ lane_mask match_any(T value, lane_mask mask = full_warp) {
    return __match_any_sync(mask, gpu::bytes_as<gpu::word_of<T>>(value));
  }
  /// The lanes of the mask whose value has the same `Bits` low bits as the caller's. Faster than match_any for few
  /// bits.
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
  /// The sum of the values of all lanes of the mask, in each of them; 32-bit integers.
  template <class T>
  __device__ T reduce_add(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a + b; }, [](auto m, auto x) { return __reduce_add_sync(m, x); });
  }
  /// The smallest of the values of all lanes of the mask, in each of them; 32-bit integers.
  template <class T>
  __device__ T reduce_min(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return b < a ? b : a; }, [](auto m, auto x) { return __reduce_min_sync(m, x); });
  }
  /// The largest of the values of all lanes of the mask, in each of them; 32-bit integers.
  template <class T>
  __device__ T reduce_max(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a < b ? b : a; }, [](auto m, auto x) { return __reduce_max_sync(m, x); });
  }
  /// The bitwise and of the values of all lanes of the mask, in each of them; 32-bit integers.
  template <class T>
  __device__ T reduce_and(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a & b; }, [](auto m, auto x) { return __reduce_and_sync(m, x); });
  }
  /// The bitwise or of the values of all lanes of the mask, in each of them; 32-bit integers.
  template <class T>
  __device__ T reduce_or(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a | b; }, [](auto m, auto x) { return __reduce_or_sync(m, x); });
  }
  /// The bitwise exclusive or of the values of all lanes of the mask, in each of them; 32-bit integers.
  template <class T>
  __device__ T reduce_xor(T value, lane_mask mask = full_warp) {
    return reduce(
        value, mask, [](T a, T b) { return a ^ b; }, [](auto m, auto x) { return __reduce_xor_sync(m, x); });
  }

  // Ordered loads and stores of 1, 2, 4, 8 or 16 bytes, each in one access. `Scope` says which threads take part: the
  // device's, or with block_scope as the last argument those of the block.

  /// Loads *p in one access, without ordering other accesses.
  template <class T, class Scope = device_scope_t>
  __device__ T load_relaxed(const T* p, Scope = {}) {
    return gpu::load<gpu::relaxed_t, Scope>(p);
  }
  /// Loads *p in one access. The caller's later accesses see what another thread wrote before the store_release that
  /// wrote this value.
  template <class T, class Scope = device_scope_t>
  __device__ T load_acquire(const T* p, Scope = {}) {
    return gpu::load<gpu::acquire_t, Scope>(p);
  }
  /// Stores to *p in one access, without ordering other accesses.
  template <class T, class Scope = device_scope_t>
  __device__ void store_relaxed(T* p, std::type_identity_t<T> value, Scope = {}) {
    gpu::store<gpu::relaxed_t, Scope>(p, value);
  }
  /// Stores to *p in one access, after all earlier accesses of the caller: see load_acquire.
  template <class T, class Scope = device_scope_t>
  __device__ void store_release(T* p, std::type_identity_t<T> value, Scope = {}) {
    gpu::store<gpu::release_t, Scope>(p, value);
  }

  // Atomics, relaxed. `Scope` says which threads take part.

  /// Adds to *p; returns the old value. Integers of 4 and 8 bytes, float and double.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_add(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::summand_of<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicAdd(at, x); },
        [](auto* at, auto x) { return atomicAdd_block(at, x); });
  }
  /// Sets *p to the smaller of it and the value; returns the old value. Integers of 4 and 8 bytes.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_min(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::native_of<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicMin(at, x); },
        [](auto* at, auto x) { return atomicMin_block(at, x); });
  }
  /// Sets *p to the larger of it and the value; returns the old value. Integers of 4 and 8 bytes.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_max(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::native_of<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicMax(at, x); },
        [](auto* at, auto x) { return atomicMax_block(at, x); });
  }
  /// Keeps the bits of *p that the value has too; returns the old value. Integers of 4 and 8 bytes.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_and(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::atomic_word<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicAnd(at, x); },
        [](auto* at, auto x) { return atomicAnd_block(at, x); });
  }
  /// Sets the bits of the value in *p; returns the old value. Integers of 4 and 8 bytes.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_or(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::atomic_word<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicOr(at, x); },
        [](auto* at, auto x) { return atomicOr_block(at, x); });
  }
  /// Flips the bits of the value in *p; returns the old value. Integers of 4 and 8 bytes.
  template <class T, class Scope = device_scope_t>
  __device__ T atomic_xor(T* p, std::type_identity_t<T> value, Scope = {}) {
    return update<gpu::atomic_word<T>, Scope>(
        p, value, [](auto* at, auto x) { return atomicXor(at, x); },
        [](auto* at, auto x) { return atomicXor_block(at, x); });
  }
  /// Replaces *p; returns the old value. Any T of 4 or 8 bytes, and of 16 on sm_90 and later.
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
  /// Replaces *p if its bytes are those of `expected`; returns the old value. Any T of 4 or 8 bytes, and of 16 on sm_90
  /// and later.
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

  /// Orders the caller's accesses before it ahead of those after it, for the threads of the scope.
  template <class Scope = device_scope_t>
  __device__ void fence(Scope = {}) {
    if constexpr (std::is_same_v<Scope, block_scope_t>) {
      __threadfence_block();
    } else {
      __threadfence();
    }
  }
  /// Lets others run for a moment: every loop that waits for another thread calls it.
  __device__ void back_off() {
    __nanosleep(32);
  }

  /// Brings what lies at p into the L2 cache.
  __device__ void prefetch(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  }
  /// N elements in one access; p is aligned to all of them together, 16 bytes at most.
  template <int N, class T>
  __device__ vector_of<T, N> load_vector(const T* p) {
    return *reinterpret_cast<const vector_of<T, N>*>(p);
  }
  /// Writes N elements in one access; p is aligned to all of them together, 16 bytes at most.
  template <int N, class T>
  __device__ void store_vector(T* p, const vector_of<T, N>& v) {
    *reinterpret_cast<vector_of<T, N>*>(p) = v;
  }
  /// Loads what will not be used again: the caches drop it first.
  template <class T>
  __device__ T load_streaming(const T* p) {
    return gpu::bytes_as<T>(__ldcs(reinterpret_cast<const gpu::streaming_word<T>*>(p)));
  }
  /// Stores what will not be used again: the caches drop it first.
  template <class T>
  __device__ void store_streaming(T* p, const std::type_identity_t<T>& value) {
    __stcs(reinterpret_cast<gpu::streaming_word<T>*>(p), gpu::bytes_as<gpu::streaming_word<T>>(value));
  }

  /// The dynamic shared memory of the launch, aligned to 1024 bytes.
  __device__ void* dynamic_shared() const {
    extern __shared__ __align__(1024) unsigned char upsweep_dynamic_shared[];
    return upsweep_dynamic_shared + dynamic_offset_;
  }
  /// How many bytes of it there are.
  __device__ std::size_t dynamic_shared_bytes() const {
    std::uint32_t bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes - dynamic_offset_;
  }

  /// Every thread of a kernel makes its own, without arguments. cuda_executor passes `dynamic_offset`: the bytes at the
  /// front of dynamic shared memory that hold the kernel's temp_storage.
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
