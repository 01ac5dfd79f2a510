// Tests that only a GPU can run.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "support/cuda_test_device.cuh"
#include "support/operators.hpp"
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

/// An item of the bits of `noise`; a number has the high ones.
template <class T>
UPSWEEP_HOST_DEVICE T item_of_noise(std::uint64_t noise) {
  if constexpr (std::is_same_v<T, affine>) {
    return {noise | 1, noise >> 7};
  } else {
    return static_cast<T>(sizeof(T) > 4 ? noise : noise >> 32);
  }
}
/// What scans such items: of 16 bytes, an operator that does not commute.
template <class T>
using op_of_noise = std::conditional_t<std::is_same_v<T, affine>, compose, plus>;

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
      out[i] = item_of_noise<T>(z);
    }
  }
};

/// Which items begin a segment, beside the first: none, those at multiples of `length`, or those smaller than `below`.
struct no_heads {
  template <class T>
  UPSWEEP_DEVICE bool operator()(std::int64_t, const T&) const {
    return false;
  }
};
struct heads_at_multiples {
  std::int64_t length;
  UPSWEEP_DEVICE bool operator()(std::int64_t i, std::uint64_t) const { return i % length == 0; }
};
struct heads_at_small_items {
  std::uint64_t below;
  UPSWEEP_DEVICE bool operator()(std::int64_t, std::uint64_t item) const { return item < below; }
};

/// Counts the items that an inclusive scan from `in` to `out` got wrong: each output must be the one before it in its
/// segment, and the item. The scan is right if and only if none is counted.
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
      const bool begins = i == 0 || is_head(i, in[i]);
      const T expected = begins ? in[i] : op_of_noise<T>{}(out[i - 1], in[i]);
      mine += !(out[i] == expected);
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

/// The item whose bits are all set.
template <class T>
UPSWEEP_HOST_DEVICE T all_ones() {
  if constexpr (std::is_same_v<T, affine>) {
    return {~std::uint64_t{0}, ~std::uint64_t{0}};
  } else {
    return static_cast<T>(~T{0});
  }
}

/// Counts what an exclusive scan got wrong of which count, init and total lie in device memory. `out` held all_ones.
template <class T>
struct check_exclusive_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* in, const T* out, std::int64_t bound,
                                 const Count* count, const T* init, const T* total, unsigned long long* wrong) const {
    const std::int64_t n = *count < 0 ? 0 : (*count < bound ? *count : bound);
    const auto before = [&](std::int64_t i) { return i < n ? out[i] : *total; };
    unsigned long long mine = 0;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < bound;
         i += block.num_blocks() * block_threads) {
      if (i == 0) mine += !(before(0) == *init);
      mine += !(i < n ? before(i + 1) == op_of_noise<T>{}(out[i], in[i]) : out[i] == all_ones<T>());
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

/// As check_sums.
template <class T, class Count>
status check_exclusive(cudaStream_t stream, const T* in, const T* out, std::int64_t bound, const Count* count,
                       const T* init, const T* total, unsigned long long* wrong) {
  return cuda_executor(stream).launch(4096, check_exclusive_kernel<T>{}, in, out, bound, count, init, total, wrong);
}

}  // namespace upsweep::test
