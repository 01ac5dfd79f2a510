#include "odd_arrays.hpp"
#include "odd_types.hpp"
// And CUB's names for them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cuda/std/tuple>

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
/// 0 and NULL are streams, and so is what becomes one; template arguments may be named.
struct own_stream {
  own_stream() = default;
  own_stream(const own_stream&) = delete;
  operator cudaStream_t() const { return nullptr; }
};
bool sorts_on_odd_streams(const unsigned* in, unsigned* out, const int* begins, const own_stream& stream) {
  using namespace upsweep::drop_in;
  std::size_t bytes = 0;
  return DeviceRadixSort::SortKeys(nullptr, bytes, in, out, 10, 0, 32, 0) == cudaSuccess &&
         DeviceRadixSort::SortKeysDescending<unsigned, int>(nullptr, bytes, in, out, 10, 0, 8, NULL) == cudaSuccess &&
         DeviceRadixSort::SortPairs<unsigned, unsigned>(nullptr, bytes, in, out, in, out, 10u, 0, 8, stream) ==
             cudaSuccess &&
         DeviceSegmentedSort::SortKeys(nullptr, bytes, in, out, 10, 2, begins, begins + 1, 0) == cudaSuccess &&
         DeviceSegmentedScan::InclusiveSegmentedSum(nullptr, bytes, in, out, begins, begins + 1, 2, 0) == cudaSuccess;
}
/// {} is what CUB's arguments begin with, and constants of a class have no address.
struct all_bits {
  static const int begin = 0, end = 32, items = 10;
};
struct one_field {
  unsigned field;
};
struct whole_key {
  __host__ __device__ cuda::std::tuple<unsigned&> operator()(one_field& key) const { return {key.field}; }
};
bool sorts_on_no_stream(const unsigned* in, unsigned* out, const one_field* keys_in, one_field* keys_out,
                        const int* begins) {
  using namespace upsweep::drop_in;
  std::size_t bytes = 0;
  DoubleBuffer<unsigned> keys(out, out + 10);
  return DeviceRadixSort::SortKeys(nullptr, bytes, in, out, all_bits::items, all_bits::begin, all_bits::end, {}) ==
             cudaSuccess &&
         DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys, 10, {}, 32) == cudaSuccess &&
         DeviceRadixSort::SortKeys(nullptr, bytes, keys_in, keys_out, 10, whole_key{}, {}) == cudaSuccess &&
         DeviceRadixSort::SortKeys(nullptr, bytes, keys_in, keys_out, 10, whole_key{}, 0, all_bits::end, {}) ==
             cudaSuccess &&
         DeviceSegmentedSort::SortKeys(nullptr, bytes, in, out, 10, 2, begins, begins + 1, {}) == cudaSuccess &&
         DeviceSegmentedSort::StableSortKeysDescending(nullptr, bytes, keys, 10, 2, begins, begins + 1, {}) ==
             cudaSuccess &&
         DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, in, out, 10, 2, begins, begins + 1, all_bits::begin,
                                            all_bits::end, {}) == cudaSuccess &&
         DeviceSegmentedScan::ExclusiveSegmentedSum(nullptr, bytes, in, out, begins, begins + 1, all_bits::items, {}) ==
             cudaSuccess &&
         DeviceSegmentedScan::InclusiveSegmentedScan(nullptr, bytes, in, out, begins, begins + 1, begins,
                                                     all_bits::items, upsweep::plus{}, {}) == cudaSuccess;
}

/// A number is not a stream, but for the constant 0.
template <class Stream>
concept is_stream_of_sorts = requires(std::size_t& bytes, unsigned* keys, Stream stream) {
  upsweep::drop_in::DeviceRadixSort::SortKeys(nullptr, bytes, keys, keys, 10, 0, 32, stream);
};
template <class Stream>
concept is_stream_of_segments = requires(std::size_t& bytes, const unsigned* in, unsigned* out, Stream stream) {
  upsweep::drop_in::DeviceSegmentedSort::SortPairs(nullptr, bytes, in, out, in, out, 10, 2, in, in, stream);
  upsweep::drop_in::DeviceSegmentedScan::ExclusiveSegmentedSum(nullptr, bytes, in, out, in, in, 2, stream);
};
static_assert(is_stream_of_sorts<cudaStream_t> && is_stream_of_segments<cudaStream_t>);
static_assert(!is_stream_of_sorts<int> && !is_stream_of_segments<int>);

cudaError_t sort_of_fp8(const __nv_fp8_e4m3* in, __nv_fp8_e4m3* out) {
  std::size_t bytes = 0;
  return upsweep::drop_in::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, 10);
}

bool odd_types_of_the_gpu(upsweep::workspace w, const calls::contrary* in, calls::contrary* out,
                          const unsigned* keys_in, unsigned* keys_out, std::int64_t* counts, cudaStream_t stream) {
  return calls::odd_types(w, in, out, keys_in, keys_out, counts, stream);
}

/// CUDA's pairs of halves are not trivially copyable.
template <class Pair>
struct greater_low {
  __host__ __device__ Pair operator()(Pair a, Pair b) const { return __low2float(a) > __low2float(b) ? a : b; }
};
template <class Pair>
bool pairs_of_halves(const Pair* in, Pair* out, const unsigned* keys_in, unsigned* keys_out) {
  using namespace upsweep::drop_in;
  std::size_t bytes = 0;
  return DeviceRadixSort::SortPairs(nullptr, bytes, keys_in, keys_out, in, out, 10) == cudaSuccess &&
         DeviceScan::InclusiveScan(nullptr, bytes, in, out, greater_low<Pair>{}, 10) == cudaSuccess &&
         DeviceScan::InclusiveScanByKey(nullptr, bytes, keys_in, in, out, greater_low<Pair>{}, 10) == cudaSuccess;
}
template bool pairs_of_halves(const __half2*, __half2*, const unsigned*, unsigned*);
template bool pairs_of_halves(const __nv_bfloat162*, __nv_bfloat162*, const unsigned*, unsigned*);
