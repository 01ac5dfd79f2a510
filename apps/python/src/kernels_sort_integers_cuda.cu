#include "kernels_sort.cuh"

namespace upsweep::python {

status sort_integers_on_cuda(const sort_call& c, void* stream) {
  const auto with_digits = [](const key_order& k, auto use) { return with_plain_integers(k, use); };
  return sort_by_digits<default_sort_policy>(c, static_cast<cudaStream_t>(stream), with_digits);
}

}  // namespace upsweep::python
