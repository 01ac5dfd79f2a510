// upsweep::drop_in::DeviceTopK, where the headers in use have what it takes, beside a sort and, where it is there,
// cub::DeviceTopK.
#include "upsweep/sort/drop_in.cuh"

#if defined(UPSWEEP_HAS_DEVICE_TOP_K)
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#endif

#include <cuda/__execution/determinism.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "contracts/top_k_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "sort/both_phases.cuh"

namespace upsweep::test {
namespace {

class drop_in_top_k : public gpu_test {};

struct money {
  std::int32_t euros;
  std::uint32_t cents;
};
struct fields_of_money {
  UPSWEEP_HOST_DEVICE ::cuda::std::tuple<std::int32_t&, std::uint32_t&> operator()(money& m) const {
    return {m.euros, m.cents};
  }
};

/// What a program written for cub::DeviceTopK leaves in memory, of keys and of pairs, largest and least.
template <class DeviceTopK, class Env>
std::vector<std::vector<float>> all_calls(test_device<cudaStream_t>& d, const std::vector<float>& items, int k,
                                          const Env& env) {
  using floats = guarded_array<float, cudaStream_t>;
  const floats in(d, items);
  floats largest(d, k), least(d, k), of_pairs(d, k), values(d, k);
  const auto n = static_cast<int>(items.size());
  both_phases([&](void* storage, std::size_t& bytes) {
    return DeviceTopK::MaxKeys(storage, bytes, in.data(), largest.data(), n, k, env);
  });
  both_phases([&](void* storage, std::size_t& bytes) {
    return DeviceTopK::MinKeys(storage, bytes, in.data(), least.data(), n, k, env);
  });
  std::vector<std::vector<float>> results{largest.items(), least.items()};
  for (const bool max : {true, false}) {
    both_phases([&](void* storage, std::size_t& bytes) {
      return max ? DeviceTopK::MaxPairs(storage, bytes, in.data(), of_pairs.data(), in.data(), values.data(), n, k, env)
                 : DeviceTopK::MinPairs(storage, bytes, in.data(), of_pairs.data(), in.data(), values.data(), n, k,
                                        env);
    });
    results.push_back(of_pairs.items());
    results.push_back(values.items());
  }
  return results;
}

TEST_F(drop_in_top_k, is_sorted_whatever_is_required) {
  namespace execution = ::cuda::execution;
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways().front());
  const auto items = random_keys<float>(70'000, "few_values");
  const int k = 500;
  auto down = items, up = items;
  std::stable_sort(down.begin(), down.end(), [](float a, float b) { return key_less(b, a); });
  std::stable_sort(up.begin(), up.end(), key_less<float>);
  down.resize(k);
  up.resize(k);
  const std::vector<std::vector<float>> expected{down, up, down, down, up, up};
  const auto expect_sorted = [&](const auto& got) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(same_items(as_bits(got[i]), as_bits(expected[i]))) << i;
  };
  const auto unsorted =
      execution::require(execution::determinism::not_guaranteed, execution::output_ordering::unsorted);
  expect_sorted(all_calls<drop_in::DeviceTopK>(d, items, k, ::cuda::std::execution::env<>{}));
  expect_sorted(all_calls<drop_in::DeviceTopK>(d, items, k, unsorted));
  expect_sorted(all_calls<drop_in::DeviceTopK>(d, items, k, execution::require(execution::output_ordering::sorted)));
#if __has_include(<cub/device/device_topk.cuh>)
  auto by_cub = all_calls<cub::DeviceTopK>(d, items, k, unsorted);
  for (std::size_t i = 0; i < by_cub.size(); ++i) {
    const bool is_max = expected[i] == down;
    std::stable_sort(by_cub[i].begin(), by_cub[i].end(),
                     [&](float a, float b) { return is_max ? key_less(b, a) : key_less(a, b); });
  }
  expect_sorted(by_cub);
#endif
}

TEST_F(drop_in_top_k, takes_memory_itself_and_decomposers) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways().front());
  std::vector<money> items(50'000);
  random_source random(3);
  for (money& m : items) m = {static_cast<std::int32_t>(random() % 7) - 3, static_cast<std::uint32_t>(random() % 90)};
  const guarded_array<money, cudaStream_t> in(d, items);
  guarded_array<money, cudaStream_t> out(d, 20);
  ASSERT_EQ(drop_in::DeviceTopK::MaxKeys(in.data(), out.data(), 50'000, 20, fields_of_money{}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::stable_sort(items.begin(), items.end(),
                   [](money a, money b) { return std::tie(b.euros, b.cents) < std::tie(a.euros, a.cents); });
  const auto got = out.items();
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].euros, items[i].euros);
    EXPECT_EQ(got[i].cents, items[i].cents);
  }
}

}  // namespace
}  // namespace upsweep::test
#endif
