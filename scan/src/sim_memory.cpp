#include "upsweep/simt/sim_memory.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "upsweep/simt/sim_observer.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {
namespace {

/// One of 64 locks by address, held for the life of the object.
class word_lock {
 public:
  explicit word_lock(const void* p) : flag_(flags[reinterpret_cast<std::uintptr_t>(p) / 16 % 64]) {
    while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  ~word_lock() { flag_.clear(std::memory_order_release); }

 private:
  static std::atomic_flag flags[64];
  std::atomic_flag& flag_;
};
std::atomic_flag word_lock::flags[64];

template <class Word>
using aliasing [[gnu::may_alias]] = Word;

/// Calls `f` with a null pointer to the unsigned word of that size; a size of 16 is not for it.
template <class F>
auto with_word(std::size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(static_cast<aliasing<std::uint8_t>*>(nullptr));
    case 2:
      return f(static_cast<aliasing<std::uint16_t>*>(nullptr));
    case 4:
      return f(static_cast<aliasing<std::uint32_t>*>(nullptr));
    default:
      return f(static_cast<aliasing<std::uint64_t>*>(nullptr));
  }
}

template <int Order>
void load(const void* from, void* value, std::size_t bytes) {
  if (bytes == 16) {
    const word_lock lock(from);
    std::memcpy(value, from, 16);
    return;
  }
  with_word(bytes, [&](auto* word) {
    const auto v = __atomic_load_n(static_cast<const std::remove_pointer_t<decltype(word)>*>(from), Order);
    std::memcpy(value, &v, sizeof v);
  });
}

template <int Order>
void store(void* to, const void* value, std::size_t bytes) {
  if (bytes == 16) {
    const word_lock lock(to);
    std::memcpy(to, value, 16);
    return;
  }
  with_word(bytes, [&](auto* word) {
    std::remove_pointer_t<decltype(word)> v;
    std::memcpy(&v, value, sizeof v);
    __atomic_store_n(static_cast<decltype(word)>(to), v, Order);
  });
}

}  // namespace

void* allocate(std::size_t bytes) {
  constexpr std::size_t align = 256;
  void* const p = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (p == nullptr) return nullptr;
  std::memset(p, poison, bytes);
  if (observer* const who = current_observer()) who->allocated(p, bytes);
  return p;
}
void deallocate(void* p) {
  if (observer* const who = current_observer()) who->deallocated(p);
  std::free(p);
}

void load_relaxed(const void* from, void* value, std::size_t bytes) {
  load<__ATOMIC_RELAXED>(from, value, bytes);
}
void load_acquire(const void* from, void* value, std::size_t bytes) {
  load<__ATOMIC_ACQUIRE>(from, value, bytes);
}
void store_relaxed(void* to, const void* value, std::size_t bytes) {
  store<__ATOMIC_RELAXED>(to, value, bytes);
}
void store_release(void* to, const void* value, std::size_t bytes) {
  store<__ATOMIC_RELEASE>(to, value, bytes);
}

void exchange(void* at, const void* value, void* old, std::size_t bytes) {
  if (bytes == 16) {
    const word_lock lock(at);
    std::memcpy(old, at, 16);
    std::memcpy(at, value, 16);
    return;
  }
  with_word(bytes, [&](auto* word) {
    std::remove_pointer_t<decltype(word)> v;
    std::memcpy(&v, value, sizeof v);
    v = __atomic_exchange_n(static_cast<decltype(word)>(at), v, __ATOMIC_RELAXED);
    std::memcpy(old, &v, sizeof v);
  });
}

bool compare_exchange(void* at, void* expected, const void* value, std::size_t bytes) {
  if (bytes == 16) {
    const word_lock lock(at);
    const bool same = std::memcmp(at, expected, 16) == 0;
    std::memcpy(expected, at, 16);
    if (same) std::memcpy(at, value, 16);
    return same;
  }
  return with_word(bytes, [&](auto* word) {
    std::remove_pointer_t<decltype(word)> v, e;
    std::memcpy(&v, value, sizeof v);
    std::memcpy(&e, expected, sizeof e);
    const bool same =
        __atomic_compare_exchange_n(static_cast<decltype(word)>(at), &e, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    std::memcpy(expected, &e, sizeof e);
    return same;
  });
}

bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  return std::memcmp(a, b, bytes) == 0;
}

}  // namespace upsweep::sim::inline UPSWEEP_ABI
