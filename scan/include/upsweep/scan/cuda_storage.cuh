// Where calls with CUB's names have their storage: in two phases, or from the environments of newer CUDA headers.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#if __has_include(<cuda/__functional/call_or.h>) && __has_include(<cuda/__memory_resource/get_memory_resource.h>)
#define UPSWEEP_HAS_ENVIRONMENTS

#include <cuda/__functional/call_or.h>
#include <cuda/__memory_resource/get_memory_resource.h>
#include <cuda/__stream/get_stream.h>

#include <cuda/std/__execution/env.h>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

template <class NumItems>
std::int64_t count_of(NumItems num_items) {
  static_assert(std::is_integral_v<NumItems> && !std::is_same_v<NumItems, bool>);
  return static_cast<std::int64_t>(num_items);
}

/// The first phase, or the second: `scan` with the storage.
template <class Scan>
cudaError_t scan_in(void* storage, std::size_t& bytes, std::size_t needed, Scan scan) {
  if (needed == 0) needed = 1;
  if (storage != nullptr) return bytes < needed ? cudaErrorInvalidValue : scan(workspace{storage, bytes});
  bytes = needed;
  return cudaSuccess;
}

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
using no_environment = ::cuda::std::execution::env<>;

/// Both phases of call(storage, bytes, stream) the same way.
template <class Env, class Call>
cudaError_t in_memory_of(const Env& env, Call call) {
  auto resource = ::cuda::__call_or(::cuda::mr::__get_memory_resource, stream_pool{}, env);
  const cudaStream_t stream = ::cuda::__call_or(::cuda::get_stream, ::cuda::stream_ref{cudaStream_t{}}, env).get();
  std::size_t needed = 0;
  const cudaError_t e = call(nullptr, needed, stream);
  if (e != cudaSuccess) return e;
  return workspace_or_resource(resource).lend(needed, stream,
                                              [&](workspace w) { return call(w.data, w.bytes, stream); });
}
#endif

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI
