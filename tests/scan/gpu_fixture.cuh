// Tests that only a GPU can run.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/cuda_test_device.cuh"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {

class gpu_test : public testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = missing_gpu();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};

/// Device memory that frees itself; empty when there is not enough.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : n_(n) {
    if (n > 0 && cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      data_ = nullptr;
    }
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { static_cast<void>(cudaFree(data_)); }

  bool ok() const { return data_ != nullptr || n_ == 0; }
  T* data() const { return data_; }
  std::size_t bytes() const { return n_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

/// out[i] = some function of i and `salt`.
template <class T>
struct scramble_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, T* out, std::int64_t n, std::uint64_t salt) const {
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < n;
         i += block.num_blocks() * block_threads) {
      std::uint64_t z = (static_cast<std::uint64_t>(i) + salt) * 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      out[i] = static_cast<T>(z >> 32);
    }
  }
};

/// Which items begin a segment, beside the first: none, those at multiples of `length`, or those smaller than `below`.
struct no_heads {
  UPSWEEP_DEVICE bool operator()(std::int64_t, std::uint64_t) const { return false; }
};
struct heads_at_multiples {
  std::int64_t length;
  UPSWEEP_DEVICE bool operator()(std::int64_t i, std::uint64_t) const { return i % length == 0; }
};
struct heads_at_small_items {
  std::uint64_t below;
  UPSWEEP_DEVICE bool operator()(std::int64_t, std::uint64_t item) const { return item < below; }
};

/// Counts the items that an inclusive sum from `in` to `out` got wrong: each output minus the one before it in its
/// segment must be the item. Sums modulo 2^k are right if and only if none is counted.
template <class T>
struct check_sums_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Heads>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* in, const T* out, std::int64_t n,
                                 unsigned long long* wrong, Heads is_head) const {
    unsigned long long mine = 0;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < n;
         i += block.num_blocks() * block_threads) {
      const T before = i == 0 || is_head(i, in[i]) ? T{0} : out[i - 1];
      mine += static_cast<T>(out[i] - before) != in[i];
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

template <class T>
status scramble(cudaStream_t stream, T* out, std::int64_t n, std::uint64_t salt) {
  return cuda_executor(stream).launch(4096, scramble_kernel<T>{}, out, n, salt);
}

/// Adds the number of wrong sums to `*wrong`, in device memory.
template <class T, class Heads = no_heads>
status check_sums(cudaStream_t stream, const T* in, const T* out, std::int64_t n, unsigned long long* wrong,
                  Heads is_head = {}) {
  return cuda_executor(stream).launch(4096, check_sums_kernel<T>{}, in, out, n, wrong, is_head);
}

}  // namespace upsweep::test
