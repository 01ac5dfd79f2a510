// CUB's names for the top k of device memory, with the signatures of cub::DeviceTopK 3.5; part of drop_in.cuh. It needs
// CUDA headers with cuda::execution::output_ordering, by which an environment asks for an order.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#if __has_include(<cuda/__execution/output_ordering.h>) && __has_include(<cuda/__execution/tie_break.h>)
#define UPSWEEP_HAS_DEVICE_TOP_K

#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cuda/__execution/tie_break.h>
#include <cuda/__functional/call_or.h>
#include <cuda/__memory_resource/get_memory_resource.h>
#include <cuda/__stream/get_stream.h>

#include <cuda/std/__execution/env.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/cuda_storage.cuh"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/sort/cuda_double_buffer.cuh"
#include "upsweep/sort/top_k.cuh"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

/// After k come a decomposer, an environment, both or neither. The order, of which a decomposer tells the digits.
template <class KeyIn, class First>
auto order_by(sort_order order, const First& first) {
  using key = upsweep::detail::item_t<KeyIn>;
  if constexpr (decomposes<First, key>) {
    return decomposed_by<key>(first, order);
  } else {
    return order;
  }
}
/// The environment among them.
template <class KeyIn, class First, class Env>
const auto& env_of(const First& first, const Env& env) {
  if constexpr (decomposes<First, upsweep::detail::item_t<KeyIn>>) {
    return env;
  } else {
    static_assert(std::is_same_v<Env, ::cuda::std::execution::env<>>,
                  "upsweep: behind k: a decomposer, then the environment");
    return first;
  }
}

/// The stream of an environment. What is required of the result holds whatever it is, but for one: of equal keys, those
/// with the larger places.
template <class Env>
cudaStream_t stream_of_env(const Env& env) {
  namespace tie_break = ::cuda::execution::tie_break;
  using required = ::cuda::std::execution::__query_result_or_t<Env, ::cuda::execution::__get_requirements_t,
                                                               ::cuda::std::execution::env<>>;
  using tie =
      ::cuda::std::execution::__query_result_or_t<required, tie_break::__get_tie_break_t, tie_break::unspecified_t>;
  static_assert(!std::is_same_v<tie, tie_break::prefer_larger_index_t>,
                "upsweep: of equal keys, those with smaller indices are taken");
  return ::cuda::__call_or(::cuda::get_stream, ::cuda::stream_ref{cudaStream_t{}}, env).get();
}

/// Both phases of a call; those of keys alone give no values.
template <class KeyIn, class Key, class Value, class NumItems, class K, class Order>
cudaError_t top_k_in(void* storage, std::size_t& bytes, KeyIn keys_in, Key* keys_out, const Value* values_in,
                     Value* values_out, NumItems num_items, K num_wanted, const Order& order, cudaStream_t stream) {
  const std::int64_t n = count_of(num_items), k = count_of(num_wanted);
  constexpr bool has_values = !std::is_same_v<Value, upsweep::detail::no_value>;
  std::size_t needed = 0;
  if constexpr (has_values) {
    needed = top_k_pairs_workspace_bytes(keys_in, keys_out, values_in, values_out, n, k, order);
  } else {
    needed = top_k_keys_workspace_bytes(keys_in, keys_out, n, k, order);
  }
  return scan_in(storage, bytes, needed, [&](workspace w) {
    if constexpr (has_values) {
      return top_k_pairs(w, keys_in, keys_out, values_in, values_out, n, k, order, {}, stream);
    } else {
      return top_k_keys(w, keys_in, keys_out, n, k, order, {}, stream);
    }
  });
}

/// The same with memory from the environment's resource, else from the stream's pool.
template <class KeyIn, class Key, class Value, class NumItems, class K, class Order, class Env>
cudaError_t top_k_from(const Env& env, KeyIn keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                       NumItems num_items, K num_wanted, const Order& order) {
  const std::int64_t n = count_of(num_items), k = count_of(num_wanted);
  auto resource = ::cuda::__call_or(::cuda::mr::__get_memory_resource, stream_pool{}, env);
  if constexpr (!std::is_same_v<Value, upsweep::detail::no_value>) {
    return top_k_pairs(resource, keys_in, keys_out, values_in, values_out, n, k, order, {}, stream_of_env(env));
  } else {
    return top_k_keys(resource, keys_in, keys_out, n, k, order, {}, stream_of_env(env));
  }
}

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceTopK, but sorted and the same in every run; of equal keys, those that come first in the input. So the
/// environment may ask for any order of the output and any determinism. Outputs and values are pointers.
struct DeviceTopK {
 private:
  using no_value = upsweep::detail::no_value;
  using nothing = ::cuda::std::execution::env<>;
  static constexpr sort_order max = sort_order::descending, min = sort_order::ascending;
  static constexpr const no_value* no_values_in = nullptr;
  static constexpr no_value* no_values_out = nullptr;

 public:
  template <class KeyIn, class Key, class NumItems, class K, class First = nothing, class Env = nothing>
  static cudaError_t MaxKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIn d_keys_in, Key* d_keys_out,
                             NumItems num_items, K k, const First& first = {}, const Env& env = {}) {
    return detail::top_k_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out,
                            num_items, k, detail::order_by<KeyIn>(max, first),
                            detail::stream_of_env(detail::env_of<KeyIn>(first, env)));
  }
  template <class KeyIn, class Key, class NumItems, class K, class First = nothing, class Env = nothing>
  [[nodiscard]] static cudaError_t MaxKeys(KeyIn d_keys_in, Key* d_keys_out, NumItems num_items, K k,
                                           const First& first = {}, const Env& env = {}) {
    return detail::top_k_from(detail::env_of<KeyIn>(first, env), d_keys_in, d_keys_out, no_values_in, no_values_out,
                              num_items, k, detail::order_by<KeyIn>(max, first));
  }
  template <class KeyIn, class Key, class Value, class NumItems, class K, class First = nothing, class Env = nothing>
  static cudaError_t MaxPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIn d_keys_in, Key* d_keys_out,
                              const Value* d_values_in, Value* d_values_out, NumItems num_items, K k,
                              const First& first = {}, const Env& env = {}) {
    return detail::top_k_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                            num_items, k, detail::order_by<KeyIn>(max, first),
                            detail::stream_of_env(detail::env_of<KeyIn>(first, env)));
  }
  template <class KeyIn, class Key, class Value, class NumItems, class K, class First = nothing, class Env = nothing>
  [[nodiscard]] static cudaError_t MaxPairs(KeyIn d_keys_in, Key* d_keys_out, const Value* d_values_in,
                                            Value* d_values_out, NumItems num_items, K k, const First& first = {},
                                            const Env& env = {}) {
    return detail::top_k_from(detail::env_of<KeyIn>(first, env), d_keys_in, d_keys_out, d_values_in, d_values_out,
                              num_items, k, detail::order_by<KeyIn>(max, first));
  }

  template <class KeyIn, class Key, class NumItems, class K, class First = nothing, class Env = nothing>
  static cudaError_t MinKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIn d_keys_in, Key* d_keys_out,
                             NumItems num_items, K k, const First& first = {}, const Env& env = {}) {
    return detail::top_k_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out,
                            num_items, k, detail::order_by<KeyIn>(min, first),
                            detail::stream_of_env(detail::env_of<KeyIn>(first, env)));
  }
  template <class KeyIn, class Key, class NumItems, class K, class First = nothing, class Env = nothing>
  [[nodiscard]] static cudaError_t MinKeys(KeyIn d_keys_in, Key* d_keys_out, NumItems num_items, K k,
                                           const First& first = {}, const Env& env = {}) {
    return detail::top_k_from(detail::env_of<KeyIn>(first, env), d_keys_in, d_keys_out, no_values_in, no_values_out,
                              num_items, k, detail::order_by<KeyIn>(min, first));
  }
  template <class KeyIn, class Key, class Value, class NumItems, class K, class First = nothing, class Env = nothing>
  static cudaError_t MinPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIn d_keys_in, Key* d_keys_out,
                              const Value* d_values_in, Value* d_values_out, NumItems num_items, K k,
                              const First& first = {}, const Env& env = {}) {
    return detail::top_k_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                            num_items, k, detail::order_by<KeyIn>(min, first),
                            detail::stream_of_env(detail::env_of<KeyIn>(first, env)));
  }
  template <class KeyIn, class Key, class Value, class NumItems, class K, class First = nothing, class Env = nothing>
  [[nodiscard]] static cudaError_t MinPairs(KeyIn d_keys_in, Key* d_keys_out, const Value* d_values_in,
                                            Value* d_values_out, NumItems num_items, K k, const First& first = {},
                                            const Env& env = {}) {
    return detail::top_k_from(detail::env_of<KeyIn>(first, env), d_keys_in, d_keys_out, d_values_in, d_values_out,
                              num_items, k, detail::order_by<KeyIn>(min, first));
  }
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI

#endif
