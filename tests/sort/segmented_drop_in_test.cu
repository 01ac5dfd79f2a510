// upsweep::drop_in::DeviceSegmentedSort and DeviceSegmentedRadixSort beside cub's.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contracts/segmented_sort_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "sort/both_phases.cuh"
#include "upsweep/sort/drop_in.cuh"

namespace upsweep::test {
namespace {

class drop_in_segments : public gpu_test {};

/// Lengths of every kind of segment, and gaps between them.
segments_of_lengths segments_of_all_kinds() {
  random_source random(3);
  std::vector<std::int64_t> lengths{0, 1, 600, 3000, 70'000, 0};
  for (int i = 0; i < 300; ++i) lengths.push_back(static_cast<std::int64_t>(random() % (i % 3 == 0 ? 700 : 40)));
  lengths.push_back(0);
  return segments_of_lengths(lengths, 2);
}

using words = guarded_array<std::uint32_t, cudaStream_t>;

/// What a program written for CUB leaves in memory, a call after the other.
template <class DeviceSegmentedSort, class DeviceSegmentedRadixSort, template <class> class Buffer>
std::vector<std::uint32_t> sort_by(test_device<cudaStream_t>& d, const std::vector<float>& numbers) {
  const segments_of_lengths segments = segments_of_all_kinds();
  const auto n = static_cast<std::int64_t>(segments.n()), all = static_cast<std::int64_t>(segments.begins.size());
  const guarded_array<std::int64_t, cudaStream_t> begins(d, segments.begins), ends(d, segments.ends);
  const std::int64_t *b = begins.data(), *e = ends.data();
  const guarded_array<float, cudaStream_t> keys(d, numbers);
  const float* const in = keys.data();
  std::vector<std::uint32_t> places(segments.n());
  std::iota(places.begin(), places.end(), 0u);
  const words values(d, places);
  const std::uint32_t* const values_in = values.data();

  std::vector<std::uint32_t> seen;
  const auto see = [&](const float* k, const std::uint32_t* v) {
    std::vector<std::uint32_t> key_bits(segments.n()), value_words(segments.n());
    ASSERT_EQ(cudaMemcpy(key_bits.data(), k, 4 * segments.n(), cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(value_words.data(), v, 4 * segments.n(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t s = 0; s < segments.begins.size(); ++s) {
      seen.insert(seen.end(), key_bits.begin() + segments.begins[s], key_bits.begin() + segments.ends[s]);
      seen.insert(seen.end(), value_words.begin() + segments.begins[s], value_words.begin() + segments.ends[s]);
    }
  };
  const auto run = [&](auto call) {
    const device_array<float> keys_out(segments.n());
    const device_array<std::uint32_t> values_out(segments.n());
    ASSERT_EQ(cudaMemset(values_out.data(), 0, 4 * segments.n()), cudaSuccess);
    both_phases(
        [&](void* storage, std::size_t& bytes) { return call(storage, bytes, keys_out.data(), values_out.data()); });
    see(keys_out.data(), values_out.data());
  };
  const auto run_buffers = [&](auto call) {
    const device_array<float> a(segments.n()), c(segments.n());
    const device_array<std::uint32_t> x(segments.n()), y(segments.n());
    ASSERT_EQ(cudaMemcpy(a.data(), in, 4 * segments.n(), cudaMemcpyDeviceToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(x.data(), values_in, 4 * segments.n(), cudaMemcpyDeviceToDevice), cudaSuccess);
    Buffer<float> k(a.data(), c.data());
    Buffer<std::uint32_t> v(x.data(), y.data());
    both_phases([&](void* storage, std::size_t& bytes) { return call(storage, bytes, k, v); });
    see(k.Current(), v.Current());
  };
  using sort = DeviceSegmentedSort;
  using radix = DeviceSegmentedRadixSort;
  const cudaStream_t stream = d.stream();
  run([&](void* w, std::size_t& z, float* k, std::uint32_t*) { return sort::SortKeys(w, z, in, k, n, all, b, e); });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t*) {
    return sort::SortKeysDescending(w, z, in, k, n, all, b, e, stream);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t*) {
    return sort::StableSortKeys(w, z, in, k, n, all, b, e, stream);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t* v) {
    return sort::StableSortPairs(w, z, in, k, values_in, v, n, all, b, e);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t* v) {
    return sort::StableSortPairsDescending(w, z, in, k, values_in, v, n, all, b, e, stream);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t* v) {
    return radix::SortPairs(w, z, in, k, values_in, v, n, all, b, e);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t* v) {
    return radix::SortPairsDescending(w, z, in, k, values_in, v, n, all, b, e, 20, 32, stream);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t*) {
    return radix::SortKeys(w, z, in, k, n, all, b, e, 0, 32, stream);
  });
  run([&](void* w, std::size_t& z, float* k, std::uint32_t*) {
    return radix::SortKeysDescending(w, z, in, k, n, all, b, e);
  });
  run_buffers([&](void* w, std::size_t& z, Buffer<float>& k, Buffer<std::uint32_t>&) {
    return sort::SortKeys(w, z, k, n, all, b, e);
  });
  run_buffers([&](void* w, std::size_t& z, Buffer<float>& k, Buffer<std::uint32_t>& v) {
    return sort::StableSortPairsDescending(w, z, k, v, n, all, b, e, stream);
  });
  run_buffers([&](void* w, std::size_t& z, Buffer<float>& k, Buffer<std::uint32_t>& v) {
    return radix::SortPairs(w, z, k, v, n, all, b, e, 3, 31);
  });
  run_buffers([&](void* w, std::size_t& z, Buffer<float>& k, Buffer<std::uint32_t>&) {
    return radix::SortKeysDescending(w, z, k, n, all, b, e, 0, 32, stream);
  });
  return seen;
}

TEST_F(drop_in_segments, give_what_cubs_give) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways()[0]);
  std::vector<float> numbers;
  for (const std::int32_t k : random_items<std::int32_t>(segments_of_all_kinds().n(), 5)) {
    numbers.push_back(static_cast<float>(k % 1000) / 8);
  }
  const auto expected = sort_by<cub::DeviceSegmentedSort, cub::DeviceSegmentedRadixSort, cub::DoubleBuffer>(d, numbers);
  const auto got =
      sort_by<drop_in::DeviceSegmentedSort, drop_in::DeviceSegmentedRadixSort, drop_in::DoubleBuffer>(d, numbers);
  EXPECT_TRUE(same_items(got, expected));
}

TEST_F(drop_in_segments, need_storage_and_arrays) {
  std::size_t bytes = 0;
  const device_array<std::uint32_t> in(5), out(5);
  const device_array<int> offsets(2);
  using sort = drop_in::DeviceSegmentedSort;
  ASSERT_EQ(sort::SortKeys(nullptr, bytes, in.data(), out.data(), 5, 1, offsets.data(), offsets.data() + 1),
            cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  EXPECT_EQ(sort::SortKeys(storage.data(), bytes, in.data(), in.data(), 5, 1, offsets.data(), offsets.data() + 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(sort::SortKeys(storage.data(), bytes, in.data(), out.data(), -1, 1, offsets.data(), offsets.data() + 1),
            cudaErrorInvalidValue);
}

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
TEST_F(drop_in_segments, take_memory_from_the_pool_of_the_environments_stream) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways()[0]);
  words in(d, std::vector<std::uint32_t>{3, 1, 2, 9, 8});
  words out(d, 5), values(d, 5), spare(d, 5), more(d, 5);
  const guarded_array<int, cudaStream_t> offsets(d, std::vector<int>{0, 3, 5});
  const int *const b = offsets.data(), *const e = b + 1;
  const std::uint32_t* const keys = in.data();
  const ::cuda::stream_ref stream{d.stream()};
  using sort = drop_in::DeviceSegmentedSort;
  using radix = drop_in::DeviceSegmentedRadixSort;
  const std::vector<std::uint32_t> up{1, 2, 3, 8, 9}, down{3, 2, 1, 9, 8};
  const auto expect = [&](cudaError_t answer, words& got, const std::vector<std::uint32_t>& expected) {
    EXPECT_EQ(answer, cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(got.items(), expected);
    got.set(std::vector<std::uint32_t>(5, 7));
  };
  expect(sort::SortKeys(keys, out.data(), 5, 2, b, e), out, up);
  expect(sort::SortKeys(keys, out.data(), 5, 2, b, e, stream), out, up);
  expect(sort::SortKeys(keys, out.data(), 5, 2, b, e, d.stream()), out, up);
  expect(sort::SortKeysDescending(keys, out.data(), 5, 2, b, e, stream), out, down);
  expect(sort::StableSortKeys(keys, out.data(), 5, 2, b, e, stream), out, up);
  expect(sort::StableSortKeysDescending(keys, out.data(), 5, 2, b, e), out, down);
  expect(sort::SortPairs(keys, out.data(), keys, values.data(), 5, 2, b, e, stream), values, up);
  expect(sort::SortPairsDescending(keys, out.data(), keys, values.data(), 5, 2, b, e), values, down);
  expect(sort::StableSortPairs(keys, out.data(), keys, values.data(), 5, 2, b, e), values, up);
  expect(sort::StableSortPairsDescending(keys, out.data(), keys, values.data(), 5, 2, b, e, stream), values, down);
  expect(radix::SortKeys(keys, out.data(), 5, 2, b, e), out, up);
  expect(radix::SortKeysDescending(keys, out.data(), 5, 2, b, e, 0, 32, stream), out, down);
  expect(radix::SortPairs(keys, out.data(), keys, values.data(), 5, 2, b, e, 0, 4), values, up);
  expect(radix::SortPairsDescending(keys, out.data(), keys, values.data(), 5, 2, b, e, 0, 4, stream), values, down);
  spare.set(in.items());
  drop_in::DoubleBuffer<std::uint32_t> buffer(spare.data(), out.data()), of_values(out.data(), values.data());
  expect(sort::SortKeys(buffer, 5, 2, b, e, stream), out, up);
  EXPECT_EQ(buffer.Current(), out.data());
  out.set(in.items());
  of_values = drop_in::DoubleBuffer<std::uint32_t>(values.data(), more.data());
  values.set(in.items());
  expect(radix::SortPairsDescending(buffer, of_values, 5, 2, b, e, 0, 32, stream), more, down);
  EXPECT_EQ(spare.items(), down);
}
#endif

}  // namespace
}  // namespace upsweep::test
