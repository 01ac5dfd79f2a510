// The block context of the sim: one object a simulated thread. The mirror of cuda_block.cuh; what a method means is
// said there. Each call notes its source line, so that a diagnostic can name it. Methods are marked for host and device
// only so that nvcc, too, compiles kernels over both contexts without a word; they run on the host alone.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstring>
#include <type_traits>

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/sim_memory.hpp"
#include "upsweep/simt/sim_scheduler.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::inline UPSWEEP_ABI {

// The context of a block of any size. A method only says what moves: the scheduler does it, by bytes, so that little is
// compiled for each type.
class sim_thread {
  using here = sim::call_site;

 public:
  UPSWEEP_HOST_DEVICE sim_thread(sim::block_runtime& runtime, int thread) : rt_(&runtime), thread_(thread) {}

  // Ranks and sizes
  UPSWEEP_HOST_DEVICE int thread_rank() const { return thread_; }
  UPSWEEP_HOST_DEVICE int lane() const { return thread_ % warp_size; }
  UPSWEEP_HOST_DEVICE int warp() const { return thread_ / warp_size; }
  UPSWEEP_HOST_DEVICE std::int64_t block_index() const { return rt_->block_index(); }
  UPSWEEP_HOST_DEVICE std::int64_t num_blocks() const { return rt_->num_blocks(); }

  UPSWEEP_HOST_DEVICE void wait_for_previous() { rt_->wait_for_previous(); }

  // Barriers of the block
  UPSWEEP_HOST_DEVICE void barrier(here at = here::current()) {
    rt_->barrier(thread_, sim::barrier_vote::none, false, "barrier", at);
  }
  UPSWEEP_HOST_DEVICE int barrier_count(bool vote, here at = here::current()) {
    return rt_->barrier(thread_, sim::barrier_vote::count, vote, "barrier_count", at);
  }
  UPSWEEP_HOST_DEVICE bool barrier_and(bool vote, here at = here::current()) {
    return rt_->barrier(thread_, sim::barrier_vote::all, vote, "barrier_and", at) != 0;
  }
  UPSWEEP_HOST_DEVICE bool barrier_or(bool vote, here at = here::current()) {
    return rt_->barrier(thread_, sim::barrier_vote::any, vote, "barrier_or", at) != 0;
  }

  // Barriers of a group of warps
  UPSWEEP_HOST_DEVICE void group_sync(warp_group group, here at = here::current()) {
    rt_->group_arrive(thread_, group, true, at);
  }
  UPSWEEP_HOST_DEVICE void group_arrive(warp_group group, here at = here::current()) {
    rt_->group_arrive(thread_, group, false, at);
  }

  // Clusters
  UPSWEEP_HOST_DEVICE int cluster_blocks() const { return rt_->cluster_blocks(); }
  UPSWEEP_HOST_DEVICE int cluster_rank() const { return rt_->cluster_rank(); }
  UPSWEEP_HOST_DEVICE void cluster_barrier(here at = here::current()) {
    rt_->cluster_barrier(thread_, true, "cluster_barrier", at);
  }
  UPSWEEP_HOST_DEVICE void cluster_barrier_relaxed(here at = here::current()) {
    rt_->cluster_barrier(thread_, false, "cluster_barrier_relaxed", at);
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T* cluster_shared(T* mine, int rank, here at = here::current()) {
    return static_cast<T*>(rt_->cluster_shared(thread_, mine, rank, at));
  }

  // Phase barriers
  UPSWEEP_HOST_DEVICE void phase_init(phase_barrier& b, int arrivals, here at = here::current()) {
    rt_->phase_init(thread_, b, arrivals, at);
  }
  UPSWEEP_HOST_DEVICE void phase_arrive(phase_barrier& b, here at = here::current()) {
    rt_->phase_arrive(thread_, b, 0, at);
  }
  UPSWEEP_HOST_DEVICE void phase_arrive_expect(phase_barrier& b, std::uint32_t bytes, here at = here::current()) {
    rt_->phase_arrive(thread_, b, bytes, at);
  }
  UPSWEEP_HOST_DEVICE bool phase_done(const phase_barrier& b, int parity, here at = here::current()) {
    return rt_->phase_done(thread_, b, parity, at);
  }
  UPSWEEP_HOST_DEVICE void phase_wait(const phase_barrier& b, int parity, here at = here::current()) {
    rt_->phase_wait(thread_, b, parity, at);
  }

  // Collectives of a warp
  UPSWEEP_HOST_DEVICE void warp_sync(lane_mask mask = full_warp, here at = here::current()) {
    rt_->meet(thread_, mask, "warp_sync", at, nullptr, [](void* const*, lane_mask) {});
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T shuffle(T value, int source, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, source & (warp_size - 1), mask, "shuffle", at);
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T shuffle_up(T value, int distance, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, lane() - distance, mask, "shuffle_up", at);
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T shuffle_down(T value, int distance, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, lane() + distance, mask, "shuffle_down", at);
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T shuffle_xor(T value, int lanes, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, lane() ^ lanes, mask, "shuffle_xor", at);
  }
  UPSWEEP_HOST_DEVICE lane_mask ballot(bool vote, lane_mask mask = full_warp, here at = here::current()) {
    return rt_->ballot(thread_, vote, mask, "ballot", at);
  }
  UPSWEEP_HOST_DEVICE bool any(bool vote, lane_mask mask = full_warp, here at = here::current()) {
    return rt_->ballot(thread_, vote, mask, "any", at) != 0;
  }
  UPSWEEP_HOST_DEVICE bool all(bool vote, lane_mask mask = full_warp, here at = here::current()) {
    return rt_->ballot(thread_, vote, mask, "all", at) == mask;
  }
  template <class T>
  UPSWEEP_HOST_DEVICE lane_mask match_any(T value, lane_mask mask = full_warp, here at = here::current()) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "as the GPU: 4 or 8 bytes");
    std::uint64_t word = 0;
    std::memcpy(&word, __builtin_addressof(value), sizeof(T));
    return rt_->match(thread_, word, mask, "match_any", at);
  }
  template <int Bits>
  UPSWEEP_HOST_DEVICE lane_mask match_low_bits(std::uint32_t value, lane_mask mask = full_warp,
                                               here at = here::current()) {
    static_assert(Bits > 0 && Bits < 32);
    return match_any(value & ((1u << Bits) - 1), mask, at);
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T reduce_add(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_add", at, [](T a, T b) { return static_cast<T>(a + b); });
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T reduce_min(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_min", at, [](T a, T b) { return b < a ? b : a; });
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T reduce_max(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_max", at, [](T a, T b) { return a < b ? b : a; });
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T reduce_and(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_and", at, [](T a, T b) { return static_cast<T>(a & b); });
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T reduce_or(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_or", at, [](T a, T b) { return static_cast<T>(a | b); });
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T reduce_xor(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_xor", at, [](T a, T b) { return static_cast<T>(a ^ b); });
  }

  // Ordered loads and stores
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T load_relaxed(const T* p, Scope = {}, here at = here::current()) {
    return load<T>(access<Scope>(p, {.reads = true}), at);
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T load_acquire(const T* p, Scope = {}, here at = here::current()) {
    return load<T>(access<Scope>(p, {.reads = true, .acquires = true}), at);
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE void store_relaxed(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    store(access<Scope>(p, {.writes = true}), p, value, at);
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE void store_release(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    store(access<Scope>(p, {.writes = true, .releases = true}), p, value, at);
  }

  // Atomics
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_add(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update<Scope>(p, at, [value](T old) { return static_cast<T>(old + value); });
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_min(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update<Scope>(p, at, [value](T old) { return value < old ? value : old; });
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_max(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update<Scope>(p, at, [value](T old) { return old < value ? value : old; });
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_and(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update<Scope>(p, at, [value](T old) { return static_cast<T>(old & value); });
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_or(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update<Scope>(p, at, [value](T old) { return static_cast<T>(old | value); });
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_xor(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update<Scope>(p, at, [value](T old) { return static_cast<T>(old ^ value); });
  }
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_exchange(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    static_assert(sizeof(T) >= 4, "as the GPU: 4, 8 or 16 bytes");
    rt_->begins_access(thread_, p, sizeof(T), at);
    T old = value;
    sim::exchange(p, __builtin_addressof(value), __builtin_addressof(old), sizeof(T));
    const bool changes = !sim::same_bytes(__builtin_addressof(old), __builtin_addressof(value), sizeof(T));
    rt_->ends_access(thread_, access<Scope>(p, {.reads = true, .writes = true}), changes, at);
    return old;
  }
  /// Returns what was there; it was replaced when that equals `expected`.
  template <class T, class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE T atomic_compare_exchange(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value,
                                                Scope = {}, here at = here::current()) {
    static_assert(sizeof(T) >= 4, "as the GPU: 4, 8 or 16 bytes");
    rt_->begins_access(thread_, p, sizeof(T), at);
    T old = expected;
    const bool replaced = sim::compare_exchange(p, __builtin_addressof(old), __builtin_addressof(value), sizeof(T));
    rt_->ends_access(thread_, access<Scope>(p, {.reads = true, .writes = replaced}), replaced, at);
    return old;
  }

  // Fences and waiting
  template <class Scope = device_scope_t>
  UPSWEEP_HOST_DEVICE void fence(Scope = {}) {
    rt_->fence(thread_, std::is_same_v<Scope, device_scope_t>);
  }
  UPSWEEP_HOST_DEVICE void back_off(here at = here::current()) { rt_->back_off(thread_, "back_off", at); }

  // Vector and streaming accesses
  UPSWEEP_HOST_DEVICE void prefetch(const void*) {}
  template <int N, class T>
  UPSWEEP_HOST_DEVICE vector_of<T, N> load_vector(const T* p, here at = here::current()) {
    check_aligned<sizeof(T) * N>(p, at);
    rt_->note_vector_read(thread_, p, sizeof(T) * N, at);
    vector_of<T, N> v;
    std::memcpy(static_cast<void*>(__builtin_addressof(v)), p, sizeof v);
    return v;
  }
  template <int N, class T>
  UPSWEEP_HOST_DEVICE void store_vector(T* p, const vector_of<T, N>& v, here at = here::current()) {
    check_aligned<sizeof(T) * N>(p, at);
    std::memcpy(static_cast<void*>(p), __builtin_addressof(v), sizeof v);
  }
  template <class T>
  UPSWEEP_HOST_DEVICE T load_streaming(const T* p, here at = here::current()) {
    check_word<T>(p, at);
    return *p;
  }
  template <class T>
  UPSWEEP_HOST_DEVICE void store_streaming(T* p, const std::type_identity_t<T>& value, here at = here::current()) {
    check_word<T>(p, at);
    *p = value;
  }

  // Dynamic shared memory
  UPSWEEP_HOST_DEVICE void* dynamic_shared() const { return rt_->dynamic_shared(); }
  UPSWEEP_HOST_DEVICE std::size_t dynamic_shared_bytes() const { return rt_->dynamic_shared_bytes(); }

  // Bulk copies
  UPSWEEP_HOST_DEVICE void bulk_load(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b,
                                     here at = here::current()) {
    rt_->bulk_load(thread_, to_shared, from, bytes, b, at);
  }
  UPSWEEP_HOST_DEVICE void bulk_load_streaming(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b,
                                               here at = here::current()) {
    rt_->bulk_load(thread_, to_shared, from, bytes, b, at);
  }
  UPSWEEP_HOST_DEVICE void bulk_store(void* to, const void* from_shared, std::uint32_t bytes,
                                      here at = here::current()) {
    rt_->bulk_store(thread_, to, from_shared, bytes, at);
  }
  UPSWEEP_HOST_DEVICE void bulk_commit() { rt_->bulk_commit(thread_); }
  template <int GroupsLeft>
  UPSWEEP_HOST_DEVICE void bulk_wait() {
    rt_->bulk_wait(thread_, GroupsLeft);
  }
  UPSWEEP_HOST_DEVICE void bulk_fence() { rt_->bulk_fence(thread_); }

 private:
  template <class T>
  static constexpr bool is_word = is_bitwise_copyable<T> && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= 16;

  /// The value of lane `source`, or the caller's own when there is no such lane. A lane outside the mask has no value.
  template <class T>
  UPSWEEP_HOST_DEVICE T exchange(const T& value, int source, lane_mask mask, const char* kind, here at) {
    static_assert(is_bitwise_copyable<T>, "lanes exchange bytes");
    alignas(T) unsigned char result[sizeof(T)];
    const int lane_of = source >= 0 && source < warp_size ? source : lane();
    rt_->exchange(thread_, __builtin_addressof(value), result, sizeof(T), lane_of, mask, kind, at);
    return *reinterpret_cast<T*>(result);
  }

  template <class T, class Op>
  UPSWEEP_HOST_DEVICE T reduce(T value, lane_mask mask, const char* kind, here at, Op) {
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "as the GPU: 32-bit integers");
    const auto of_words = [](std::uint32_t a, std::uint32_t b) {
      return static_cast<std::uint32_t>(Op{}(static_cast<T>(a), static_cast<T>(b)));
    };
    return static_cast<T>(rt_->reduce(thread_, static_cast<std::uint32_t>(value), of_words, mask, kind, at));
  }

  template <class T>
  UPSWEEP_HOST_DEVICE void check_word(const void* p, here at) {
    static_assert(is_word<T>, "an access moves 1, 2, 4, 8 or 16 bytes");
    check_aligned<sizeof(T)>(p, at);
  }

  template <std::size_t Bytes>
  UPSWEEP_HOST_DEVICE void check_aligned(const void* p, here at) {
    if (reinterpret_cast<std::uintptr_t>(p) % Bytes != 0) {
      rt_->stop_misaligned(thread_, at, Bytes);
    }
  }

  struct access_kind {
    bool reads = false, writes = false, acquires = false, releases = false;
  };
  template <class Scope, class T>
  UPSWEEP_HOST_DEVICE static sim::ordered_access access(const T* p, access_kind kind) {
    const bool device_wide = std::is_same_v<Scope, device_scope_t>;
    return {p, sizeof(T), kind.reads, kind.writes, kind.acquires, kind.releases, device_wide};
  }

  template <class T>
  UPSWEEP_HOST_DEVICE T load(const sim::ordered_access& a, here at) {
    static_assert(is_word<T>, "an access moves 1, 2, 4, 8 or 16 bytes");
    alignas(T) unsigned char value[sizeof(T)];
    rt_->load(thread_, a, value, at);
    return *reinterpret_cast<T*>(value);
  }

  template <class T>
  UPSWEEP_HOST_DEVICE void store(const sim::ordered_access& a, T* p, const std::type_identity_t<T>& value, here at) {
    static_assert(is_word<T>, "an access moves 1, 2, 4, 8 or 16 bytes");
    rt_->store(thread_, a, p, __builtin_addressof(value), at);
  }

  template <class Scope, class T, class Change>
  UPSWEEP_HOST_DEVICE T update(T* p, here at, Change change) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "as the GPU: 4 or 8 bytes");
    rt_->begins_access(thread_, p, sizeof(T), at);
    T old;
    sim::load_relaxed(p, &old, sizeof(T));
    T next = change(old);
    while (!sim::compare_exchange(p, &old, &next, sizeof(T))) next = change(old);
    const bool changes = !sim::same_bytes(&old, &next, sizeof(T));
    rt_->ends_access(thread_, access<Scope>(p, {.reads = true, .writes = true}), changes, at);
    return old;
  }

  sim::block_runtime* rt_;
  int thread_;
};

/// What a thread of a kernel knows of its block, on the CPU; sim_executor makes one for each simulated thread. It has
/// the methods of cuda_block, with the same arguments and results. A call that breaks a rule, such as a barrier that
/// not all threads reach, stops the kernel with a message that names block, warp, lane and source line.
template <int Threads>
class sim_block : public sim_thread {
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0, "a block has 1 to 32 whole warps");

 public:
  static constexpr int threads = Threads;            ///< of a block
  static constexpr int warps = Threads / warp_size;  ///< of a block
  using sim_thread::sim_thread;
};

}  // namespace upsweep::inline UPSWEEP_ABI
