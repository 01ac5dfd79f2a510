// More than 2^32 elements: holes filled, and a split. What must come out follows from the place.
#include <cstdint>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "upsweep/compact/device/hole_filling.cuh"
#include "upsweep/compact/split.cuh"

namespace upsweep::test {
namespace {

constexpr std::int64_t n = (std::int64_t{1} << 32) + 54'321;

/// The byte of element i.
UPSWEEP_HOST_DEVICE std::uint8_t byte_of(std::int64_t i) {
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 56);
}

/// Every element but number 7 of each 20.
struct nineteen_of_twenty {
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return i % 20 != 7; }
  /// How many of the first i.
  UPSWEEP_HOST_DEVICE static std::int64_t before(std::int64_t i) { return i - (i + 12) / 20; }
  /// Number k of them.
  UPSWEEP_HOST_DEVICE static std::int64_t at(std::int64_t k) { return k / 19 * 20 + k % 19 + (k % 19 >= 7 ? 1 : 0); }
};
struct by_three {
  UPSWEEP_HOST_DEVICE int operator()(std::int64_t i) const { return static_cast<int>(i % 3); }
};

/// What is at place i when the holes are filled, and when the elements are split.
struct filled {
  std::int64_t kept;
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    const nineteen_of_twenty vote;
    return byte_of(vote(i) ? i : vote.at(vote.before(kept) + i / 20));
  }
};
struct split_up {
  UPSWEEP_HOST_DEVICE static std::int64_t begin(int bucket) {
    return bucket == 0 ? 0 : (n + 2) / 3 + (bucket == 1 ? 0 : (n + 1) / 3);
  }
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    const int bucket = i < begin(1) ? 0 : i < begin(2) ? 1 : 2;
    return byte_of((i - begin(bucket)) * 3 + bucket);
  }
};
struct as_given {
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const { return byte_of(i); }
};

struct write_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, std::uint8_t* out) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) out[i] = byte_of(i);
  }
};
struct compare_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class Expected>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint8_t* got, std::int64_t count,
                                 Expected expected, unsigned long long* wrong) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    unsigned long long mine = 0;
    for (std::int64_t i = first; i < count; i += block.num_blocks() * block_threads) mine += got[i] != expected(i);
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

class forms_large : public gpu_test {
 protected:
  template <class Expected>
  static void expect(const std::uint8_t* got, std::int64_t count, Expected expected) {
    const device_array<unsigned long long> wrong(1);
    ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
    ASSERT_EQ(cuda_executor().launch(4096, compare_kernel{}, got, count, expected, wrong.data()), status::success);
    unsigned long long number = 1;
    ASSERT_EQ(cudaMemcpy(&number, wrong.data(), sizeof number, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(number, 0u);
  }
};

TEST_F(forms_large, holes_are_filled) {
  const device_array<std::uint8_t> items(n);
  const hole_filling<> method;
  const soa_array array{items.data(), items.data(), 1};
  const device_array<std::uint8_t> work(method.workspace_bytes({&array, 1}, n));
  const device_array<std::int64_t> count(1);
  if (!items.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  cuda_executor executor;
  ASSERT_EQ(executor.launch(4096, write_kernel{}, items.data()), status::success);
  ASSERT_EQ(method.run(executor, {work.data(), work.bytes()}, {&array, 1}, n, nineteen_of_twenty{}, count.data()),
            status::success);
  const std::int64_t expected = nineteen_of_twenty::before(n);
  std::int64_t kept = 0;
  ASSERT_EQ(cudaMemcpy(&kept, count.data(), sizeof kept, cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(kept, expected);
  expect(items.data(), kept, filled{kept});
  // Behind the kept ones nothing is written.
  std::vector<std::uint8_t> tail(static_cast<std::size_t>(4096));
  ASSERT_EQ(cudaMemcpy(tail.data(), items.data() + n - 4096, tail.size(), cudaMemcpyDefault), cudaSuccess);
  for (std::int64_t i = 0; i < 4096; ++i) ASSERT_EQ(tail[static_cast<std::size_t>(i)], byte_of(n - 4096 + i));
}

TEST_F(forms_large, elements_are_split) {
  const device_array<std::uint8_t> in(n), out(n), work(split_workspace_bytes(n, 3));
  const device_array<std::int64_t> offsets(4);
  if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  ASSERT_EQ(cuda_executor().launch(4096, write_kernel{}, in.data()), status::success);
  const soa_array array{in.data(), out.data(), 1};
  ASSERT_EQ(split_arrays({work.data(), work.bytes()}, {&array, 1}, n, 3, by_three{}, offsets.data()), cudaSuccess);
  std::vector<std::int64_t> got(4);
  ASSERT_EQ(cudaMemcpy(got.data(), offsets.data(), offsets.bytes(), cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(got, (std::vector<std::int64_t>{0, split_up::begin(1), split_up::begin(2), n}));
  expect(out.data(), n, split_up{});
  expect(in.data(), n, as_given{});
}

}  // namespace
}  // namespace upsweep::test
