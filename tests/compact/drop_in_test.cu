// upsweep::drop_in::DeviceSelect and DevicePartition beside CUB's.
#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <type_traits>
#include <vector>

#include "compact/drop_in_program.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/guarded_array.hpp"
#include "upsweep/compact/drop_in.cuh"

namespace upsweep::test {
namespace {

class drop_in_select : public gpu_test {};

TEST_F(drop_in_select, gives_what_cub_gives) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (const std::size_t n : {0, 1, 4096, 100'003, (1 << 21) + 3}) {
    const program_results ours = select_with_upsweep(n, stream), theirs = select_with_cub(n, stream);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(same_items(ours[i].bytes, theirs[i].bytes)) << ours[i].call << ", n = " << n;
    }
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

struct is_multiple_of_seven {
  __host__ __device__ bool operator()(std::uint32_t i) const { return i % 7 == 0; }
};

/// As CUB's predicates may: by reference, and deduced from the item.
struct is_multiple_of_seven_by_reference {
  __device__ bool operator()(std::uint32_t& i) { return i % 7 == 0; }
};
struct is_multiple_of_seven_of_any_type {
  template <class Int>
  __device__ bool operator()(const Int& i) const {
    static_assert(std::is_same_v<Int, std::uint32_t>);
    return i % 7 == 0;
  }
};

TEST_F(drop_in_select, takes_thrusts_iterators) {
  constexpr std::uint32_t n = 100'003;
  const device_array<std::uint32_t> data(n);
  const device_array<int> count(1);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < n; i += 7) expected.push_back(i);
  const auto out = thrust::device_pointer_cast(data.data());
  const auto kept = thrust::device_pointer_cast(count.data());
  const thrust::counting_iterator<std::uint32_t> in(0);
  const auto expect = [&](auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
    const device_array<unsigned char> storage(bytes);
    EXPECT_EQ(call(storage.data(), bytes), cudaSuccess);
    int got = 0;
    EXPECT_EQ(cudaMemcpy(&got, count.data(), sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(static_cast<std::size_t>(got), expected.size());
    std::vector<std::uint32_t> items(expected.size());
    EXPECT_EQ(cudaMemcpy(items.data(), data.data(), items.size() * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_TRUE(same_items(items, expected));
  };
  expect([&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceSelect::If(storage, bytes, in, out, kept, n, is_multiple_of_seven{});
  });
  expect([&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceSelect::Flagged(storage, bytes, in,
                                          thrust::make_transform_iterator(in, is_multiple_of_seven{}), out, kept, n);
  });
  expect([&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceSelect::If(storage, bytes, in, out, kept, n, is_multiple_of_seven_by_reference{});
  });
  const device_array<std::uint32_t> second(n), rest(n);
  const device_array<int> counts(2);
  ASSERT_EQ(cudaMemset(counts.data(), 0, counts.bytes()),
            cudaSuccess);  // copied after the call that asks for bytes too
  expect([&](void* storage, std::size_t& bytes) {
    const cudaError_t e =
        drop_in::DevicePartition::If(storage, bytes, in, out, second.data(), rest.data(), counts.data(), n,
                                     is_multiple_of_seven_by_reference{}, is_multiple_of_seven_by_reference{});
    EXPECT_EQ(cudaMemcpy(count.data(), counts.data(), sizeof(int), cudaMemcpyDeviceToDevice), cudaSuccess);
    return e;
  });
  std::vector<std::uint32_t> all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
  ASSERT_EQ(cudaMemcpy(data.data(), all.data(), n * 4, cudaMemcpyHostToDevice), cudaSuccess);
  expect([&](void* storage, std::size_t& bytes) {  // in place
    return drop_in::DeviceSelect::If(storage, bytes, out, kept, n, is_multiple_of_seven{});
  });
  ASSERT_EQ(cudaMemcpy(data.data(), all.data(), n * 4, cudaMemcpyHostToDevice), cudaSuccess);
  expect([&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceSelect::If(storage, bytes, out, kept, n, is_multiple_of_seven_of_any_type{});
  });
}

TEST_F(drop_in_select, refuses_null_pointers_and_overlaps_whatever_the_types) {
  constexpr int n = 1000;
  const device_array<std::uint32_t> in(n), out(n), second(n), rest(n);
  const device_array<std::uint64_t> wide(n);
  const device_array<int> count(2);
  const device_array<unsigned char> storage(1 << 20);
  std::uint32_t* const none = nullptr;
  const is_multiple_of_seven op;
  const auto expect = [&](auto call) {
    std::size_t bytes = storage.bytes();
    EXPECT_EQ(call(storage.data(), bytes), cudaErrorInvalidValue);
  };
  const auto flagged = [&](const auto* items, const auto* flags, auto* to) {
    expect([&](void* s, std::size_t& b) {
      return drop_in::DeviceSelect::Flagged(s, b, items, flags, to, count.data(), n);
    });
    expect([&](void* s, std::size_t& b) {
      return drop_in::DevicePartition::Flagged(s, b, items, flags, to, count.data(), n);
    });
  };
  const auto selected = [&](const auto* items, auto* to) {
    expect([&](void* s, std::size_t& b) { return drop_in::DeviceSelect::If(s, b, items, to, count.data(), n, op); });
    expect([&](void* s, std::size_t& b) { return drop_in::DevicePartition::If(s, b, items, to, count.data(), n, op); });
  };
  flagged(in.data(), none, out.data());
  flagged(in.data(), none, wide.data());
  flagged(in.data(), out.data(), out.data());
  selected(none, wide.data());
  selected(in.data(), static_cast<std::uint64_t*>(nullptr));
  selected(wide.data(), reinterpret_cast<std::uint32_t*>(wide.data()));
  const auto three_ways = [&](const std::uint32_t* items, std::uint32_t* a, std::uint32_t* b, std::uint32_t* c) {
    expect([&](void* s, std::size_t& bytes) {
      return drop_in::DevicePartition::If(s, bytes, items, a, b, c, count.data(), n, op, op);
    });
  };
  three_ways(none, out.data(), second.data(), rest.data());
  three_ways(in.data(), none, second.data(), rest.data());
  three_ways(in.data(), out.data(), second.data(), none);
  three_ways(in.data(), out.data(), in.data() + n - 1, rest.data());
}

// Before a GPU is asked, so none is needed, and the host's memory will do.
TEST(drop_in_select_counts, are_refused_without_memory_of_their_own) {
  constexpr int n = 1000;
  std::vector<std::uint32_t> items(n), out(n), second(n), rest(n), flags(n);
  std::vector<unsigned char> storage(1 << 20);
  const std::uint32_t* const in = items.data();
  const auto in_place = thrust::device_pointer_cast(items.data());
  const is_multiple_of_seven op;
  const auto expect = [&](const char* call, auto answer) {
    std::size_t bytes = storage.size();
    EXPECT_EQ(answer(storage.data(), bytes), cudaErrorInvalidValue) << call;
  };
  const auto refuse = [&](int size, auto* count) {
    expect("If",
           [&](void* s, std::size_t& b) { return drop_in::DeviceSelect::If(s, b, in, out.data(), count, size, op); });
    expect("Flagged", [&](void* s, std::size_t& b) {
      return drop_in::DeviceSelect::Flagged(s, b, in, flags.data(), out.data(), count, size);
    });
    expect("Partition If", [&](void* s, std::size_t& b) {
      return drop_in::DevicePartition::If(s, b, in, out.data(), count, size, op);
    });
    expect("Partition If three ways", [&](void* s, std::size_t& b) {
      return drop_in::DevicePartition::If(s, b, in, out.data(), second.data(), rest.data(), count, size, op, op);
    });
  };
  const auto refuse_in_place = [&](int size, std::uint16_t* count) {
    expect("If in place, by an iterator",
           [&](void* s, std::size_t& b) { return drop_in::DeviceSelect::If(s, b, in_place, count, size, op); });
  };
  for (const int size : {0, n}) {
    refuse(size, static_cast<int*>(nullptr));
    refuse(size, static_cast<std::uint16_t*>(nullptr));
    refuse_in_place(size, nullptr);
  }
  for (std::uint32_t* const place : {&items.back(), &out.front()}) {
    refuse(n, reinterpret_cast<int*>(place));
    refuse(n, reinterpret_cast<std::uint16_t*>(place));
  }
  expect("Flagged, the count on flags", [&](void* s, std::size_t& b) {
    return drop_in::DeviceSelect::Flagged(s, b, in, flags.data(), out.data(),
                                          reinterpret_cast<std::uint16_t*>(&flags.back()), n);
  });
}

// CUB asks for room for what is kept, not for all items.
TEST_F(drop_in_select, takes_an_output_that_ends_with_what_is_kept) {
  constexpr int n = 7000, kept = n / 7;
  std::vector<std::uint32_t> expected(kept + n);  // and after it the items
  for (std::uint32_t i = 0; i < n; ++i) expected[kept + i] = i;
  const device_array<std::uint32_t> memory(expected.size());
  const device_array<int> count(1);
  ASSERT_EQ(cudaMemcpy(memory.data(), expected.data(), memory.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  const std::uint32_t* const in = memory.data() + kept;
  const auto call = [&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceSelect::If(storage, bytes, in, memory.data(), count.data(), n, is_multiple_of_seven{});
  };
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  ASSERT_EQ(call(storage.data(), bytes), cudaSuccess);
  for (std::uint32_t i = 0; i < kept; ++i) expected[i] = 7 * i;
  std::vector<std::uint32_t> got(expected.size());
  ASSERT_EQ(cudaMemcpy(got.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(same_items(got, expected));
}

TEST_F(drop_in_select, refuses_storage_one_byte_too_small) {
  const device_array<int> in(1000), out(1000), count(2);
  ASSERT_EQ(cudaMemset(in.data(), 0, in.bytes()), cudaSuccess);
  const auto expect = [](auto call) {
    std::size_t bytes = 0;
    ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
    const device_array<unsigned char> storage(bytes);
    EXPECT_EQ(call(storage.data(), bytes), cudaSuccess);
    --bytes;
    EXPECT_EQ(call(storage.data(), bytes), cudaErrorInvalidValue);
  };
  const auto select = [&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceSelect::Unique(storage, bytes, in.data(), out.data(), count.data(), 1000);
  };
  const auto partition = [&](void* storage, std::size_t& bytes) {
    return drop_in::DevicePartition::If(storage, bytes, in.data(), out.data(), out.data() + 500, out.data() + 800,
                                        count.data(), 1000, is_multiple_of_seven{}, is_multiple_of_seven{});
  };
  expect(select);
  expect(partition);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
TEST_F(drop_in_select, runs_take_memory_from_the_pool_of_the_environments_stream) {
  const std::vector<int> items{5, 5, 5, 1, 2, 2};
  const device_array<int> in(6), out(6), sums(6), count(1);
  ASSERT_EQ(cudaMemcpy(in.data(), items.data(), in.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  const auto expect = [&](cudaError_t e, const device_array<int>& a, std::vector<int> first, int runs) {
    EXPECT_EQ(e, cudaSuccess);
    std::vector<int> got(first.size()), found(1);
    EXPECT_EQ(cudaMemcpy(got.data(), a.data(), got.size() * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(found.data(), count.data(), sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(got, first);
    EXPECT_EQ(found[0], runs);
    EXPECT_EQ(cudaMemset(a.data(), 0, a.bytes()), cudaSuccess);
  };
  const ::cuda::stream_ref stream{cudaStream_t{}};
  using runs = drop_in::DeviceRunLengthEncode;
  using reduce = drop_in::DeviceReduce;
  expect(runs::Encode(in.data(), out.data(), sums.data(), count.data(), 6), sums, {3, 1, 2}, 3);
  expect(runs::Encode(in.data(), out.data(), sums.data(), count.data(), 6, stream), out, {5, 1, 2}, 3);
  expect(runs::NonTrivialRuns(in.data(), out.data(), sums.data(), count.data(), 6), out, {0, 4}, 2);
  expect(runs::NonTrivialRuns(in.data(), out.data(), sums.data(), count.data(), 6, stream), sums, {3, 2}, 2);
  expect(reduce::ReduceByKey(in.data(), out.data(), in.data(), sums.data(), count.data(), plus{}, 6), sums, {15, 1, 4},
         3);
  expect(reduce::ReduceByKey(in.data(), out.data(), in.data(), sums.data(), count.data(), plus{}, 6, stream), out,
         {5, 1, 2}, 3);
}
#endif

}  // namespace
}  // namespace upsweep::test
