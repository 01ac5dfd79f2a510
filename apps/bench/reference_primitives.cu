#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cuda/__execution/determinism.h>
#include <cub/device/device_topk.cuh>
#define UPSWEEP_CUB_HAS_TOP_K
#endif

#include "references.cuh"
#include "splats.hpp"

namespace upsweep::apps {
namespace {

using word = std::uint32_t;

__global__ void number(word* to, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = static_cast<word>(i);
}
/// Where each group begins among sorted ones, and the end.
__global__ void find_offsets(const word* sorted, std::int64_t n, std::int64_t groups, std::int64_t* offsets) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i > n) return;
  const std::int64_t before = i == 0 ? std::int64_t{-1} : sorted[i - 1], here = i == n ? groups : sorted[i];
  for (std::int64_t g = before + 1; g <= here; ++g) offsets[g] = i;
}
__global__ void repeat(const word* counts, const word* begins, std::int64_t n, word* out, std::int64_t* total) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const word begin = begins[i], count = counts[i];
  for (word j = 0; j < count; ++j) out[begin + j] = static_cast<word>(i);
  if (i == n - 1) *total = std::int64_t{begin} + count;
}
unsigned blocks(std::int64_t n) {
  return static_cast<unsigned>((n + 255) / 256);
}

/// A call that has `words` words of memory before CUB's: f(words, storage, bytes). At first without memory.
template <class F>
void add_with_words(std::vector<reference_call>& calls, const reference_call& like, std::int64_t words, F f) {
  const std::size_t own = (static_cast<std::size_t>(words) * sizeof(word) + 255) / 256 * 256;
  add_cub_call(calls, like, [own, f](void* storage, std::size_t& bytes) {
    std::size_t rest = storage == nullptr ? 0 : bytes - own;
    auto* const at = static_cast<char*>(storage);
    const cudaError_t e = f(static_cast<word*>(storage), storage == nullptr ? nullptr : at + own, rest);
    if (storage == nullptr) bytes = own + rest;
    return e;
  });
}

void add_group_by(std::vector<reference_call>& calls, const primitive_arrays& a, cudaStream_t s) {
  int bits = 1;
  while (std::int64_t{1} << bits < a.more) ++bits;
  add_with_words(calls, {.name = "cub sort"}, 2 * a.n, [=](word* words, void* storage, std::size_t& bytes) {
    word *const numbers = words, *const sorted = words + a.n;
    if (storage != nullptr) number<<<blocks(a.n), 256, 0, s>>>(numbers, a.n);
    const cudaError_t e = cub::DeviceRadixSort::SortPairs(storage, bytes, a.words_in(0), sorted, numbers,
                                                          a.words_out(0), static_cast<int>(a.n), 0, bits, s);
    if (e != cudaSuccess || storage == nullptr) return e;
    find_offsets<<<blocks(a.n + 1), 256, 0, s>>>(sorted, a.n, a.more, a.offsets_out(1));
    return cudaPeekAtLastError();
  });
}

/// Whether a run begins at a key other than the first.
struct begins_a_run {
  const word* keys;
  __host__ __device__ word operator()(std::int64_t i) const { return i > 0 && keys[i] != keys[i - 1] ? 1 : 0; }
};
void add_unique(std::vector<reference_call>& calls, const primitive_arrays& a, cudaStream_t s) {
  add_cub_call(calls, {.name = "cub unique, scan"}, [=](void* storage, std::size_t& bytes) {
    const auto n = static_cast<int>(a.n);
    const auto begins =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>{0}, begins_a_run{a.words_in(0)});
    std::size_t of_unique = bytes, of_scan = bytes;
    cudaError_t e =
        cub::DeviceSelect::Unique(storage, of_unique, a.words_in(0), a.words_out(0), a.offsets_out(2), n, s);
    if (e == cudaSuccess) e = cub::DeviceScan::InclusiveSum(storage, of_scan, begins, a.words_out(1), n, s);
    if (storage == nullptr) bytes = std::max(of_unique, of_scan);
    return e;
  });
}

void add_expand(std::vector<reference_call>& calls, const primitive_arrays& a, cudaStream_t s) {
  add_with_words(calls, {.name = "cub scan, loops"}, a.n, [=](word* begins, void* storage, std::size_t& bytes) {
    const cudaError_t e =
        cub::DeviceScan::ExclusiveSum(storage, bytes, a.words_in(0), begins, static_cast<int>(a.n), s);
    if (e != cudaSuccess || storage == nullptr) return e;
    repeat<<<blocks(a.n), 256, 0, s>>>(a.words_in(0), begins, a.n, a.words_out(0), a.offsets_out(1));
    return cudaPeekAtLastError();
  });
}

struct tiles_of_box {
  __host__ __device__ word operator()(const tile_box& b) const { return static_cast<word>(b.tiles()); }
};
/// Keys of tile and depth, and the splat, for each tile of each splat.
__global__ void write_pairs(const tile_box* boxes, const float* depths, const word* begins, std::int64_t n,
                            std::uint64_t* keys, word* splats, std::int64_t* total) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const tile_box b = boxes[i];
  const word begin = begins[i], depth = __float_as_uint(depths[i]);
  for (int j = 0; j < b.tiles(); ++j) {
    keys[begin + j] = static_cast<std::uint64_t>(b.tile(j)) << 32 | depth;
    splats[begin + j] = static_cast<word>(i);
  }
  if (i == n - 1) *total = std::int64_t{begin} + b.tiles();
}
__global__ void find_ranges(const std::uint64_t* sorted, std::int64_t n, word* begins, word* ends) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint64_t tile = sorted[i] >> 32;
  if (i == 0 || sorted[i - 1] >> 32 != tile) begins[tile] = static_cast<word>(i);
  if (i + 1 == n || sorted[i + 1] >> 32 != tile) ends[tile] = static_cast<word>(i + 1);
}
/// The host knows how many pairs there are.
void add_splats(std::vector<reference_call>& calls, const primitive_arrays& a, cudaStream_t s) {
  add_with_words(calls, {.name = "cub sort"}, 5 * a.more + a.n, [=](word* words, void* storage, std::size_t& bytes) {
    auto *const keys = reinterpret_cast<std::uint64_t*>(words), *const sorted = keys + a.more;
    word *const splats = words + 4 * a.more, *const begins = splats + a.more;
    const auto* const boxes = static_cast<const tile_box*>(a.in[0]);
    const auto counts = thrust::make_transform_iterator(boxes, tiles_of_box{});
    std::size_t of_scan = bytes, of_sort = bytes;
    cudaError_t e = cub::DeviceScan::ExclusiveSum(storage, of_scan, counts, begins, static_cast<int>(a.n), s);
    if (e == cudaSuccess && storage != nullptr) {
      write_pairs<<<blocks(a.n), 256, 0, s>>>(boxes, static_cast<const float*>(a.in[1]), begins, a.n, keys, splats,
                                              a.offsets_out(2));
      e = cudaMemsetAsync(a.out[1], 0, 2 * screen_tiles * sizeof(word), s);
    }
    if (e == cudaSuccess) {
      e = cub::DeviceRadixSort::SortPairs(storage, of_sort, keys, sorted, splats, a.words_out(0),
                                          static_cast<int>(a.more), 0, 32 + tile_bits, s);
    }
    if (storage == nullptr) bytes = std::max(of_scan, of_sort);
    if (e != cudaSuccess || storage == nullptr) return e;
    find_ranges<<<blocks(a.more), 256, 0, s>>>(sorted, a.more, a.words_out(1), a.words_out(1) + screen_tiles);
    return cudaPeekAtLastError();
  });
}

void add_top_k(std::vector<reference_call>& calls, const primitive_arrays& a, cudaStream_t s) {
#if defined(UPSWEEP_CUB_HAS_TOP_K)
  const reference_call like = {.name = "cub", .ends_in_spare = std::make_shared<bool>(true)};
  add_cub_call(calls, like, [=](void* storage, std::size_t& bytes) {
    namespace execution = ::cuda::execution;
    const auto any = execution::require(execution::determinism::not_guaranteed, execution::output_ordering::unsorted);
    const ::cuda::std::execution::env env{any, ::cuda::stream_ref{s}};
    const auto find = [&]<class Key>(Key*) {
      return cub::DeviceTopK::MaxKeys(storage, bytes, static_cast<Key*>(a.in[0]), static_cast<Key*>(a.out[0]), a.n,
                                      a.more, env);
    };
    return a.has_floats ? find(static_cast<float*>(nullptr)) : find(static_cast<word*>(nullptr));
  });
#else
  add_with_words(calls, {.name = "cub sort"}, a.n, [=](word* sorted, void* storage, std::size_t& bytes) {
    // Floats of 0 and more: their bits order them.
    const cudaError_t e =
        cub::DeviceRadixSort::SortKeysDescending(storage, bytes, a.words_in(0), sorted, a.n, 0, 32, s);
    if (e != cudaSuccess || storage == nullptr) return e;
    return cudaMemcpyAsync(a.out[0], sorted, static_cast<std::size_t>(a.more) * sizeof(word), cudaMemcpyDefault, s);
  });
#endif
}

}  // namespace

std::vector<reference_call> cub_calls(runtime::stream stream, const primitive_arrays& a) {
  std::vector<reference_call> calls;
  const auto s = static_cast<cudaStream_t>(stream.handle);
  // Most of these count in 32 bits.
  if (a.n > std::numeric_limits<std::int32_t>::max() - 256 && a.what != operation::top_k) return calls;
  const auto n = static_cast<int>(a.n);
  const auto add = [&](auto f) { add_cub_call(calls, {.name = "cub"}, f); };
  switch (a.what) {
    case operation::segmented_sort:  // between its kernels it asks on the host how many segments are of which length
      add_cub_call(calls, {.name = "cub", .waits = true, .capturable = false}, [=](void* storage, std::size_t& bytes) {
        return cub::DeviceSegmentedSort::SortKeys(storage, bytes, a.words_in(0), a.words_out(0), n,
                                                  static_cast<int>(a.more), a.offsets_in(1), a.offsets_in(1) + 1, s);
      });
      break;
    case operation::top_k:
      add_top_k(calls, a, s);
      break;
    case operation::reduce_by_key:
      add([=](void* storage, std::size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(storage, bytes, a.words_in(0), a.words_out(0), a.words_in(1),
                                              a.words_out(1), a.offsets_out(2), cuda::std::plus<>{}, n, s);
      });
      break;
    case operation::run_lengths:
      add([=](void* storage, std::size_t& bytes) {
        return cub::DeviceRunLengthEncode::Encode(storage, bytes, a.words_in(0), a.words_out(0), a.words_out(1),
                                                  a.offsets_out(2), n, s);
      });
      break;
    case operation::unique:
      add_unique(calls, a, s);
      break;
    case operation::group_by:
      add_group_by(calls, a, s);
      break;
    case operation::merge:
      add([=](void* storage, std::size_t& bytes) {
        return cub::DeviceMerge::MergeKeys(storage, bytes, a.words_in(0), static_cast<int>(a.more), a.words_in(1),
                                           static_cast<int>(a.n - a.more), a.words_out(0), cuda::std::less<>{}, s);
      });
      break;
    case operation::splats:
      add_splats(calls, a, s);
      break;
    default:
      add_expand(calls, a, s);
  }
  return calls;
}

}  // namespace upsweep::apps
