// Segments of many items: beside CUB's sums by key, and past 2^32; and in a captured graph.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <string>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"
#include "upsweep/scan/segmented_scan_by_bounds.cuh"

namespace upsweep::test {
namespace {

class segments_beside_cub : public gpu_test {};

template <class T>
std::vector<T> items_of(const device_array<T>& a) {
  std::vector<T> items(a.bytes() / sizeof(T));
  EXPECT_EQ(cudaMemcpy(items.data(), a.data(), a.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  return items;
}

TEST_F(segments_beside_cub, give_the_same_inclusive_sums) {
  constexpr std::int64_t n = (1 << 24) + 12345;
  constexpr auto count = static_cast<std::size_t>(n);
  for (const std::uint64_t longest : {7u, 3000u, 5'000'000u}) {
    SCOPED_TRACE(longest);
    random_source random(longest);
    std::vector<std::int64_t> offset{0};
    std::vector<std::uint32_t> key(count);
    while (offset.back() < n) {
      const std::int64_t end = std::min(n, offset.back() + 1 + static_cast<std::int64_t>(random.below(longest)));
      std::fill(key.begin() + offset.back(), key.begin() + end, static_cast<std::uint32_t>(offset.size()));
      offset.push_back(end);
    }
    const auto segments = static_cast<std::int64_t>(offset.size()) - 1;
    const device_array<std::uint32_t> keys(count), in(count), ours(count), theirs(count);
    const device_array<std::int64_t> offsets(offset.size());
    const device_array<unsigned char> work(
        inclusive_sum_by_key_workspace_bytes(keys.data(), in.data(), ours.data(), n)),
        more(inclusive_sum_segmented_workspace_bytes(in.data(), offsets.data(), ours.data(), n, segments));
    ASSERT_TRUE(keys.ok() && in.ok() && ours.ok() && theirs.ok() && offsets.ok() && work.ok() && more.ok());
    ASSERT_EQ(cudaMemcpy(keys.data(), key.data(), keys.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(offsets.data(), offset.data(), offsets.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(scramble(nullptr, in.data(), n, 5), status::success);

    std::size_t bytes = 0;
    const auto cub_sums = [&](void* storage) {
      return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys.data(), in.data(), theirs.data(), n);
    };
    ASSERT_EQ(cub_sums(nullptr), cudaSuccess);
    const device_array<unsigned char> temporary(bytes);
    ASSERT_EQ(cub_sums(temporary.data()), cudaSuccess);
    const std::vector<std::uint32_t> expected = items_of(theirs);

    ASSERT_EQ(inclusive_sum_by_key({work.data(), work.bytes()}, keys.data(), in.data(), ours.data(), n), cudaSuccess);
    EXPECT_TRUE(same_items(items_of(ours), expected));
    ASSERT_EQ(cudaMemset(ours.data(), 0xa5, ours.bytes()), cudaSuccess);
    ASSERT_EQ(inclusive_sum_segmented({more.data(), more.bytes()}, in.data(),
                                      static_cast<const std::int64_t*>(offsets.data()), ours.data(), n, segments),
              cudaSuccess);
    EXPECT_TRUE(same_items(items_of(ours), expected));
  }
}

/// out[i] = the low byte of i / length.
struct fill_keys_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, std::uint8_t* out, std::int64_t n,
                                 std::int64_t length) const {
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < n;
         i += block.num_blocks() * block_threads) {
      out[i] = static_cast<std::uint8_t>(i / length);
    }
  }
};

class segments_of_many_items : public gpu_test {
 protected:
  /// Sums of bytes in segments of one length: by keys that an iterator gives and by those of an array, which take
  /// different ways, and by offsets.
  void check(std::int64_t n, std::int64_t length) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", segments of " + std::to_string(length));
    const auto count = static_cast<std::size_t>(n);
    const std::int64_t segments = ceil_div(n, length);
    const steps keys{length, 1, n}, offsets{1, length, n};
    const device_array<std::uint8_t> in(count), out(count), key(count);
    const device_array<unsigned char> work(
        std::max({inclusive_sum_by_key_workspace_bytes(keys, in.data(), out.data(), n),
                  inclusive_sum_by_key_workspace_bytes(key.data(), in.data(), out.data(), n),
                  inclusive_sum_segmented_workspace_bytes(in.data(), offsets, out.data(), n, segments)}));
    const device_array<unsigned long long> wrong(1);
    if (!in.ok() || !out.ok() || !key.ok() || !work.ok() || !wrong.ok()) {
      GTEST_SKIP() << "this GPU has too little memory";
    }
    const workspace w{work.data(), work.bytes()};
    ASSERT_EQ(scramble<std::uint8_t>(nullptr, in.data(), n, 1), status::success);
    ASSERT_EQ(cuda_executor(nullptr).launch(4096, fill_keys_kernel{}, key.data(), n, length), status::success);
    ASSERT_EQ(cudaMemset(work.data(), 0xff, work.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
    const auto expect_right = [&](cudaError_t scanned) {
      EXPECT_EQ(scanned, cudaSuccess);
      EXPECT_EQ(check_sums(nullptr, in.data(), out.data(), n, wrong.data(), heads_at_multiples{length}),
                status::success);
      EXPECT_EQ(items_of(wrong)[0], 0u);
      EXPECT_EQ(cudaMemset(out.data(), 0, out.bytes()), cudaSuccess);
    };
    expect_right(inclusive_sum_by_key(w, keys, in.data(), out.data(), n));
    expect_right(inclusive_sum_by_key(w, key.data(), in.data(), out.data(), n));
    expect_right(inclusive_sum_segmented(w, in.data(), offsets, out.data(), n, segments));
  }
};

TEST_F(segments_of_many_items, are_right_around_2_to_the_31) {
  const std::int64_t two_31 = std::int64_t{1} << 31;
  for (const std::int64_t n : {two_31 - 1, two_31, two_31 + 1}) check(n, 1'000'003);
}

TEST_F(segments_of_many_items, are_right_beyond_2_to_the_32) {
  using policy = default_segments_policy;
  const std::int64_t n = (std::int64_t{1} << 32) + policy::tile_items<std::uint8_t> + 1;
  for (const std::int64_t length : {std::int64_t{5}, std::int64_t{1'000'003}, n}) check(n, length);
}

class segments_in_a_graph : public gpu_test {};

// By offsets, and by begins and ends with both counts in device memory.
TEST_F(segments_in_a_graph, are_right_in_each_replay) {
  using stream = cudaStream_t;
  test_device<stream> d(test_device<stream>::ways().front());
  constexpr std::int64_t most = 50'000, most_segments = 400;
  const auto items = random_items<std::uint32_t>(most, 3);
  const guarded_array<std::uint32_t, stream> in(d, items);
  guarded_array<std::uint32_t, stream> by_offsets(d, most), by_bounds(d, most);
  guarded_array<std::int64_t, stream> offsets(d, most_segments + 1), counts(d, 2);
  const std::uint32_t* const from = in.data();
  const std::int64_t *const begins = offsets.data(), *const ends = begins + 1;
  const device_count n{counts.data(), most}, segments{counts.data() + 1, most_segments};
  const std::size_t bytes =
      inclusive_sum_segmented_workspace_bytes(from, begins, by_offsets.data(), most, most_segments);
  const std::size_t more = inclusive_sum_segmented_workspace_bytes(from, by_bounds.data(), begins, ends, n, segments);
  guarded_array<unsigned char, stream> work(d, bytes, 5), work_too(d, more, 3);
  const captured_graph graph(d.stream(), [&] {
    const cudaError_t e = inclusive_sum_segmented(workspace{work.data(), bytes}, from, begins, by_offsets.data(), most,
                                                  most_segments, d.stream());
    if (e != cudaSuccess) return e;
    return inclusive_sum_segmented(workspace{work_too.data(), more}, from, by_bounds.data(), begins, ends, n, segments,
                                   d.stream());
  });
  const auto before = by_offsets.items(), before_too = by_bounds.items();
  random_source random(5);
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    constexpr std::uint64_t longest[] = {3, 100, 5000};
    std::vector<std::int64_t> offset{static_cast<std::int64_t>(random.below(50))};
    while (offset.size() <= most_segments) {
      offset.push_back(std::min(most, offset.back() + static_cast<std::int64_t>(random.below(longest[i % 3] + 1))));
    }
    const auto some = static_cast<std::int64_t>(random.below(most + 9)),
               of_segments = static_cast<std::int64_t>(random.below(most_segments + 9));
    offsets.set(offset), counts.set({some, of_segments});
    by_offsets.set(before), by_bounds.set(before_too);
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(d.stream()), cudaSuccess);
    auto expected = before, expected_too = before_too;
    for (std::size_t s = 0; s < most_segments; ++s) {
      std::uint32_t sum = 0;
      const bool is_there = static_cast<std::int64_t>(s) < of_segments && offset[s + 1] <= some;
      for (auto at = static_cast<std::size_t>(offset[s]); at < static_cast<std::size_t>(offset[s + 1]); ++at) {
        sum += items[at];
        expected[at] = sum;
        if (is_there) expected_too[at] = sum;
      }
    }
    ASSERT_TRUE(same_items(by_offsets.items(), expected));
    ASSERT_TRUE(same_items(by_bounds.items(), expected_too));
  }
  work.expect_guards();
  work_too.expect_guards();
}

}  // namespace
}  // namespace upsweep::test
