#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "contracts/segmented_top_k_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"
#include "support/iterators.hpp"

namespace upsweep::test {
namespace {

/// A graph of a sort of segments and of the first k of each, replayed on other segments, other numbers of items and
/// segments, and another k.
void replay(test_device<cudaStream_t>& d) {
  constexpr std::int64_t most = 60'000, most_segments = 2'000, most_k = 20;
  using stream = cudaStream_t;
  guarded_array<std::uint32_t, stream> in(d, most), out(d, most);
  guarded_array<std::uint64_t, stream> values(d, most), values_out(d, most);
  guarded_array<std::int64_t, stream> begins(d, most_segments), ends(d, most_segments), counts(d, 3);
  guarded_array<std::uint32_t, stream> best(d, most_segments * most_k + 3);
  const std::uint32_t* const keys_in = in.data();
  const std::uint64_t* const values_in = values.data();
  const device_count n{counts.data(), most}, segments{counts.data() + 1, most_segments}, k{counts.data() + 2, most_k};
  constexpr auto order = sort_order::descending;
  const std::size_t bytes = segmented_sort_pairs_workspace_bytes(keys_in, out.data(), values_in, values_out.data(),
                                                                 begins.data(), ends.data(), n, segments, order),
                    more = segmented_top_k_keys_workspace_bytes(keys_in, best.data(), begins.data(), ends.data(), n,
                                                                segments, k, order);
  guarded_array<unsigned char, stream> work(d, bytes, 5), work_too(d, more, 3);
  const captured_graph graph(d.stream(), [&] {
    const cudaError_t e =
        segmented_sort_pairs(workspace{work.data(), bytes}, keys_in, out.data(), values_in, values_out.data(),
                             begins.data(), ends.data(), n, segments, order, bit_range{}, d.stream());
    if (e != cudaSuccess) return e;
    return segmented_top_k_keys(workspace{work_too.data(), more}, keys_in, best.data(), begins.data(), ends.data(), n,
                                segments, k, order, bit_range{}, d.stream());
  });
  const auto keys_before = out.items(), best_before = best.items();
  const auto values_before = values_out.items();
  std::vector<std::uint64_t> numbers(most);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{7} << 33);
  values.set(numbers);
  random_source random(7);
  for (std::uint64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    auto keys = random_items<std::uint32_t>(most, i + 1);
    for (std::uint32_t& key : keys) key = key % 50 * 0x01030507u;
    constexpr std::uint64_t longest[] = {3, 40, 700, 9'000, most};
    segment_ends begin, end;
    for (std::int64_t s = 0, at = 0; s < most_segments; ++s) {
      begin.push_back(at);
      at = std::min(most, at + static_cast<std::int64_t>(random.below(longest[i % 5] + 1)));
      end.push_back(at);
    }
    const auto items = static_cast<std::int64_t>(random.below(most + 9)),
               some = static_cast<std::int64_t>(random.below(most_segments + 9)),
               wanted = static_cast<std::int64_t>(random.below(most_k + 2));
    in.set(keys), begins.set(begin), ends.set(end), counts.set({items, some, wanted});
    out.set(keys_before), values_out.set(values_before), best.set(best_before);
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(d.stream()), cudaSuccess);
    const auto seen = std::min(items, most), of_segments = std::min(some, most_segments);
    const auto best_from = places_of_top_k(keys, seen, begin, end, static_cast<std::size_t>(of_segments), wanted,
                                           most_k, std::greater<>{});
    ASSERT_TRUE(same_items(best.items(), moved_items(best_before, keys, best_from)));
    begin.resize(static_cast<std::size_t>(of_segments)), end.resize(begin.size());
    const auto from = segmented_places(keys, seen, begin, end, std::greater<>{});
    ASSERT_TRUE(same_items(out.items(), moved_items(keys_before, keys, from)));
    ASSERT_TRUE(same_items(values_out.items(), moved_items(values_before, numbers, from)));
  }
  work.expect_guards();
  work_too.expect_guards();
}

const bool added = [] {
  add_segmented_sort_contract<segments_of_few_items, cudaStream_t>("segmented_sort",
                                                                   {512, 1024, 4096, 12288, 20480, 32768});
  add_test<cudaStream_t>("segmented_sort/replayed", "a_graph_on_segments_that_change", replay);
  return true;
}();

/// Adds to found[0] how many keys are smaller than the one before in their segment, and to found[1] what a hash of all
/// keys sums up to in `in` more than in `out`.
struct check_segments_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint8_t* in, const std::uint8_t* out,
                                 std::int64_t n, std::int64_t length, unsigned long long* found) const {
    unsigned long long descents = 0, sum = 0;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < n;
         i += block.num_blocks() * block_threads) {
      if (i % length != 0 && out[i - 1] > out[i]) ++descents;
      // Of the segment, too.
      const auto salt = static_cast<unsigned long long>(i / length) * 0x9e3779b97f4a7c15u;
      sum += (in[i] + 1 + salt) * (in[i] + 7 + salt) - (out[i] + 1 + salt) * (out[i] + 7 + salt);
    }
    if (descents > 0) block.atomic_add(found, descents);
    if (sum != 0) block.atomic_add(found + 1, sum);
  }
};

class segments_of_more_than_2_32_keys : public gpu_test {
 protected:
  void check(std::int64_t n, std::int64_t length) {
    SCOPED_TRACE(length);
    const std::int64_t segments = ceil_div(n, length);
    const steps offsets{1, length, n};
    const device_array<std::uint8_t> in(static_cast<std::size_t>(n)), out(static_cast<std::size_t>(n));
    const device_array<unsigned char> work(
        segmented_sort_keys_workspace_bytes(in.data(), out.data(), offsets, offsets + 1, n, segments));
    const device_array<unsigned long long> found(2);
    if (!in.ok() || !out.ok() || !work.ok() || !found.ok()) GTEST_SKIP() << "this GPU has too little memory";
    ASSERT_EQ(scramble<std::uint8_t>(nullptr, in.data(), n, 1), status::success);
    ASSERT_EQ(cudaMemset(work.data(), 0xff, work.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemset(found.data(), 0, found.bytes()), cudaSuccess);
    ASSERT_EQ(segmented_sort_keys(workspace{work.data(), work.bytes()}, static_cast<const std::uint8_t*>(in.data()),
                                  out.data(), offsets, offsets + 1, n, segments),
              cudaSuccess);
    ASSERT_EQ(
        cuda_executor(nullptr).launch(4096, check_segments_kernel{}, in.data(), out.data(), n, length, found.data()),
        status::success);
    unsigned long long wrong[2];
    ASSERT_EQ(cudaMemcpy(wrong, found.data(), sizeof wrong, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(wrong[0], 0u) << "keys out of order";
    EXPECT_EQ(wrong[1], 0u) << "other keys than those of the segment";
  }
};

TEST_F(segments_of_more_than_2_32_keys, are_sorted) {
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 12'345;
  for (const std::int64_t length : {std::int64_t{300}, std::int64_t{3000}, std::int64_t{1'000'003}, n})
    check(n, length);
}

}  // namespace
}  // namespace upsweep::test
