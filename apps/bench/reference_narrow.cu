#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_scan.cuh>

#include "references.cuh"

namespace upsweep::apps {

std::vector<reference_call> cub_calls_of_narrow(runtime::stream s, const scan_arrays& a) {
  std::vector<reference_call> calls;
  const auto add = [&]<class T>(T) {
    add_cub_calls(calls, a.n, {.name = "cub"},
                  [stream = static_cast<cudaStream_t>(s.handle), in = static_cast<const T*>(a.in),
                   out = static_cast<T*>(a.out)](void* storage, std::size_t& bytes, auto n) {
                    return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n, stream);
                  });
  };
  if (a.type == scalar_type::u8) add(std::uint8_t{});
  if (a.type == scalar_type::u16) add(std::uint16_t{});
  if (a.type == scalar_type::f16) add(__half{});
  if (a.type == scalar_type::bf16) add(__nv_bfloat16{});
  return calls;
}

}  // namespace upsweep::apps
