#include "backends.hpp"
#include "upsweep/simt/error.hpp"

namespace upsweep::inline UPSWEEP_ABI {
namespace {

struct description {
  status value;
  const char* name;
  const char* text;
};

constexpr description descriptions[] = {
    {status::success, "cudaSuccess", "no error"},
    {status::invalid_value, "cudaErrorInvalidValue",
     "an argument is invalid: for example a null pointer, a negative n, arrays that overlap, a workspace that is too "
     "small, or bits outside the key"},
    {status::memory_allocation, "cudaErrorMemoryAllocation", "there is not enough memory"},
    {status::insufficient_driver, "cudaErrorInsufficientDriver", "the GPU's driver is older than the CUDA runtime"},
    {status::no_device, "cudaErrorNoDevice", "no GPU was found"},
    {status::invalid_device, "cudaErrorInvalidDevice", "there is no GPU with that number"},
    {status::no_kernel_image, "cudaErrorNoKernelImageForDevice", "the library was not compiled for this GPU"},
    {status::launch_timeout, "cudaErrorLaunchTimeout", "another rank did not arrive in time"},
    {status::launch_failure, "cudaErrorLaunchFailure", "a kernel stopped with an error"},
    {status::not_supported, "cudaErrorNotSupported", "this variant or type was not compiled for this device"},
};

const description* find(status s) {
  for (const description& d : descriptions) {
    if (d.value == s) return &d;
  }
  return nullptr;
}

}  // namespace

const char* status_name(status s) {
  const description* d = find(s);
  return d ? d->name : runtime::cuda_error_name(s);
}

const char* status_text(status s) {
  const description* d = find(s);
  return d ? d->text : runtime::cuda_error_text(s);
}

}  // namespace upsweep::inline UPSWEEP_ABI
