// A program written for cub::DeviceRadixSort: every overload of 3.0.1. Where `cub` comes from is left to those that
// include it.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <cuda/std/tuple>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "sort/sort_drop_in_program.hpp"
#include "support/random_items.hpp"

namespace upsweep::test {
namespace {

/// `tag` is not part of the order.
struct custom_key {
  float f;
  std::uint32_t tag;
  std::int64_t lli;
};
struct custom_decomposer {
  __host__ __device__ cuda::std::tuple<float&, std::int64_t&> operator()(custom_key& k) const { return {k.f, k.lli}; }
};
struct wide_payload {
  std::uint32_t word[5];
};

template <class T>
std::vector<T> random_bytes(std::size_t n) {
  random_source random(n + sizeof(T));
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    unsigned char bytes[sizeof(T)];
    for (unsigned char& b : bytes) b = static_cast<unsigned char>(random());
    memcpy(static_cast<void*>(&items[i]), bytes, sizeof(T));
  }
  return items;
}

/// Arrays on the GPU: what is sorted, and where it goes.
template <class T>
struct arrays {
  device_array<T> in, out;
  explicit arrays(const std::vector<T>& items) : in(items.size()), out(items.size()) { put(items); }
  void put(const std::vector<T>& items) {
    EXPECT_EQ(cudaMemcpy(in.data(), items.data(), in.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemset(out.data(), 0, out.bytes()), cudaSuccess);
  }
};

class sort_program {
 public:
  sort_program(std::size_t count, cudaStream_t stream) : count_(count), stream_(stream) {}

  std::vector<sort_result> run() {
    keys_and_pairs<std::uint8_t>("u8");
    keys_and_pairs<std::uint32_t>("u32");
    keys_and_pairs<__int128_t>("i128");
    keys_and_pairs<float>("float");
    keys_and_pairs<__nv_bfloat16>("bfloat16");
    between_buffers();
    by_fields();
    return std::move(results_);
  }

 private:
  /// Both phases of `call`. The stream does not wait for the default one, on which the arrays are filled.
  template <class Call>
  void both_phases(const std::string& name, Call call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess) << name;
    EXPECT_GE(bytes, 1u) << name;
    const device_array<unsigned char> storage(bytes);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    EXPECT_EQ(call(storage.data(), bytes), cudaSuccess) << name;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
  }
  template <class T>
  void keep(const std::string& name, const T* data) {
    results_.push_back({name, std::vector<unsigned char>(count_ * sizeof(T))});
    EXPECT_EQ(cudaMemcpy(results_.back().bytes.data(), data, count_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
  }

  template <class Key>
  void keys_and_pairs(const std::string& type) {
    const auto n = static_cast<int>(count_);
    arrays<Key> keys(random_bytes<Key>(count_));
    arrays<std::uint32_t> values(random_bytes<std::uint32_t>(count_));
    const int width = sizeof(Key) * 8;
    both_phases(type, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, keys.in.data(), keys.out.data(), n);
    });
    keep(type + " keys", keys.out.data());
    both_phases(type, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, keys.in.data(), keys.out.data(),
                                                      static_cast<std::uint64_t>(n), width / 4, width - 1, stream_);
    });
    keep(type + " keys descending", keys.out.data());
    both_phases(type, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, keys.in.data(), keys.out.data(), values.in.data(),
                                             values.out.data(), static_cast<std::int64_t>(n), 0, width, stream_);
    });
    keep(type + " keys of pairs", keys.out.data());
    keep(type + " values", values.out.data());
    both_phases(type, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, keys.in.data(), keys.out.data(),
                                                       values.in.data(), values.out.data(), n);
    });
    keep(type + " keys of pairs descending", keys.out.data());
    keep(type + " values descending", values.out.data());
  }

  void between_buffers() {
    const auto n = static_cast<int>(count_);
    const auto key_items = random_bytes<std::uint32_t>(count_);
    const auto value_items = random_bytes<wide_payload>(count_);
    arrays<std::uint32_t> keys(key_items);
    arrays<wide_payload> values(value_items);
    for (const int end : {32, 8, 20}) {
      const std::string bits = std::to_string(end) + " bits";
      keys.put(key_items);
      values.put(value_items);
      cub::DoubleBuffer<std::uint32_t> k(keys.in.data(), keys.out.data());
      cub::DoubleBuffer<wide_payload> v(values.in.data(), values.out.data());
      both_phases(bits, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, k, v, n, 0, end, stream_);
      });
      keep("pairs between buffers, keys, " + bits, k.Current());
      keep("pairs between buffers, values, " + bits, v.Current());
      both_phases(bits, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, k, v, n, 0, end, stream_);
      });
      keep("descending pairs between buffers, keys, " + bits, k.Current());
      keep("descending pairs between buffers, values, " + bits, v.Current());
      both_phases(bits, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(storage, bytes, k, n, 0, end);
      });
      keep("keys between buffers, " + bits, k.Current());
      both_phases(bits, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, k, n, 0, end, stream_);
      });
      keep("descending keys between buffers, " + bits, k.Current());
    }
  }

  void by_fields() {
    const auto n = static_cast<int>(count_);
    auto items = random_bytes<custom_key>(count_);
    for (custom_key& k : items) k.f = static_cast<float>(k.lli % 5);
    const custom_decomposer fields;
    arrays<custom_key> keys(items);
    arrays<std::uint16_t> values(random_bytes<std::uint16_t>(count_));
    const auto step = [&](const std::string& name, auto call) {
      both_phases(name, call);
      keep(name + ", keys", keys.out.data());
      keep(name + ", values", values.out.data());
    };
    const auto ki = keys.in.data();
    const auto ko = keys.out.data();
    const auto vi = values.in.data();
    const auto vo = values.out.data();
    step("SortPairs by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, ki, ko, vi, vo, n, fields, stream_);
    });
    step("SortPairs by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, ki, ko, vi, vo, n, fields, 60, 90, stream_);
    });
    step("SortPairsDescending by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, ki, ko, vi, vo, n, fields, stream_);
    });
    step("SortPairsDescending by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, ki, ko, vi, vo, n, fields, 3, 60, stream_);
    });
    step("SortKeys by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, ki, ko, n, fields, stream_);
    });
    step("SortKeys by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, ki, ko, n, fields, 0, 64, stream_);
    });
    step("SortKeysDescending by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, ki, ko, n, fields, stream_);
    });
    step("SortKeysDescending by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, ki, ko, n, fields, 64, 96, stream_);
    });

    cub::DoubleBuffer<custom_key> k(keys.in.data(), keys.out.data());
    cub::DoubleBuffer<std::uint16_t> v(values.in.data(), values.out.data());
    const auto step_between = [&](const std::string& name, auto call) {
      both_phases(name, call);
      keep(name + " between buffers, keys", k.Current());
      keep(name + " between buffers, values", v.Current());
    };
    step_between("SortPairs by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, k, v, n, fields, stream_);
    });
    step_between("SortPairs by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, k, v, n, fields, 8, 16, stream_);
    });
    step_between("SortPairsDescending by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, k, v, n, fields, stream_);
    });
    step_between("SortPairsDescending by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, k, v, n, fields, 40, 60, stream_);
    });
    step_between("SortKeys by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, k, n, fields, stream_);
    });
    step_between("SortKeys by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, k, n, fields, 70, 96, stream_);
    });
    step_between("SortKeysDescending by fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, k, n, fields, stream_);
    });
    step_between("SortKeysDescending by bits of fields", [&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, k, n, fields, 1, 9, stream_);
    });
  }

  std::size_t count_;
  cudaStream_t stream_;
  std::vector<sort_result> results_;
};

}  // namespace
}  // namespace upsweep::test
