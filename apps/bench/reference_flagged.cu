#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cub/device/device_select.cuh>
#include <numeric>

#include "references.cuh"

namespace upsweep::apps {
namespace {

template <std::size_t Bytes>
struct alignas(std::gcd(Bytes, std::size_t{16})) element {
  std::uint32_t word[Bytes / 4];
};

/// Integers where there are some of that size: CUB is tuned for them, not for structures.
template <class Element>
void add_calls_of_one(std::vector<reference_call>& calls, cudaStream_t stream, const flagged_arrays& a) {
  add_cub_calls(calls, a.n, {.name = "cub"},
                [stream, a, in = static_cast<const Element*>(a.in[0]), out = static_cast<Element*>(a.out[0])](
                    void* storage, std::size_t& bytes, auto n) {
                  return cub::DeviceSelect::Flagged(storage, bytes, in, a.flags, out, a.count, n, stream);
                });
}

/// One call for each array, or one of an iterator over tuples.
void add_calls_of_eight(std::vector<reference_call>& calls, cudaStream_t stream, const flagged_arrays& a) {
  using item = std::uint32_t;
  add_cub_calls(calls, a.n, {.name = "cub each array"}, [stream, a](void* storage, std::size_t& bytes, auto n) {
    cudaError_t e = cudaSuccess;
    for (std::size_t k = 0; k < a.arrays && e == cudaSuccess; ++k) {
      e = cub::DeviceSelect::Flagged(storage, bytes, static_cast<const item*>(a.in[k]), a.flags,
                                     static_cast<item*>(a.out[k]), a.count, n, stream);
    }
    return e;
  });
  const auto zipped = []<class Item>(Item*, const auto& p) {
    const auto at = [&](std::size_t k) { return static_cast<Item*>(p[k]); };
    return thrust::make_zip_iterator(thrust::make_tuple(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)));
  };
  add_cub_calls(calls, a.n, {.name = "cub zip"},
                [stream, a, in = zipped(static_cast<const item*>(nullptr), a.in),
                 out = zipped(static_cast<item*>(nullptr), a.out)](void* storage, std::size_t& bytes, auto n) {
                  return cub::DeviceSelect::Flagged(storage, bytes, in, a.flags, out, a.count, n, stream);
                });
}

}  // namespace

std::vector<reference_call> cub_calls(runtime::stream s, const flagged_arrays& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  if (a.arrays == 8 && a.element_bytes == 4) add_calls_of_eight(calls, stream, a);
  if (a.arrays > 1) return calls;
  if (a.element_bytes == 4) add_calls_of_one<std::uint32_t>(calls, stream, a);
  if (a.element_bytes == 8) add_calls_of_one<std::uint64_t>(calls, stream, a);
  if (a.element_bytes == 12) add_calls_of_one<element<12>>(calls, stream, a);
  if (a.element_bytes == 16) add_calls_of_one<element<16>>(calls, stream, a);
  if (a.element_bytes == 20) add_calls_of_one<element<20>>(calls, stream, a);
  if (a.element_bytes == 32) add_calls_of_one<element<32>>(calls, stream, a);
  if (a.element_bytes == 64) add_calls_of_one<element<64>>(calls, stream, a);
  return calls;
}

}  // namespace upsweep::apps
