// Where arrays lie.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// True when the two stretches of memory share a byte; one from null on is none.
inline bool ranges_meet(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x != 0 && y != 0 && a_bytes > 0 && b_bytes > 0 && (x < y ? y - x < a_bytes : x - y < b_bytes);
}

/// The bytes of n items of so many each; as many as there can be, where they are more.
constexpr std::size_t bytes_of(std::int64_t n, std::size_t item_bytes) {
  constexpr std::size_t most = ~std::size_t{0};
  if (n <= 0 || item_bytes == 0) return 0;
  return static_cast<std::size_t>(n) > most / item_bytes ? most : static_cast<std::size_t>(n) * item_bytes;
}

/// Where an array lies, of volatile items too.
UPSWEEP_HOST_DEVICE inline const void* address_of(const volatile void* array) {
  return const_cast<const void*>(array);
}

/// True when both are pointers, and a's first n items share a byte with b's first m.
template <class A, class B>
bool arrays_meet(A a, std::int64_t n, B b, std::int64_t m) {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    return ranges_meet(address_of(a), bytes_of(n, sizeof *a), address_of(b), bytes_of(m, sizeof *b));
  }
  return false;
}

/// Whether `it` is a null pointer.
template <class It>
bool is_null(const It& it) {
  if constexpr (std::is_pointer_v<It>) return it == nullptr;
  return false;
}

/// Bytes that a call reads or writes.
struct memory_use {
  const void* data;
  std::size_t bytes;
  bool written;

  constexpr bool is_missing() const { return data == nullptr && bytes > 0; }
};
/// Of n items from `at` on; of nothing where that is not a pointer.
template <class It>
memory_use use_of(const It& at, std::int64_t n, bool written) {
  if constexpr (std::is_pointer_v<It>) return {address_of(at), bytes_of(n, sizeof *at), written};
  return {nullptr, 0, written};
}
/// True when what is written shares no byte with another of them.
inline bool written_apart(std::span<const memory_use> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const memory_use &a = all[i], &b = all[j];
      if ((a.written || b.written) && ranges_meet(a.data, a.bytes, b.data, b.bytes)) return false;
    }
  }
  return true;
}

/// Whether `It` is a pointer to T itself, which is not volatile.
template <class It, class T>
inline constexpr bool is_array_of =
    std::is_pointer_v<It>&& std::is_same_v<std::remove_const_t<std::remove_pointer_t<It>>, T>;

/// True when `p` is a multiple of `bytes`, as null is.
UPSWEEP_HOST_DEVICE inline bool aligned_to(const void* p, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
