#include "kernels_keyed.cuh"

namespace upsweep::python {

status top_k_integers_on_cuda(const top_k_call& c, void* stream) {
  return with_wide_integers(c.keys, [&](auto code, const auto& digits) {
    return top_k_by_digits(c, code, digits, c.n.bound, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace upsweep::python
