#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

#include "references.cuh"

namespace upsweep::apps {
namespace {

template <class Key>
std::vector<reference_call> cub_sorts(cudaStream_t stream, const sort_arrays& a) {
  std::vector<reference_call> calls;
  const auto* const in = static_cast<const Key*>(a.keys_in);
  auto* const out = static_cast<Key*>(a.keys_out);
  constexpr int bits = sizeof(Key) * 8;
  add_cub_calls(calls, a.n, {.name = "cub"}, [=](void* storage, std::size_t& bytes, auto n) {
    if (a.values_in == nullptr) return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n, 0, bits, stream);
    return cub::DeviceRadixSort::SortPairs(storage, bytes, in, out, a.values_in, a.values_out, n, 0, bits, stream);
  });
  // With two buffers CUB overwrites its input, and says where the result is.
  const auto ends_in_spare = std::make_shared<bool>(false);
  const reference_call buffered = {
      .name = "cub DoubleBuffer", .capturable = false, .in_place = true, .ends_in_spare = ends_in_spare};
  add_cub_calls(calls, a.n, buffered, [=](void* storage, std::size_t& bytes, auto n) {
    cub::DoubleBuffer<Key> keys(out, static_cast<Key*>(a.keys_spare));
    cub::DoubleBuffer<std::uint32_t> values(a.values_out, a.values_spare);
    const cudaError_t e = a.values_in == nullptr
                              ? cub::DeviceRadixSort::SortKeys(storage, bytes, keys, n, 0, bits, stream)
                              : cub::DeviceRadixSort::SortPairs(storage, bytes, keys, values, n, 0, bits, stream);
    *ends_in_spare = keys.selector == 1;
    return e;
  });
  return calls;
}

}  // namespace

std::vector<reference_call> cub_calls(runtime::stream s, const sort_arrays& a) {
  std::vector<reference_call> calls;
  key_types::visit(a.type, [&](auto key) { calls = cub_sorts<decltype(key)>(static_cast<cudaStream_t>(s.handle), a); });
  return calls;
}

std::vector<reference_call> cub_calls(runtime::stream s, const split_arrays_of_one& a) {
  std::vector<reference_call> calls;
  add_cub_calls(calls, a.n, {.name = "cub"},
                [stream = static_cast<cudaStream_t>(s.handle), a](void* storage, std::size_t& bytes, auto n) {
                  return cub::DeviceRadixSort::SortKeys(storage, bytes, a.in, a.out, n, 32 - a.bits, 32, stream);
                });
  return calls;
}

std::vector<reference_call> thrust_calls(runtime::stream s, const sort_arrays& a) {
  std::vector<reference_call> calls;
  const auto policy = [stream = static_cast<cudaStream_t>(s.handle)](thrust_memory& memory) {
    return thrust::cuda::par_nosync(memory).on(stream);
  };
  key_types::visit(a.type, [&](auto key) {
    auto* const keys = static_cast<decltype(key)*>(a.keys_out);
    add_thrust_call(calls, {.name = "thrust", .capturable = false, .in_place = true}, policy,
                    [a, keys](const auto& on) {
                      if (a.values_in == nullptr) {
                        thrust::stable_sort(on, keys, keys + a.n);
                      } else {
                        thrust::stable_sort_by_key(on, keys, keys + a.n, a.values_out);
                      }
                    });
  });
  return calls;
}

}  // namespace upsweep::apps
