// Sorts of up to more than 2^32 keys, made and checked on the GPU: order, the same keys, and the order of equal ones.
#include <cstdint>
#include <string>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

constexpr int blocks = 2048;
constexpr runtime::stream on_gpu{runtime::backend::cuda, nullptr};

UPSWEEP_DEVICE std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// out[i] = some bits of a hash of i.
template <class Key>
struct make_keys_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Key* out, std::int64_t n, Key bits) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      out[i] = static_cast<Key>(mixed(static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u)) & bits;
    }
  }
};

struct number_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, std::uint32_t* out, std::int64_t n) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) out[i] = static_cast<std::uint32_t>(i);
  }
};

/// Adds to found[0] how many keys are smaller than the one before, and to found[1] and [2] what two hashes of all keys
/// sum up to in `in` more than in `out`: of the same keys, nothing.
template <class Key>
struct check_keys_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* in, const Key* out, std::int64_t n,
                                 std::uint64_t* found) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    std::uint64_t descents = 0, sum = 0, other_sum = 0;
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const Key key = out[i];
      if (i > 0 && out[i - 1] > key) ++descents;
      const std::uint64_t a = mixed(std::uint64_t{in[i]} + 1), b = mixed(std::uint64_t{key} + 1);
      sum += a - b;
      other_sum += mixed(~a) - mixed(~b);
    }
    if (descents > 0) block.atomic_add(found, descents);
    block.atomic_add(found + 1, sum);
    block.atomic_add(found + 2, other_sum);
  }
};

/// Adds to *wrong how many pairs are not of the input, or do not come behind the one before by key and place: where
/// there is none, all are there, and in order.
template <class Key>
struct check_pairs_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* in, const Key* out, const std::uint32_t* places,
                                 std::int64_t n, std::uint64_t* wrong) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    std::uint64_t mine = 0;
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const Key key = out[i];
      const std::uint32_t place = places[i];
      bool right = place < n && in[place] == key;
      if (i > 0) right = right && (out[i - 1] < key || (out[i - 1] == key && places[i - 1] < place));
      if (!right) ++mine;
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

class sort_large : public gpu_test {
 protected:
  template <class Key>
  static void expect_keys_sorted(scalar_type type, std::int64_t n, sort_method method = sort_method::default_sort) {
    SCOPED_TRACE(n);
    const runtime::sort_policy policy{{}, method};
    const auto items = static_cast<std::size_t>(n);
    const device_array<Key> in(items), out(items);
    const device_array<unsigned char> work(runtime::sort_workspace_bytes(policy, type, false, n));
    const device_array<std::uint64_t> found(3);
    if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
    cuda_executor executor;
    ASSERT_EQ(cudaMemset(found.data(), 0, found.bytes()), cudaSuccess);
    ASSERT_EQ(executor.launch(blocks, make_keys_kernel<Key>{}, in.data(), n, Key(~Key{0})), status::success);
    ASSERT_EQ(runtime::sort_keys(on_gpu, policy, type, sort_order::ascending, {work.data(), work.bytes()}, in.data(),
                                 out.data(), n),
              status::success);
    ASSERT_EQ(executor.launch(blocks, check_keys_kernel<Key>{}, static_cast<const Key*>(in.data()),
                              static_cast<const Key*>(out.data()), n, found.data()),
              status::success);
    std::vector<std::uint64_t> got(3, 1);
    ASSERT_EQ(cudaMemcpy(got.data(), found.data(), found.bytes(), cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(got, std::vector<std::uint64_t>(3));
  }

  template <class Key>
  static void expect_pairs_sorted(scalar_type type, std::int64_t n) {
    SCOPED_TRACE(n);
    const auto items = static_cast<std::size_t>(n);
    const device_array<Key> in(items), out(items);
    const device_array<std::uint32_t> numbers(items), places(items);
    const device_array<unsigned char> work(runtime::sort_workspace_bytes({}, type, true, n));
    const device_array<std::uint64_t> wrong(1);
    if (!in.ok() || !out.ok() || !numbers.ok() || !places.ok() || !work.ok()) {
      GTEST_SKIP() << "too little device memory";
    }
    cuda_executor executor;
    ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
    // Every digit differs, and thousands of keys are equal.
    const auto bits = static_cast<Key>(0x3131313131313131u);
    ASSERT_EQ(executor.launch(blocks, make_keys_kernel<Key>{}, in.data(), n, bits), status::success);
    ASSERT_EQ(executor.launch(blocks, number_kernel{}, numbers.data(), n), status::success);
    ASSERT_EQ(runtime::sort_pairs(on_gpu, {}, type, sort_order::ascending, {work.data(), work.bytes()}, in.data(),
                                  out.data(), numbers.data(), places.data(), n),
              status::success);
    ASSERT_EQ(executor.launch(blocks, check_pairs_kernel<Key>{}, static_cast<const Key*>(in.data()),
                              static_cast<const Key*>(out.data()), static_cast<const std::uint32_t*>(places.data()), n,
                              wrong.data()),
              status::success);
    std::uint64_t got = 1;
    ASSERT_EQ(cudaMemcpy(&got, wrong.data(), sizeof got, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(got, 0u);
  }
};

constexpr std::int64_t two_to(int k) {
  return std::int64_t{1} << k;
}

TEST_F(sort_large, keys_and_pairs_by_tiles_of_every_size) {
  for (const std::int64_t n : {two_to(17) + 1, two_to(18) + 1, two_to(21) + 1, two_to(22) - 1, two_to(23) + 1}) {
    expect_keys_sorted<std::uint32_t>(scalar_type::u32, n);
    expect_keys_sorted<std::uint64_t>(scalar_type::u64, n);
    expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n);
    expect_pairs_sorted<std::uint64_t>(scalar_type::u64, n);
  }
}
TEST_F(sort_large, keys) {
  // From 2^30 on places are numbers of 64 bits.
  for (const std::int64_t n : {two_to(28) - 1, two_to(28) + 1, two_to(30), two_to(30) + 1}) {
    expect_keys_sorted<std::uint32_t>(scalar_type::u32, n);
  }
}
TEST_F(sort_large, keys_around_2_to_the_31) {
  for (const std::int64_t n : {two_to(31) - 1, two_to(31) + 1}) expect_keys_sorted<std::uint32_t>(scalar_type::u32, n);
}
TEST_F(sort_large, keys_beyond_2_to_the_32) {
  expect_keys_sorted<std::uint32_t>(scalar_type::u32, two_to(32) + 1);
}
TEST_F(sort_large, keys_beyond_2_to_the_32_by_upsweep_downsweep) {
  expect_keys_sorted<std::uint32_t>(scalar_type::u32, two_to(32) + 1, sort_method::upsweep_downsweep);
}
TEST_F(sort_large, keys_of_64_bits) {
  for (const std::int64_t n : {two_to(28) + 1, two_to(31) + 1}) expect_keys_sorted<std::uint64_t>(scalar_type::u64, n);
}
TEST_F(sort_large, pairs) {
  for (const std::int64_t n : {two_to(28) - 1, two_to(28) + 1}) {
    expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n);
    expect_pairs_sorted<std::uint64_t>(scalar_type::u64, n);
  }
  expect_pairs_sorted<std::uint32_t>(scalar_type::u32, two_to(31) + 1);
}

}  // namespace
}  // namespace upsweep::test
