// Merges of more than 2^32 keys, made and checked on the GPU, and merges in a captured graph.
#include <cstdint>
#include <vector>

#include "contracts/merge_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/captured_graph.cuh"

namespace upsweep::test {
namespace {

using byte = std::uint8_t;

/// A sorted array of n bytes, of which byte i is 256 i / n, and what belongs to its places.
struct even_bytes {
  std::int64_t n;
  std::uint32_t salt;

  UPSWEEP_HOST_DEVICE byte key(std::int64_t i) const { return static_cast<byte>(256 * i / n); }
  /// The first place of a byte that is not less.
  UPSWEEP_HOST_DEVICE std::int64_t begin(int least) const { return (least * n + 255) / 256; }
  UPSWEEP_HOST_DEVICE byte value(std::int64_t i) const {
    const std::uint64_t mixed = (static_cast<std::uint64_t>(i) + salt) * 0x9e3779b97f4a7c15u;
    return static_cast<byte>(mixed >> 56);
  }
};

struct make_bytes_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, even_bytes of, byte* keys, byte* values) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < of.n; i += block.num_blocks() * block_threads) {
      keys[i] = of.key(i);
      values[i] = of.value(i);
    }
  }
};

/// Counts the items of a merge that are not where they must be: after all that are smaller, and of equal ones those
/// of a first, in their order.
struct check_bytes_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, even_bytes a, even_bytes b, const byte* keys,
                                 const byte* keys_alone, const byte* values, unsigned long long* wrong) const {
    unsigned long long mine = 0;
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank(), n = a.n + b.n;
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const int key = keys[i];
      const std::int64_t at = i - a.begin(key) - b.begin(key), of_a = a.begin(key + 1) - a.begin(key);
      const bool stands = at >= 0 && i < a.begin(key + 1) + b.begin(key + 1);
      const byte value = at < of_a ? a.value(a.begin(key) + at) : b.value(b.begin(key) + at - of_a);
      mine += !(stands && keys_alone[i] == key && values[i] == value);
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

class merge_large : public gpu_test {
 protected:
  static constexpr int blocks = 4096;

  void expect_merged_bytes(std::int64_t n_a, std::int64_t n_b) {
    const even_bytes a{n_a, 1}, b{n_b, 77};
    const auto n = static_cast<std::size_t>(n_a + n_b);
    const device_array<byte> keys_a(static_cast<std::size_t>(n_a)), values_a(static_cast<std::size_t>(n_a)),
        keys_b(static_cast<std::size_t>(n_b)), values_b(static_cast<std::size_t>(n_b)), keys(n), keys_alone(n),
        values(n);
    const device_array<unsigned long long> wrong(1);
    for (const auto* const array : {&keys_a, &values_a, &keys_b, &values_b, &keys, &keys_alone, &values}) {
      if (!array->ok()) GTEST_SKIP() << "too little device memory";
    }
    cuda_executor executor;
    ASSERT_EQ(executor.fill(wrong.data(), 0, wrong.bytes()), status::success);
    ASSERT_EQ(executor.launch(blocks, make_bytes_kernel{}, a, keys_a.data(), values_a.data()), status::success);
    ASSERT_EQ(executor.launch(blocks, make_bytes_kernel{}, b, keys_b.data(), values_b.data()), status::success);
    ASSERT_EQ(merge_keys(stream_pool{}, keys_a.data(), keys_b.data(), keys_alone.data(), n_a, n_b), cudaSuccess);
    ASSERT_EQ(merge_pairs(stream_pool{}, keys_a.data(), keys_b.data(), keys.data(), values_a.data(), values_b.data(),
                          values.data(), n_a, n_b),
              cudaSuccess);
    ASSERT_EQ(executor.launch(blocks, check_bytes_kernel{}, a, b, static_cast<const byte*>(keys.data()),
                              static_cast<const byte*>(keys_alone.data()), static_cast<const byte*>(values.data()),
                              wrong.data()),
              status::success);
    unsigned long long count = 1;
    ASSERT_EQ(executor.copy(&count, wrong.data(), sizeof count), status::success);
    ASSERT_EQ(executor.synchronize(), status::success);
    EXPECT_EQ(count, 0u) << n_a << " and " << n_b;

    // The bounds of every byte.
    std::vector<byte> needles(256);
    for (std::size_t i = 0; i < needles.size(); ++i) needles[i] = static_cast<byte>(i);
    const device_array<byte> wanted(256);
    const device_array<std::int64_t> lower(256), upper(256);
    ASSERT_EQ(executor.copy(wanted.data(), needles.data(), 256), status::success);
    ASSERT_EQ(lower_bound(keys_a.data(), wanted.data(), lower.data(), n_a, 256), cudaSuccess);
    ASSERT_EQ(upper_bound(keys_a.data(), wanted.data(), upper.data(), n_a, 256), cudaSuccess);
    std::vector<std::int64_t> lower_items(256), upper_items(256), begins, ends;
    ASSERT_EQ(executor.copy(lower_items.data(), lower.data(), lower.bytes()), status::success);
    ASSERT_EQ(executor.copy(upper_items.data(), upper.data(), upper.bytes()), status::success);
    ASSERT_EQ(executor.synchronize(), status::success);
    for (int i = 0; i < 256; ++i) {
      begins.push_back(a.begin(i));
      ends.push_back(a.begin(i + 1));
    }
    EXPECT_TRUE(same_items(lower_items, begins));
    EXPECT_TRUE(same_items(upper_items, ends));
  }
};

constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;

TEST_F(merge_large, around_the_number_of_tiles_that_find_their_ends) {
  for (const std::int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1}) expect_merged_bytes(n, 1 << 20);
}
TEST_F(merge_large, of_two_arrays_that_are_2_to_the_32_keys_together) {
  expect_merged_bytes(two_to_32 / 2 + 3, two_to_32 / 2 + 1'000'001);
}
TEST_F(merge_large, of_an_array_beyond_2_to_the_32_keys) {
  expect_merged_bytes(two_to_32 + 12'345, 1000);
}

TEST_F(merge_large, in_a_graph_whose_counts_change) {
  using words = guarded_array<std::uint32_t, cudaStream_t>;
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways()[0]);
  constexpr std::int64_t most = 3'000'000;
  const auto a = sorted_kinds(most, most, 1), b = sorted_kinds(most, most, 2);
  const words in_a(d, a), in_b(d, b);
  const std::uint32_t *const from_a = in_a.data(), *const from_b = in_b.data();
  words out(d, 2 * most), places(d, most);
  const auto before = out.items(), places_before = places.items();
  guarded_array<std::int64_t, cudaStream_t> counts(d, std::vector<std::int64_t>{0, 0});
  const device_count n_a{counts.data(), most}, n_b{counts.data() + 1, most};
  const captured_graph graph(d.stream(), [&] {
    const cudaError_t merged = merge_keys(stream_pool{}, from_a, from_b, out.data(), n_a, n_b, less{}, d.stream());
    const cudaError_t found = lower_bound(from_a, from_b, places.data(), n_a, n_b, less{}, d.stream());
    return merged != cudaSuccess ? merged : found;
  });
  random_source random(1);
  for (int replay = 0; replay < 100; ++replay) {
    const auto some_a = static_cast<std::int64_t>(random.below(replay % 2 == 0 ? most + 9 : 1000));
    const auto some_b = static_cast<std::int64_t>(random.below(replay % 3 == 0 ? most + 9 : 1000));
    counts.set({some_a, some_b});
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    if (replay % 10 != 0) continue;
    out.set(before);
    places.set(places_before);
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    const auto first = [&](const std::vector<std::uint32_t>& keys, std::int64_t count) {
      return std::vector<std::uint32_t>(keys.begin(), keys.begin() + std::min(count, most));
    };
    const auto of_a = first(a, some_a), of_b = first(b, some_b);
    auto expected = before, expected_places = places_before;
    std::merge(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), expected.begin());
    for (std::size_t i = 0; i < of_b.size(); ++i) {
      expected_places[i] =
          static_cast<std::uint32_t>(std::lower_bound(of_a.begin(), of_a.end(), of_b[i]) - of_a.begin());
    }
    EXPECT_TRUE(same_items(out.items(), expected)) << some_a << " and " << some_b;
    EXPECT_TRUE(same_items(places.items(), expected_places));
  }
}

}  // namespace
}  // namespace upsweep::test
