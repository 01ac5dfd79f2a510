// upsweep::drop_in::DeviceSegmentedScan beside a loop and, where it is there, cub::DeviceSegmentedScan.
#include "upsweep/scan/drop_in.cuh"

#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#endif

#include <cuda/std/functional>

#include <cstdint>
#include <optional>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "sort/both_phases.cuh"
#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"

namespace upsweep::test {
namespace {

class drop_in_segments : public gpu_test {};

using bounds = std::vector<std::int64_t>;

/// What a program written for cub::DeviceSegmentedScan leaves in memory: each overload with temporary storage.
template <class DeviceSegmentedScan>
std::vector<std::vector<affine>> all_scans(test_device<cudaStream_t>& d, const std::vector<affine>& items,
                                           const bounds& begin, const bounds& end, const bounds& elsewhere,
                                           const affine& init) {
  const guarded_array<affine, cudaStream_t> in(d, items);
  const guarded_array<std::int64_t, cudaStream_t> begins(d, begin), ends(d, end), others(d, elsewhere);
  const auto segments = static_cast<std::int64_t>(begin.size());
  std::vector<std::vector<affine>> results;
  const auto keep = [&](auto call) {
    guarded_array<affine, cudaStream_t> out(d, items.size());
    out.set(std::vector<affine>(items.size()));
    both_phases([&](void* storage, std::size_t& bytes) { return call(storage, bytes, out.data()); });
    results.push_back(out.items());
  };
  const compose op{};
  for (const bool same : {true, false}) {
    keep([&](void* storage, std::size_t& bytes, affine* out) {
      return same ? DeviceSegmentedScan::ExclusiveSegmentedScan(storage, bytes, in.data(), out, begins.data(),
                                                                ends.data(), segments, op, init)
                  : DeviceSegmentedScan::ExclusiveSegmentedScan(storage, bytes, in.data(), out, begins.data(),
                                                                ends.data(), others.data(), segments, op, init);
    });
    keep([&](void* storage, std::size_t& bytes, affine* out) {
      return same ? DeviceSegmentedScan::InclusiveSegmentedScan(storage, bytes, in.data(), out, begins.data(),
                                                                ends.data(), segments, op)
                  : DeviceSegmentedScan::InclusiveSegmentedScan(storage, bytes, in.data(), out, begins.data(),
                                                                ends.data(), others.data(), segments, op);
    });
    keep([&](void* storage, std::size_t& bytes, affine* out) {
      return same ? DeviceSegmentedScan::InclusiveSegmentedScanInit(storage, bytes, in.data(), out, begins.data(),
                                                                    ends.data(), segments, op, init)
                  : DeviceSegmentedScan::InclusiveSegmentedScanInit(storage, bytes, in.data(), out, begins.data(),
                                                                    ends.data(), others.data(), segments, op, init);
    });
  }
  return results;
}

/// Sums of bytes, in place, and to what no byte holds.
template <class DeviceSegmentedScan>
std::vector<std::vector<int>> all_sums(test_device<cudaStream_t>& d, const std::vector<std::uint8_t>& items,
                                       const bounds& begin, const bounds& end, const bounds& elsewhere) {
  const guarded_array<std::uint8_t, cudaStream_t> in(d, items);
  const guarded_array<std::int64_t, cudaStream_t> begins(d, begin), ends(d, end), others(d, elsewhere);
  const auto segments = static_cast<std::int64_t>(begin.size());
  guarded_array<int, cudaStream_t> out(d, std::vector<int>(items.size()));
  std::vector<std::vector<int>> results;
  const auto keep = [&](auto call) {
    both_phases(call);
    results.push_back(out.items());
  };
  keep([&](void* storage, std::size_t& bytes) {
    return DeviceSegmentedScan::ExclusiveSegmentedSum(storage, bytes, in.data(), out.data(), begins.data(), ends.data(),
                                                      segments);
  });
  keep([&](void* storage, std::size_t& bytes) {
    return DeviceSegmentedScan::InclusiveSegmentedSum(storage, bytes, out.data(), out.data(), begins.data(),
                                                      ends.data(), segments, d.stream());
  });
  keep([&](void* storage, std::size_t& bytes) {
    return DeviceSegmentedScan::ExclusiveSegmentedSum(storage, bytes, in.data(), out.data(), begins.data(), ends.data(),
                                                      others.data(), segments, d.stream());
  });
  keep([&](void* storage, std::size_t& bytes) {
    return DeviceSegmentedScan::InclusiveSegmentedSum(storage, bytes, in.data(), out.data(), begins.data(), ends.data(),
                                                      others.data(), segments);
  });
  return results;
}

/// A loop over the segments, which begin at `to` in `out`. Init: null where there is none.
template <class T, class U, class Op>
void scan_by_a_loop(const std::vector<T>& in, std::vector<U>& out, const bounds& begin, const bounds& end,
                    const bounds& to, Op op, const U* init, bool inclusive) {
  for (std::size_t s = 0; s < begin.size(); ++s) {
    std::optional<U> sum;
    if (init != nullptr) sum = *init;
    for (std::int64_t i = begin[s]; i < end[s]; ++i) {
      U& place = out[static_cast<std::size_t>(to[s] + i - begin[s])];
      const U item = static_cast<U>(in[static_cast<std::size_t>(i)]);
      if (!inclusive) place = *sum;
      sum = sum ? static_cast<U>(op(*sum, item)) : item;
      if (inclusive) place = *sum;
    }
  }
}

TEST_F(drop_in_segments, are_scanned_as_by_a_loop_and_by_cub) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways().front());
  for (const std::uint64_t longest : {20u, 3000u, 150'000u}) {
    SCOPED_TRACE(longest);
    constexpr std::size_t n = 400'000;
    random_source random(longest);
    bounds begin, end, elsewhere;
    for (std::int64_t at = 3; at < static_cast<std::int64_t>(n) - 200'000;) {
      const auto length = static_cast<std::int64_t>(random.below(longest));
      begin.push_back(at);
      end.push_back(at + length);
      elsewhere.push_back(at + 50'000);
      at += length + 1 + static_cast<std::int64_t>(random.below(9));
    }
    const auto items = random_items<affine>(n);
    const affine init{3, 7};
    const auto ours = all_scans<drop_in::DeviceSegmentedScan>(d, items, begin, end, elsewhere, init);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      std::vector<affine> expected(n);
      scan_by_a_loop(items, expected, begin, end, i < 3 ? begin : elsewhere, compose{}, i % 3 == 1 ? nullptr : &init,
                     i % 3 != 0);
      EXPECT_TRUE(same_items(ours[i], expected)) << i;
    }
    const auto bytes = random_items<std::uint8_t>(n);
    const auto sums = all_sums<drop_in::DeviceSegmentedScan>(d, bytes, begin, end, elsewhere);
    std::vector<int> expected(n);
    const int none = 0;
    const ::cuda::std::plus<> plus{};
    scan_by_a_loop(bytes, expected, begin, end, begin, plus, &none, false);
    EXPECT_TRUE(same_items(sums[0], expected));
    scan_by_a_loop(std::vector<int>(expected), expected, begin, end, begin, plus, &none, true);
    EXPECT_TRUE(same_items(sums[1], expected));
    scan_by_a_loop(bytes, expected, begin, end, elsewhere, plus, &none, false);
    EXPECT_TRUE(same_items(sums[2], expected));
    scan_by_a_loop(bytes, expected, begin, end, elsewhere, plus, &none, true);
    EXPECT_TRUE(same_items(sums[3], expected));
#if __has_include(<cub/device/device_segmented_scan.cuh>)
    const auto theirs = all_scans<cub::DeviceSegmentedScan>(d, items, begin, end, elsewhere, init);
    for (std::size_t i = 0; i < theirs.size(); ++i) EXPECT_TRUE(same_items(ours[i], theirs[i])) << i;
    const auto their_sums = all_sums<cub::DeviceSegmentedScan>(d, bytes, begin, end, elsewhere);
    for (std::size_t i = 0; i < their_sums.size(); ++i) EXPECT_TRUE(same_items(sums[i], their_sums[i])) << i;
#endif
  }
}

TEST_F(drop_in_segments, that_are_none_or_whose_storage_is_too_small) {
  const device_array<int> data(1000), bounds(2);
  ASSERT_EQ(cudaMemset(data.data(), 0, data.bytes()), cudaSuccess);
  ASSERT_EQ(cudaMemset(bounds.data(), 0, bounds.bytes()), cudaSuccess);
  using calls = drop_in::DeviceSegmentedScan;
  std::size_t bytes = 0;
  const auto sum = [&](void* storage, std::int64_t segments, const int* begins) {
    return calls::InclusiveSegmentedSum(storage, bytes, data.data(), data.data(), begins, bounds.data(), segments);
  };
  ASSERT_EQ(sum(nullptr, 2, bounds.data()), cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  EXPECT_EQ(sum(storage.data(), 2, bounds.data()), cudaSuccess);
  EXPECT_EQ(sum(storage.data(), 0, nullptr), cudaSuccess);
  EXPECT_EQ(sum(storage.data(), 2, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(sum(storage.data(), -1, bounds.data()), cudaErrorInvalidValue);
  --bytes;
  EXPECT_EQ(sum(storage.data(), 2, bounds.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
TEST_F(drop_in_segments, take_memory_from_the_pool_of_the_environments_stream) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways().front());
  const std::vector<std::uint32_t> items(100'000, 1);
  const guarded_array<std::uint32_t, cudaStream_t> in(d, items);
  const guarded_array<int, cudaStream_t> offsets(d, std::vector<int>{0, 40'000, 100'000});
  guarded_array<std::uint32_t, cudaStream_t> out(d, items.size());
  using calls = drop_in::DeviceSegmentedScan;
  const int *const begins = offsets.data(), *const ends = begins + 1;
  const auto expect = [&](cudaError_t e, std::uint32_t first, std::uint32_t last) {
    EXPECT_EQ(e, cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto got = out.items();
    EXPECT_EQ(got[40'000], first);
    EXPECT_EQ(got[99'999], last);
  };
  const ::cuda::stream_ref stream{d.stream()};
  const ::cuda::std::plus<> plus{};
  expect(calls::ExclusiveSegmentedSum(in.data(), out.data(), begins, ends, 2), 0, 59'999);
  expect(calls::ExclusiveSegmentedSum(in.data(), out.data(), begins, ends, begins, 2, stream), 0, 59'999);
  expect(calls::ExclusiveSegmentedScan(in.data(), out.data(), begins, ends, 2, plus, 5u), 5, 60'004);
  expect(calls::ExclusiveSegmentedScan(in.data(), out.data(), begins, ends, begins, 2, plus, 5u, stream), 5, 60'004);
  expect(calls::InclusiveSegmentedSum(in.data(), out.data(), begins, ends, 2, stream), 1, 60'000);
  expect(calls::InclusiveSegmentedSum(in.data(), out.data(), begins, ends, begins, 2), 1, 60'000);
  expect(calls::InclusiveSegmentedScan(in.data(), out.data(), begins, ends, 2, plus), 1, 60'000);
  expect(calls::InclusiveSegmentedScan(in.data(), out.data(), begins, ends, begins, 2, plus, stream), 1, 60'000);
  expect(calls::InclusiveSegmentedScanInit(in.data(), out.data(), begins, ends, 2, plus, 5u), 6, 60'005);
  expect(calls::InclusiveSegmentedScanInit(in.data(), out.data(), begins, ends, begins, 2, plus, 5u), 6, 60'005);
}
#endif

}  // namespace
}  // namespace upsweep::test
