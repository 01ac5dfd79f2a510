#include "kernels_scan.cuh"

namespace upsweep::python {

status sum_axis_on_cuda(const axis_scan_call& c, void* stream) {
  if (c.is_reproducible) return sum_floats_in_order(c, static_cast<cudaStream_t>(stream));
  const auto kind = c.is_exclusive ? detail::scan_kind::exclusive : detail::scan_kind::inclusive;
  return runtime::axis_sums(static_cast<cudaStream_t>(stream), {kind, c.type, c.work, c.in, c.out, c.axis});
}

}  // namespace upsweep::python
