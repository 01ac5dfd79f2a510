// The sim's device memory, and atomic accesses to it by size: 1, 2, 4 or 8 bytes by the CPU's atomics, 16 by a lock.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>

#include "upsweep/simt/config.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

/// What memory holds that nobody has written, and a shuffle gives that has no source.
inline constexpr unsigned char poison = 0xcb;

/// Aligned to 256 bytes and filled with `poison`; null when there is no memory.
UPSWEEP_EXPORT void* allocate(std::size_t bytes);
UPSWEEP_EXPORT void deallocate(void* p);

UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE void load_relaxed(const void* from, void* value, std::size_t bytes);
UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE void load_acquire(const void* from, void* value, std::size_t bytes);
UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE void store_relaxed(void* to, const void* value, std::size_t bytes);
UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE void store_release(void* to, const void* value, std::size_t bytes);
UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE void exchange(void* at, const void* value, void* old, std::size_t bytes);

/// True when `value` replaced `expected`; else `expected` becomes what is there.
UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE bool compare_exchange(void* at, void* expected, const void* value,
                                                         std::size_t bytes);

UPSWEEP_EXPORT UPSWEEP_HOST_DEVICE bool same_bytes(const void* a, const void* b, std::size_t bytes);

}  // namespace upsweep::sim::inline UPSWEEP_ABI
