#include "kernels_sort.cuh"

namespace upsweep::python {

/// By the one method that compiles quickly: few sort so.
status sort_nans_first_on_cuda(const sort_call& c, void* stream) {
  const auto with_digits = [](const key_order& k, auto use) {
    return with_other_keys<runtime::run_time_nan_codec>(k, use);
  };
  return sort_by_digits<detail::onesweep<>>(c, static_cast<cudaStream_t>(stream), with_digits);
}

}  // namespace upsweep::python
