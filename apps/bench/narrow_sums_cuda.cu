#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "narrow_sums.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::apps {

status narrow_sums_on_cuda(void* stream, scalar_type type, workspace w, const void* in, void* out, std::int64_t n) {
  const auto sums = [&]<class T>(T) {
    return static_cast<status>(
        exclusive_sum(w, static_cast<const T*>(in), static_cast<T*>(out), n, static_cast<cudaStream_t>(stream)));
  };
  switch (type) {
    case scalar_type::u8:
      return sums(std::uint8_t{});
    case scalar_type::u16:
      return sums(std::uint16_t{});
    case scalar_type::f16:
      return sums(__half{});
    case scalar_type::bf16:
      return sums(__nv_bfloat16{});
    default:
      return status::not_supported;
  }
}

}  // namespace upsweep::apps
