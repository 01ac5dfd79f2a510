// Keys that Thrust's iterators make.
#include <gtest/gtest.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

struct point {
  float x, y, z;
};
struct distance_to {
  point eye;
  __host__ __device__ float operator()(const point& p) const {
    const float x = p.x - eye.x, y = p.y - eye.y, z = p.z - eye.z;
    return x * x + y * y + z * z;
  }
};

using device = test_device<cudaStream_t>;

void sort_by_distance(device& d, std::size_t n) {
  random_source random(n);
  std::vector<point> points(n);
  // Few whole numbers: no rounding, and many equal distances.
  for (point& p : points) {
    for (float* c : {&p.x, &p.y, &p.z}) *c = static_cast<float>(random() % 64) - 32;
  }
  const distance_to distance{{1, -2, 3}};
  std::vector<float> keys;
  for (const point& p : points) keys.push_back(distance(p));
  const auto places = sorted_places(keys, sort_order::ascending, key_less<float>);
  std::vector<float> sorted;
  for (const std::uint32_t p : places) sorted.push_back(keys[p]);
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);

  guarded_array<point, cudaStream_t> in(d, points);
  guarded_array<std::uint32_t, cudaStream_t> values_in(d, values), values_out(d, n);
  guarded_array<float, cudaStream_t> out(d, n);
  const auto from = thrust::make_transform_iterator(static_cast<const point*>(in.data()), distance);
  const auto count = static_cast<std::int64_t>(n);
  const std::size_t bytes = sort_pairs_workspace_bytes(from, out.data(), values_in.data(), values_out.data(), count);
  guarded_array<unsigned char, cudaStream_t> work(d, bytes, 1);
  ASSERT_EQ(static_cast<status>(sort_pairs(workspace{work.data(), bytes}, from, out.data(),
                                           static_cast<const std::uint32_t*>(values_in.data()), values_out.data(),
                                           count, sort_order::ascending, {}, d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(out.items(), sorted));
  EXPECT_TRUE(same_items(values_out.items(), places));
  work.expect_guards();
  in.expect_unchanged();
}

void sort_counted_keys(device& d, std::size_t n) {
  std::vector<std::uint64_t> expected(n);
  std::iota(expected.rbegin(), expected.rend(), std::uint64_t{7});
  guarded_array<std::uint64_t, cudaStream_t> out(d, n);
  const auto count = static_cast<std::int64_t>(n);
  const auto from = thrust::make_counting_iterator(std::uint64_t{7});
  const std::size_t bytes = sort_keys_workspace_bytes(from, out.data(), count, sort_order::descending);
  guarded_array<unsigned char, cudaStream_t> work(d, bytes, 1);
  ASSERT_EQ(static_cast<status>(sort_keys(workspace{work.data(), bytes}, from, out.data(), count,
                                          sort_order::descending, {}, d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(out.items(), expected));
  work.expect_guards();
}

/// By one block, by a cluster where there is one, and by way of the workspace.
template <class Body>
bool for_all_sizes(const char* claim, Body body) {
  add_test<cudaStream_t>("sort/thrust_iterators", claim, [body](device& d) {
    for (const std::size_t n : {1000, 30000, 200000}) {
      SCOPED_TRACE(n);
      body(d, n);
    }
  });
  return true;
}
const bool added = for_all_sizes("transformed", sort_by_distance) && for_all_sizes("counted", sort_counted_keys);

}  // namespace
}  // namespace upsweep::test
