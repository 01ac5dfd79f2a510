// What the calls of CUB and Thrust have in common.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "element_types.hpp"
#include "references.hpp"

namespace upsweep::apps {

/// Adds the CUB call `f(storage, bytes)`.
template <class F>
void add_cub_call(std::vector<reference_call>& calls, reference_call like, F f) {
  const cudaError_t asked = f(nullptr, like.workspace_bytes);
  like.call = [f, asked](workspace w) {
    std::size_t bytes = w.bytes;
    return static_cast<status>(asked == cudaSuccess ? f(w.data, bytes) : asked);
  };
  calls.push_back(std::move(like));
}

/// Adds `name` with a 32-bit count, where n has one, and with a 64-bit count. `f(storage, bytes, count)` is the CUB
/// call.
template <class F>
void add_cub_calls(std::vector<reference_call>& calls, std::int64_t n, const reference_call& like, F f) {
  const auto add = [&](const char* suffix, auto count) {
    reference_call c = like;
    c.name += suffix;
    add_cub_call(calls, std::move(c),
                 [f, count](void* storage, std::size_t& bytes) { return f(storage, bytes, count); });
  };
  if (n <= std::numeric_limits<std::int32_t>::max()) add(" 32-bit", static_cast<std::int32_t>(n));
  add(" 64-bit", n);
}

/// Thrust's temporary memory: one block that stays until the end and grows when more is asked for. One at a time.
class thrust_memory {
 public:
  using value_type = char;
  thrust_memory() = default;
  thrust_memory(const thrust_memory&) = delete;
  thrust_memory& operator=(const thrust_memory&) = delete;
  ~thrust_memory() { static_cast<void>(cudaFree(block_)); }

  char* allocate(std::ptrdiff_t bytes) {
    if (bytes > size_) {
      static_cast<void>(cudaFree(block_));
      block_ = nullptr;
      size_ = 0;
      if (cudaMalloc(&block_, static_cast<std::size_t>(bytes)) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        throw std::bad_alloc();
      }
      size_ = bytes;
    }
    return static_cast<char*>(block_);
  }
  void deallocate(char*, std::size_t) {}

 private:
  void* block_ = nullptr;
  std::ptrdiff_t size_ = 0;
};

/// Adds a call of Thrust; `f(policy)` makes it, enqueued on the stream with memory that is kept between calls.
template <class Policy, class F>
void add_thrust_call(std::vector<reference_call>& calls, reference_call like, Policy policy, F f) {
  const auto memory = std::make_shared<thrust_memory>();
  like.call = [memory, policy, f](workspace) {
    try {
      f(policy(*memory));
      return status::success;
    } catch (const std::bad_alloc&) {
      return status::memory_allocation;
    } catch (...) {
      const cudaError_t e = cudaGetLastError();
      return static_cast<status>(e == cudaSuccess ? cudaErrorUnknown : e);
    }
  };
  calls.push_back(std::move(like));
}

}  // namespace upsweep::apps
