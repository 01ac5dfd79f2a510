// What a call of upsweep returns: the numbers and names of cudaError_t, without CUDA's headers.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The result of a call. Each value equals the cudaError_t of the same meaning; any other cudaError_t that CUDA
/// returns is carried through by its number.
enum class [[nodiscard]] status : int{
    success = 0,          invalid_value = 1,     memory_allocation = 2, insufficient_driver = 35, no_device = 100,
    invalid_device = 101, no_kernel_image = 209, launch_timeout = 702,  launch_failure = 719,     not_supported = 801,
};

/// CUDA's name of a status, such as "cudaErrorInvalidValue"; "cudaErrorUnknown" for a number not listed above when the
/// library was built without CUDA.
UPSWEEP_EXPORT const char* status_name(status s);

/// One sentence on what the status means.
UPSWEEP_EXPORT const char* status_text(status s);

}  // namespace upsweep::inline UPSWEEP_ABI
