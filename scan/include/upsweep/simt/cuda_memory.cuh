// Ordered loads and stores of the GPU by type, order and scope, up to 16 bytes (PTX: ld, st with .relaxed, .acquire,
// .release at .cta, .gpu).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI {

struct relaxed_t {};
struct acquire_t {};
struct release_t {};

/// Uses all 16 bytes of a loaded word. If only some are used, ptxas (13.0) narrows the load to those and splits it in
/// two, which may then see two different stores.
__device__ __forceinline__ void keep_whole(const ulonglong2& v) {
  asm volatile(
      "{ .reg .pred p; .reg .b64 all; and.b64 all, %0, %1; setp.eq.u64 p, all, -1; @p nanosleep.u32 0; }" ::"l"(v.x),
      "l"(v.y));
}

#define UPSWEEP_PTX_ACCESS(scope_type, scope)                                    \
  UPSWEEP_PTX_WORD(std::uint8_t, std::uint32_t, "r", ".u8", scope_type, scope)   \
  UPSWEEP_PTX_WORD(std::uint16_t, std::uint16_t, "h", ".u16", scope_type, scope) \
  UPSWEEP_PTX_WORD(std::uint32_t, std::uint32_t, "r", ".u32", scope_type, scope) \
  UPSWEEP_PTX_WORD(std::uint64_t, std::uint64_t, "l", ".u64", scope_type, scope) \
  UPSWEEP_PTX_WIDE(relaxed_t, ".relaxed.", scope_type, scope)                    \
  UPSWEEP_PTX_WIDE(acquire_t, ".acquire.", scope_type, scope)                    \
  UPSWEEP_PTX_WIDE_STORE(relaxed_t, ".relaxed.", scope_type, scope)              \
  UPSWEEP_PTX_WIDE_STORE(release_t, ".release.", scope_type, scope)

// `in_register`: the type of the register that holds a word.
#define UPSWEEP_PTX_WORD(word, in_register, reg, width, scope_type, scope)                    \
  UPSWEEP_PTX_LOAD(word, in_register, reg, width, relaxed_t, ".relaxed.", scope_type, scope)  \
  UPSWEEP_PTX_LOAD(word, in_register, reg, width, acquire_t, ".acquire.", scope_type, scope)  \
  UPSWEEP_PTX_STORE(word, in_register, reg, width, relaxed_t, ".relaxed.", scope_type, scope) \
  UPSWEEP_PTX_STORE(word, in_register, reg, width, release_t, ".release.", scope_type, scope)

#define UPSWEEP_PTX_LOAD(word, in_register, reg, width, order_type, order, scope_type, scope) \
  __device__ __forceinline__ in_register load_word(const word* p, order_type, scope_type) {   \
    in_register v;                                                                            \
    asm volatile("ld" order scope width " %0, [%1];" : "=" reg(v) : "l"(p) : "memory");       \
    return v;                                                                                 \
  }

#define UPSWEEP_PTX_STORE(word, in_register, reg, width, order_type, order, scope_type, scope)               \
  __device__ __forceinline__ void store_word(word* p, word v, order_type, scope_type) {                      \
    asm volatile("st" order scope width " [%0], %1;" ::"l"(p), reg(static_cast<in_register>(v)) : "memory"); \
  }

#define UPSWEEP_PTX_WIDE(order_type, order, scope_type, scope)                                   \
  __device__ __forceinline__ ulonglong2 load_word(const ulonglong2* p, order_type, scope_type) { \
    ulonglong2 v;                                                                                \
    asm volatile("{ .reg .b128 t; ld" order scope ".b128 t, [%2]; mov.b128 {%0, %1}, t; }"       \
                 : "=l"(v.x), "=l"(v.y)                                                          \
                 : "l"(p)                                                                        \
                 : "memory");                                                                    \
    keep_whole(v);                                                                               \
    return v;                                                                                    \
  }

#define UPSWEEP_PTX_WIDE_STORE(order_type, order, scope_type, scope)                                           \
  __device__ __forceinline__ void store_word(ulonglong2* p, ulonglong2 v, order_type, scope_type) {            \
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st" order scope ".b128 [%0], t; }" ::"l"(p), "l"(v.x), \
                 "l"(v.y)                                                                                      \
                 : "memory");                                                                                  \
  }

UPSWEEP_PTX_ACCESS(block_scope_t, "cta")
UPSWEEP_PTX_ACCESS(device_scope_t, "gpu")

#undef UPSWEEP_PTX_ACCESS
#undef UPSWEEP_PTX_WORD
#undef UPSWEEP_PTX_LOAD
#undef UPSWEEP_PTX_STORE
#undef UPSWEEP_PTX_WIDE
#undef UPSWEEP_PTX_WIDE_STORE

/// The machine word that carries a T of 1, 2, 4, 8 or 16 bytes.
template <class T>
using word_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 8, std::uint64_t, ulonglong2>>>>;

/// The bytes of `from` as a To of the same size.
template <class To, class From>
__device__ __forceinline__ To bytes_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && is_bitwise_copyable<From> && is_bitwise_copyable<To>,
                "words are exchanged as bytes");
  if constexpr (std::is_trivially_copyable_v<From> && std::is_trivially_copyable_v<To>) {
    return __builtin_bit_cast(To, from);
  } else {
    alignas(To) unsigned char bytes[sizeof(To)];
    memcpy(bytes, __builtin_addressof(from), sizeof(To));
    return *reinterpret_cast<To*>(bytes);
  }
}

template <class Order, class Scope, class T>
__device__ __forceinline__ T load(const T* p) {
  using word = word_of<T>;
  static_assert(sizeof(T) == sizeof(word), "ordered accesses move 1, 2, 4, 8 or 16 bytes");
  return bytes_as<T>(static_cast<word>(load_word(reinterpret_cast<const word*>(p), Order{}, Scope{})));
}

template <class Order, class Scope, class T>
__device__ __forceinline__ void store(T* p, T value) {
  using word = word_of<T>;
  static_assert(sizeof(T) == sizeof(word), "ordered accesses move 1, 2, 4, 8 or 16 bytes");
  store_word(reinterpret_cast<word*>(p), bytes_as<word>(value), Order{}, Scope{});
}

}  // namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI
