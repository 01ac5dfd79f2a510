// A program written for cub::DeviceSelect and cub::DevicePartition, every overload of 3.0.1, and for
// what is done with runs. Where `cub` comes from is
// left to those that include it.
#pragma once

#include <cstdint>
#include <vector>

#include "compact/drop_in_program.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/iterators.hpp"
#include "support/random_items.hpp"

namespace upsweep::test {
namespace {

/// Only a GPU has these, and their calls are not const.
struct device_multiple_of {
  std::uint32_t divisor;
  __device__ bool operator()(std::uint32_t x) { return x % divisor == 0; }
};
struct same_but_for_low_bits {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) { return a >> 3 == b >> 3; }
};

struct device_sum {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

/// The place of the i-th item from the end of an array.
struct backwards {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint32_t;
  using difference_type = std::int64_t;
  using pointer = value_type*;
  using reference = value_type&;

  std::uint32_t* end;
  UPSWEEP_HOST_DEVICE reference operator*() const { return (*this)[0]; }
  UPSWEEP_HOST_DEVICE reference operator[](std::int64_t i) const { return end[-1 - i]; }
  UPSWEEP_HOST_DEVICE backwards operator+(std::int64_t n) const { return {end - n}; }
};

/// The first half is one run, the others have 5 items on average.
std::vector<std::uint32_t> keys_of_runs(std::size_t n) {
  random_source random(n);
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = n / 2 + 1; i < n; ++i) keys[i] = keys[i - 1] + (random.below(5) == 0 ? 1u : 0u);
  return keys;
}

template <class T>
void upload(const device_array<T>& to, const std::vector<T>& from) {
  EXPECT_EQ(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
}

program_results run_program(std::size_t count, cudaStream_t stream) {
  program_results results;
  const auto keep = [&](const char* name, const auto& out) {
    results.push_back({name, std::vector<unsigned char>(out.bytes())});
    EXPECT_EQ(cudaMemcpy(results.back().bytes.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  };
  const auto clear = [](const auto& out) {
    if (out.bytes() > 0) EXPECT_EQ(cudaMemset(out.data(), 0, out.bytes()), cudaSuccess);
  };
  const auto n = static_cast<int>(count);
  const device_array<std::uint32_t> in(count), out(count), second(count), rest(count), keys(count), count32(2);
  const device_array<double> values(count), values_out(count);
  const device_array<std::uint8_t> flags(count), bytes(count);
  const device_array<std::int64_t> count64(1);
  const device_array<std::uint16_t> count16(2);
  const auto items = random_items<std::uint32_t>(count);

  // Both phases of `call`, and what it leaves in `outs`, which hold zeros before. The stream does not wait for the
  // default one, on which the arrays are filled.
  const auto run = [&](const char* name, auto call, const auto&... outs) {
    upload(in, items);
    std::size_t size = 0;
    EXPECT_EQ(call(nullptr, size), cudaSuccess) << name;
    EXPECT_GE(size, 1u) << name;
    const device_array<unsigned char> storage(size);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    EXPECT_EQ(call(storage.data(), size), cudaSuccess) << name;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    (keep(name, outs), ...);
    (clear(outs), ...);
  };
  for (const auto* words : {&out, &second, &rest, &count32}) clear(*words);
  clear(values_out);
  clear(bytes);
  clear(count64);
  clear(count16);
  std::vector<std::uint8_t> some(count);
  random_source random(count);
  for (auto& f : some) f = random.below(3) == 0 ? static_cast<std::uint8_t>(1 + random.below(255)) : 0;
  upload(flags, some);
  upload(keys, keys_of_runs(count));
  upload(values, random_items<double>(count));

  run(
      "Flagged",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::Flagged(storage, size, in.data(), flags.data(), out.data(), count32.data(), n,
                                          stream);
      },
      out, count32);
  run(
      "Flagged in place",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::Flagged(storage, size, in.data(), flags.data(), count64.data(), n);
      },
      count64);
  run(
      "If",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::If(storage, size, in.data(), out.data(), count64.data(), n, device_multiple_of{3},
                                     stream);
      },
      out, count64);
  run(
      "If of an iterator to another",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::If(storage, size, squares{}, low_bytes{bytes.data()}, count32.data(), n,
                                     device_multiple_of{2}, stream);
      },
      bytes, count32);
  run(
      "FlaggedIf",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::FlaggedIf(storage, size, in.data(), flags.data(), out.data(), count16.data(), n,
                                            device_multiple_of{4}, stream);
      },
      out, count16);
  run(
      "Unique",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::Unique(storage, size, keys.data(), out.data(), count32.data(), n, stream);
      },
      out, count32);
  run(
      "UniqueByKey",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::UniqueByKey(storage, size, keys.data(), values.data(), out.data(), values_out.data(),
                                              count32.data(), n);
      },
      out, values_out, count32);
  run(
      "UniqueByKey by an operator",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceSelect::UniqueByKey(storage, size, keys.data(), squares{}, out.data(), second.data(),
                                              count32.data(), std::int64_t{n}, same_but_for_low_bits{}, stream);
      },
      out, second, count32);

  run(
      "ReduceByKey",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceReduce::ReduceByKey(storage, size, keys.data(), out.data(), values.data(), values_out.data(),
                                              count32.data(), device_sum{}, n, stream);
      },
      out, values_out, count32);
  run(
      "ReduceByKey of an iterator, counted in 16 bits",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceReduce::ReduceByKey(storage, size, keys.data(), out.data(), squares{}, second.data(),
                                              count16.data(), device_sum{}, std::int64_t{n}, stream);
      },
      out, second, count16);
  run(
      "Encode",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceRunLengthEncode::Encode(storage, size, keys.data(), out.data(), second.data(), count64.data(),
                                                  n);
      },
      out, second, count64);
  run(
      "NonTrivialRuns",
      [&](void* storage, std::size_t& size) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(storage, size, keys.data(), out.data(), second.data(),
                                                          count32.data(), n, stream);
      },
      out, second, count32);
  run(
      "Partition Flagged",
      [&](void* storage, std::size_t& size) {
        return cub::DevicePartition::Flagged(storage, size, in.data(), flags.data(), out.data(), count32.data(), n,
                                             stream);
      },
      out, count32);
  run(
      "Partition If",
      [&](void* storage, std::size_t& size) {
        return cub::DevicePartition::If(storage, size, in.data(), out.data(), count64.data(),
                                        static_cast<std::uint32_t>(n), device_multiple_of{3}, stream);
      },
      out, count64);
  run(
      "Partition If of an iterator",
      [&](void* storage, std::size_t& size) {
        return cub::DevicePartition::If(storage, size, squares{}, out.data(), count32.data(), n, device_multiple_of{5});
      },
      out, count32);
  run(
      "Partition If three ways",
      [&](void* storage, std::size_t& size) {
        return cub::DevicePartition::If(storage, size, in.data(), out.data(), second.data(), rest.data(),
                                        count32.data(), n, device_multiple_of{2}, device_multiple_of{3}, stream);
      },
      out, second, rest, count32);
  run(
      "Partition If three ways, the rest from the end on",
      [&](void* storage, std::size_t& size) {
        return cub::DevicePartition::If(storage, size, in.data(), out.data(), second.data(), backwards{out.data() + n},
                                        count32.data(), std::int64_t{n}, device_multiple_of{2}, device_multiple_of{3});
      },
      out, second, count32);

  // In place the front alone is defined.
  const auto in_place = [&](const char* name, auto call) {
    upload(in, items);
    std::size_t size = 0;
    EXPECT_EQ(call(nullptr, size), cudaSuccess) << name;
    const device_array<unsigned char> storage(size);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    EXPECT_EQ(call(storage.data(), size), cudaSuccess) << name;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    std::uint32_t kept = 0;
    EXPECT_EQ(cudaMemcpy(&kept, count32.data(), sizeof kept, cudaMemcpyDeviceToHost), cudaSuccess);
    results.push_back({name, std::vector<unsigned char>(kept * sizeof(std::uint32_t))});
    EXPECT_EQ(cudaMemcpy(results.back().bytes.data(), in.data(), results.back().bytes.size(), cudaMemcpyDeviceToHost),
              cudaSuccess);
  };
  in_place("Flagged, the front", [&](void* storage, std::size_t& size) {
    return cub::DeviceSelect::Flagged(storage, size, in.data(), flags.data(), count32.data(), n, stream);
  });
  in_place("If in place", [&](void* storage, std::size_t& size) {
    return cub::DeviceSelect::If(storage, size, in.data(), count32.data(), n, device_multiple_of{3});
  });
  in_place("FlaggedIf in place", [&](void* storage, std::size_t& size) {
    return cub::DeviceSelect::FlaggedIf(storage, size, in.data(), flags.data(), count32.data(), n,
                                        device_multiple_of{2}, stream);
  });
  return results;
}

}  // namespace
}  // namespace upsweep::test
