#include "odd_arrays.hpp"
// And CUB's names for them.
#include <cuda_fp8.h>

#include "upsweep/compact/drop_in.cuh"
#include "upsweep/sort/drop_in.cuh"

bool odd_arrays_of_the_gpu(upsweep::workspace w, const int* in, int* out, volatile int* changing,
                           const unsigned char* flags, std::int64_t* count, cudaStream_t stream) {
  using namespace upsweep::drop_in;
  std::size_t bytes = 0;
  return calls::odd_arrays(w, in, out, changing, flags, count, stream) &&
         DeviceScan::InclusiveSum(nullptr, bytes, changing, out, 10) == cudaSuccess &&
         DeviceSelect::Flagged(nullptr, bytes, changing, flags, out, count, 10) == cudaSuccess &&
         DeviceSelect::Flagged(nullptr, bytes, in, changing, out, changing, 10) == cudaSuccess;
}

cudaError_t sort_of_classes(const unsigned* keys_in, unsigned* keys_out, const uchar4* values_in, uchar4* values_out) {
  std::size_t bytes = 0;
  return upsweep::drop_in::DeviceRadixSort::SortPairs(nullptr, bytes, keys_in, keys_out, values_in, values_out, 10);
}
cudaError_t sort_of_fp8(const __nv_fp8_e4m3* in, __nv_fp8_e4m3* out) {
  std::size_t bytes = 0;
  return upsweep::drop_in::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, 10);
}
