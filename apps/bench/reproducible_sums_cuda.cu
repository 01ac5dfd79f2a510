#include "reproducible_sums.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::apps {

status reproducible_sums_on_cuda(void* stream, scalar_type type, workspace w, const void* in, void* out,
                                 std::int64_t n) {
  const auto sums = [&]<class T>(T) {
    return static_cast<status>(exclusive_sum<reproducible>(w, static_cast<const T*>(in), static_cast<T*>(out), n,
                                                           static_cast<cudaStream_t>(stream)));
  };
  if (type == scalar_type::f32) return sums(float{});
  if (type == scalar_type::f64) return sums(double{});
  return status::not_supported;
}

}  // namespace upsweep::apps
