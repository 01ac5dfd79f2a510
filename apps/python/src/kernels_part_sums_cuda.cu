#include "kernels_scan.cuh"

namespace upsweep::python {

status sum_parts_on_cuda(const parts_scan_call& c, void* stream) {
  return summed_types::call(summed_as(c.type), [&]<class T>(T) {
    const detail::carry<T> init{c.init != nullptr ? *static_cast<const T*>(c.init) : T{}, c.is_exclusive};
    return scan_parts<default_segments_policy>(c, plus{}, init, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace upsweep::python
