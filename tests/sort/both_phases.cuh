// Calls by CUB's names, which ask for storage first.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "scan/gpu_fixture.cuh"

namespace upsweep::test {

/// Both phases of `call`, on a stream that does not wait for the default one, on which the arrays are filled.
template <class Call>
void both_phases(Call call) {
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
  EXPECT_GE(bytes, 1u);
  const device_array<unsigned char> storage(bytes);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(call(storage.data(), bytes), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace upsweep::test
