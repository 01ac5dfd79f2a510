#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "contracts/top_k_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = [] {
  add_top_k_contract<default_top_k_policy, cudaStream_t, true>("top_k", 1 << 15, 8192);
  return true;
}();

class top_k_on_the_gpu : public gpu_test {};

// Small and large samples, few and many items kept, and all of them.
TEST_F(top_k_on_the_gpu, replays_a_graph_with_counts_that_change) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways().front());
  constexpr std::int64_t most_items = 2'500'000, most_wanted = 20'000;
  auto keys = random_items<std::uint32_t>(most_items, 4);
  for (std::uint32_t& k : keys) k >>= 10;  // equal ones
  const guarded_array<std::uint32_t, cudaStream_t> in(d, keys);
  guarded_array<std::uint32_t, cudaStream_t> places(d, most_wanted);
  guarded_array<std::int64_t, cudaStream_t> counts(d, 2);
  const std::uint32_t* const from = in.data();
  const device_count<std::int64_t> n{counts.data(), most_items}, k{counts.data() + 1, most_wanted};
  const std::size_t bytes = top_k_indices_workspace_bytes(from, places.data(), n, k);
  guarded_array<unsigned char, cudaStream_t> work(d, bytes, 5);
  const captured_graph graph(d.stream(), [&] {
    return top_k_indices(workspace{work.data(), bytes}, from, places.data(), n, k, sort_order::ascending, bit_range{},
                         d.stream());
  });
  random_source random(7);
  const std::vector<std::uint32_t> untouched = places.items();
  for (int replay = 0; replay < 100; ++replay) {
    const std::int64_t limits[] = {1000, 50'000, 300'000, most_items + 9};
    const auto items = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limits[replay % 4]));
    const auto wanted = static_cast<std::int64_t>(random() % (replay % 3 == 0 ? 40 : 25'000));
    counts.set({items, wanted});
    places.set(untouched);
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    std::vector<std::uint32_t> all(static_cast<std::size_t>(std::min(items, most_items)));
    std::iota(all.begin(), all.end(), 0u);
    const auto first = std::min({all.size(), static_cast<std::size_t>(wanted), static_cast<std::size_t>(most_wanted)});
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        return std::pair{keys[a], a} < std::pair{keys[b], b};
                      });
    all.resize(first);
    ASSERT_TRUE(same_items(places.items(), with_places(untouched, all))) << wanted << " of " << items;
  }
  work.expect_guards();
}

TEST_F(top_k_on_the_gpu, of_more_than_2_32_keys) {
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 12'345, k = 300;
  const device_array<std::uint8_t> keys(n);
  const device_array<std::int64_t> places(k);
  const std::uint8_t* const from = keys.data();
  const std::size_t bytes = top_k_indices_workspace_bytes(from, places.data(), n, k);
  const device_array<unsigned char> work(bytes);
  if (!keys.ok() || !places.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  ASSERT_EQ(cudaMemset(keys.data(), 3, keys.bytes()), cudaSuccess);
  std::vector<std::int64_t> expected{77, std::int64_t{3} << 30, (std::int64_t{1} << 32) - 1,
                                     (std::int64_t{1} << 32) + 5, n - 1};
  for (const std::int64_t place : expected) ASSERT_EQ(cudaMemset(keys.data() + place, 200, 1), cudaSuccess);
  for (std::int64_t place = 0; expected.size() < k; ++place) {
    if (place != 77) expected.push_back(place);
  }
  ASSERT_EQ(top_k_indices(workspace{work.data(), bytes}, from, places.data(), n, k), cudaSuccess);
  std::vector<std::int64_t> got(k);
  ASSERT_EQ(cudaMemcpy(got.data(), places.data(), k * sizeof(std::int64_t), cudaMemcpyDefault), cudaSuccess);
  EXPECT_TRUE(same_items(got, expected));
}

}  // namespace
}  // namespace upsweep::test
