// What code compiled with -fsanitize=thread calls, answered by the race checker: an access each, just before it
// happens. The linker (--wrap) sends the memory functions here too, which are not instrumented.
#include <cstddef>
#include <cstring>

#include "race_checker.hpp"

namespace {

/// The call's own instruction: the return address is after it.
const void* before(const void* return_address) {
  return static_cast<const char*>(return_address) - 1;
}

/// The checker must watch before the first allocation. It is there before any code that is instrumented runs, so that
/// no access has to ask whether it is.
upsweep::race::race_checker& checker = upsweep::race::the_checker();

}  // namespace

#define CALLER before(__builtin_return_address(0))

extern "C" {

// Of 16 bytes only 8 are known to be aligned; 8 and 16 bytes may be a structure with padding.
#define ACCESS(bytes, alignment, vague)                       \
  void __tsan_read##bytes(void* p) {                          \
    checker.plain(p, bytes, false, alignment, vague, CALLER); \
  }                                                           \
  void __tsan_write##bytes(void* p) {                         \
    checker.plain(p, bytes, true, alignment, vague, CALLER);  \
  }                                                           \
  void __tsan_unaligned_read##bytes(void* p) {                \
    checker.plain(p, bytes, false, 1, vague, CALLER);         \
  }                                                           \
  void __tsan_unaligned_write##bytes(void* p) {               \
    checker.plain(p, bytes, true, 1, vague, CALLER);          \
  }

ACCESS(1, 1, false)
ACCESS(2, 2, false)
ACCESS(4, 4, false)
ACCESS(8, 8, true)
ACCESS(16, 8, true)
void __tsan_read_range(void* p, std::size_t n) {
  checker.plain(p, n, false, 1, true, CALLER);
}
void __tsan_write_range(void* p, std::size_t n) {
  checker.plain(p, n, true, 1, true, CALLER);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

void* __wrap_memcpy(void* to, const void* from, std::size_t n) {
  checker.copy(to, from, n, CALLER);
  return std::memcpy(to, from, n);
}
void* __wrap_memmove(void* to, const void* from, std::size_t n) {
  checker.copy(to, from, n, CALLER);
  return std::memmove(to, from, n);
}
void* __wrap_memset(void* to, int value, std::size_t n) {
  if (n != 0) checker.plain(to, n, true, 1, true, CALLER);
  return std::memset(to, value, n);
}

int __wrap_memcmp(const void* a, const void* b, std::size_t n) {
  if (n != 0) {
    checker.plain(a, n, false, 1, true, CALLER);
    checker.plain(b, n, false, 1, true, CALLER);
  }
  return std::memcmp(a, b, n);
}

// Host code counts references and the like; kernels have their context's atomics.
#define ATOMIC(bits, word)                                                                                 \
  word __tsan_atomic##bits##_load(const volatile word* p, int) {                                           \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                           \
  }                                                                                                        \
  void __tsan_atomic##bits##_store(volatile word* p, word v, int) {                                        \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                              \
  }                                                                                                        \
  word __tsan_atomic##bits##_exchange(volatile word* p, word v, int) {                                     \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                        \
  word __tsan_atomic##bits##_fetch_add(volatile word* p, word v, int) {                                    \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                        \
  word __tsan_atomic##bits##_fetch_sub(volatile word* p, word v, int) {                                    \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                        \
  bool __tsan_atomic##bits##_compare_exchange_strong(volatile word* p, word* expected, word v, int, int) { \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
  }                                                                                                        \
  bool __tsan_atomic##bits##_compare_exchange_weak(volatile word* p, word* expected, word v, int, int) {   \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
  }

ATOMIC(8, unsigned char)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
}
