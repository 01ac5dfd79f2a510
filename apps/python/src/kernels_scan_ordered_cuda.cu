#include "kernels_scan.cuh"

namespace upsweep::python {

status scan_ordered_on_cuda(const scan_call& c, void* stream) {
  return with_operator(c, [&]<class T>(const any_operator<T>& op, const detail::carry<T>& init) {
    return scan_row<default_scan_policy>(c, ordered<T>(op), init, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace upsweep::python
