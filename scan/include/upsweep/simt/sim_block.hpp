// The block context of the sim: one object a simulated thread. The mirror of cuda_block.cuh; what a method means is
// said there. Each call notes its source line, so that a diagnostic can name it.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "upsweep/simt/sim_scheduler.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

template <int Threads>
class sim_block {
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0, "a block has 1 to 32 whole warps");
  using here = sim::call_site;

 public:
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;

  sim_block(sim::block_runtime& runtime, int thread) : rt_(&runtime), thread_(thread) {}

  // Ranks and sizes
  int thread_rank() const { return thread_; }
  int lane() const { return thread_ % warp_size; }
  int warp() const { return thread_ / warp_size; }
  std::int64_t block_index() const { return rt_->block_index(); }
  std::int64_t num_blocks() const { return rt_->num_blocks(); }

  // Barriers of the block
  void barrier(here at = here::current()) { rt_->barrier(thread_, sim::barrier_vote::none, false, "barrier", at); }
  int barrier_count(bool vote, here at = here::current()) {
    return rt_->barrier(thread_, sim::barrier_vote::count, vote, "barrier_count", at);
  }
  bool barrier_and(bool vote, here at = here::current()) {
    return rt_->barrier(thread_, sim::barrier_vote::all, vote, "barrier_and", at) != 0;
  }
  bool barrier_or(bool vote, here at = here::current()) {
    return rt_->barrier(thread_, sim::barrier_vote::any, vote, "barrier_or", at) != 0;
  }

  // Barriers of a group of warps
  void group_sync(warp_group group, here at = here::current()) { rt_->group_arrive(thread_, group, true, at); }
  void group_arrive(warp_group group, here at = here::current()) { rt_->group_arrive(thread_, group, false, at); }

  // Phase barriers
  void phase_init(phase_barrier& b, int arrivals, here at = here::current()) {
    rt_->phase_init(thread_, b, arrivals, at);
  }
  void phase_arrive(phase_barrier& b, here at = here::current()) { rt_->phase_arrive(thread_, b, 0, at); }
  void phase_arrive_expect(phase_barrier& b, std::uint32_t bytes, here at = here::current()) {
    rt_->phase_arrive(thread_, b, bytes, at);
  }
  bool phase_done(const phase_barrier& b, int parity) { return rt_->phase_done(b, parity); }
  void phase_wait(const phase_barrier& b, int parity, here at = here::current()) {
    rt_->phase_wait(thread_, b, parity, at);
  }

  // Collectives of a warp
  void warp_sync(lane_mask mask = full_warp, here at = here::current()) {
    rt_->meet(thread_, mask, "warp_sync", at, nullptr, [](void* const*, lane_mask) {});
  }
  template <class T>
  T shuffle(T value, int source, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, source & (warp_size - 1), mask, "shuffle", at);
  }
  template <class T>
  T shuffle_up(T value, int distance, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, lane() - distance, mask, "shuffle_up", at);
  }
  template <class T>
  T shuffle_down(T value, int distance, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, lane() + distance, mask, "shuffle_down", at);
  }
  template <class T>
  T shuffle_xor(T value, int lanes, lane_mask mask = full_warp, here at = here::current()) {
    return exchange<T>(value, lane() ^ lanes, mask, "shuffle_xor", at);
  }
  lane_mask ballot(bool vote, lane_mask mask = full_warp, here at = here::current()) {
    return vote_of(vote, mask, "ballot", at);
  }
  bool any(bool vote, lane_mask mask = full_warp, here at = here::current()) {
    return vote_of(vote, mask, "any", at) != 0;
  }
  bool all(bool vote, lane_mask mask = full_warp, here at = here::current()) {
    return vote_of(vote, mask, "all", at) == mask;
  }
  template <class T>
  lane_mask match_any(T value, lane_mask mask = full_warp, here at = here::current()) {
    struct call {
      T value;
      lane_mask result;
    } c{value, 0};
    rt_->meet(thread_, mask, "match_any", at, &c, [](void* const calls[], lane_mask m) {
      for (lane_mask left = m; left != 0;) {
        const call& first = record<call>(calls, std::countr_zero(left));
        lane_mask same = 0;
        for (lane_mask rest = left; rest != 0; rest &= rest - 1) {
          const int lane = std::countr_zero(rest);
          if (std::memcmp(&record<call>(calls, lane).value, &first.value, sizeof(T)) == 0) same |= 1u << lane;
        }
        for (lane_mask rest = same; rest != 0; rest &= rest - 1) {
          record<call>(calls, std::countr_zero(rest)).result = same;
        }
        left &= ~same;
      }
    });
    return c.result;
  }
  template <class T>
  T reduce_add(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_add", at, [](T a, T b) { return static_cast<T>(a + b); });
  }
  template <class T>
  T reduce_min(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_min", at, [](T a, T b) { return b < a ? b : a; });
  }
  template <class T>
  T reduce_max(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_max", at, [](T a, T b) { return a < b ? b : a; });
  }
  template <class T>
  T reduce_and(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_and", at, [](T a, T b) { return static_cast<T>(a & b); });
  }
  template <class T>
  T reduce_or(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_or", at, [](T a, T b) { return static_cast<T>(a | b); });
  }
  template <class T>
  T reduce_xor(T value, lane_mask mask = full_warp, here at = here::current()) {
    return reduce(value, mask, "reduce_xor", at, [](T a, T b) { return static_cast<T>(a ^ b); });
  }

  // Ordered loads and stores
  template <class T, class Scope = device_scope_t>
  T load_relaxed(const T* p, Scope = {}, here at = here::current()) {
    return load<__ATOMIC_RELAXED>(p, at);
  }
  template <class T, class Scope = device_scope_t>
  T load_acquire(const T* p, Scope = {}, here at = here::current()) {
    return load<__ATOMIC_ACQUIRE>(p, at);
  }
  template <class T, class Scope = device_scope_t>
  void store_relaxed(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    store<__ATOMIC_RELAXED>(p, value, at);
  }
  template <class T, class Scope = device_scope_t>
  void store_release(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    store<__ATOMIC_RELEASE>(p, value, at);
  }

  // Atomics
  template <class T, class Scope = device_scope_t>
  T atomic_add(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update(p, at, [value](T old) { return static_cast<T>(old + value); });
  }
  template <class T, class Scope = device_scope_t>
  T atomic_min(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update(p, at, [value](T old) { return value < old ? value : old; });
  }
  template <class T, class Scope = device_scope_t>
  T atomic_max(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update(p, at, [value](T old) { return old < value ? value : old; });
  }
  template <class T, class Scope = device_scope_t>
  T atomic_and(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update(p, at, [value](T old) { return static_cast<T>(old & value); });
  }
  template <class T, class Scope = device_scope_t>
  T atomic_or(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update(p, at, [value](T old) { return static_cast<T>(old | value); });
  }
  template <class T, class Scope = device_scope_t>
  T atomic_xor(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    return update(p, at, [value](T old) { return static_cast<T>(old ^ value); });
  }
  template <class T, class Scope = device_scope_t>
  T atomic_exchange(T* p, std::type_identity_t<T> value, Scope = {}, here at = here::current()) {
    check_aligned<sizeof(T)>(p, at);
    T old = value;
    if constexpr (sizeof(T) == 16) {
      sim::exchange16(p, &value, &old);
    } else {
      __atomic_exchange(word(p), word(&value), word(&old), __ATOMIC_RELAXED);
    }
    rt_->talk(thread_, true, at);
    return old;
  }
  /// Returns what was there; it was replaced when that equals `expected`.
  template <class T, class Scope = device_scope_t>
  T atomic_compare_exchange(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value, Scope = {},
                            here at = here::current()) {
    check_aligned<sizeof(T)>(p, at);
    T old = expected;
    if constexpr (sizeof(T) == 16) {
      sim::compare_exchange16(p, &expected, &value, &old);
    } else {
      __atomic_compare_exchange(word(p), word(&old), word(&value), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    rt_->talk(thread_, std::memcmp(&old, &expected, sizeof(T)) == 0, at);
    return old;
  }

  // Fences and waiting
  template <class Scope = device_scope_t>
  void fence(Scope = {}) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
  void back_off(here at = here::current()) { rt_->back_off(thread_, "back_off", at); }

  // Vector and streaming accesses
  template <int N, class T>
  vector_of<T, N> load_vector(const T* p, here at = here::current()) {
    check_aligned<sizeof(T) * N>(p, at);
    vector_of<T, N> v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  template <int N, class T>
  void store_vector(T* p, const vector_of<T, N>& v, here at = here::current()) {
    check_aligned<sizeof(T) * N>(p, at);
    std::memcpy(p, &v, sizeof v);
  }
  template <class T>
  T load_streaming(const T* p, here at = here::current()) {
    check_aligned<alignof(T)>(p, at);
    return *p;
  }
  template <class T>
  void store_streaming(T* p, const std::type_identity_t<T>& value, here at = here::current()) {
    check_aligned<alignof(T)>(p, at);
    *p = value;
  }

  // Dynamic shared memory
  void* dynamic_shared() const { return rt_->dynamic_shared(); }
  std::size_t dynamic_shared_bytes() const { return rt_->dynamic_shared_bytes(); }

  // Bulk copies
  void bulk_load(void* to_shared, const void* from, std::uint32_t bytes, phase_barrier& b, here at = here::current()) {
    rt_->bulk_load(thread_, to_shared, from, bytes, b, at);
  }
  void bulk_store(void* to, const void* from_shared, std::uint32_t bytes, here at = here::current()) {
    rt_->bulk_store(thread_, to, from_shared, bytes, at);
  }
  void bulk_commit() { rt_->bulk_commit(thread_); }
  template <int GroupsLeft>
  void bulk_wait() {
    rt_->bulk_wait(thread_, GroupsLeft);
  }
  void bulk_fence() {}

 private:
  template <class Call>
  static Call& record(void* const calls[], int lane) {
    return *static_cast<Call*>(calls[lane]);
  }

  /// The value of lane `source`, or the caller's own when there is no such lane. A lane outside the mask has no value.
  template <class T>
  T exchange(const T& value, int source, lane_mask mask, const char* kind, here at) {
    static_assert(std::is_trivially_copyable_v<T>, "lanes exchange bytes");
    struct call {
      const T* value;
      alignas(T) unsigned char result[sizeof(T)];
      int source;
    } c;
    c.value = &value;
    c.source = source >= 0 && source < warp_size ? source : lane();
    rt_->meet(thread_, mask, kind, at, &c, [](void* const calls[], lane_mask m) {
      for (lane_mask left = m; left != 0; left &= left - 1) {
        call& mine = record<call>(calls, std::countr_zero(left));
        if ((m >> mine.source & 1u) != 0) {
          std::memcpy(mine.result, record<call>(calls, mine.source).value, sizeof(T));
        } else {
          std::memset(mine.result, 0xcb, sizeof(T));
        }
      }
    });
    return *reinterpret_cast<T*>(c.result);
  }

  lane_mask vote_of(bool vote, lane_mask mask, const char* kind, here at) {
    struct call {
      bool vote;
      lane_mask result;
    } c{vote, 0};
    rt_->meet(thread_, mask, kind, at, &c, [](void* const calls[], lane_mask m) {
      lane_mask votes = 0;
      for (lane_mask left = m; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        if (record<call>(calls, lane).vote) votes |= 1u << lane;
      }
      for (lane_mask left = m; left != 0; left &= left - 1) record<call>(calls, std::countr_zero(left)).result = votes;
    });
    return c.result;
  }

  template <class T, class Op>
  T reduce(T value, lane_mask mask, const char* kind, here at, Op) {
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "as the GPU: 32-bit integers");
    struct call {
      T value;
    } c{value};
    rt_->meet(thread_, mask, kind, at, &c, [](void* const calls[], lane_mask m) {
      T total = record<call>(calls, std::countr_zero(m)).value;
      for (lane_mask left = m & (m - 1); left != 0; left &= left - 1) {
        total = Op{}(total, record<call>(calls, std::countr_zero(left)).value);
      }
      for (lane_mask left = m; left != 0; left &= left - 1) record<call>(calls, std::countr_zero(left)).value = total;
    });
    return c.value;
  }

  template <std::size_t Bytes>
  void check_aligned(const void* p, here at) {
    if (reinterpret_cast<std::uintptr_t>(p) % Bytes != 0) {
      rt_->stop(thread_, at, "accesses memory that is not aligned to " + std::to_string(Bytes) + " bytes");
    }
  }

  /// The unsigned word that holds a T of 1, 2, 4 or 8 bytes.
  template <class T>
  static auto word(T* p) {
    using bytes = std::remove_const_t<T>;
    static_assert(
        std::is_trivially_copyable_v<bytes> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8),
        "atomic accesses move 1, 2, 4, 8 or 16 bytes");
    using u = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    using aliasing [[gnu::may_alias]] = u;
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const aliasing*, aliasing*>>(p);
  }

  template <int Order, class T>
  T load(const T* p, here at) {
    check_aligned<sizeof(T)>(p, at);
    rt_->talk(thread_, false, at);
    alignas(T) unsigned char bytes[sizeof(T)];
    T* value = reinterpret_cast<T*>(bytes);
    if constexpr (sizeof(T) == 16) {
      sim::load16(p, value);
    } else {
      __atomic_load(word(p), word(value), Order);
    }
    return *value;
  }

  template <int Order, class T>
  void store(T* p, T value, here at) {
    check_aligned<sizeof(T)>(p, at);
    if constexpr (sizeof(T) == 16) {
      sim::store16(p, &value);
    } else {
      __atomic_store(word(p), word(&value), Order);
    }
    rt_->talk(thread_, true, at);
  }

  template <class T, class Change>
  T update(T* p, here at, Change change) {
    static_assert(sizeof(T) <= 8);
    check_aligned<sizeof(T)>(p, at);
    T old;
    __atomic_load(word(p), word(&old), __ATOMIC_RELAXED);
    for (T next = change(old);
         !__atomic_compare_exchange(word(p), word(&old), word(&next), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) {
      next = change(old);
    }
    rt_->talk(thread_, true, at);
    return old;
  }

  sim::block_runtime* rt_;
  int thread_;
};

}  // namespace upsweep
