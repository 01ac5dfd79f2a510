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
    success = 0,               ///< the call has enqueued its work, or finished it where it says so
    invalid_value = 1,         ///< an argument is invalid; nothing was touched
    memory_allocation = 2,     ///< there is not enough memory
    insufficient_driver = 35,  ///< the GPU's driver is older than the CUDA runtime
    no_device = 100,           ///< there is no GPU
    invalid_device = 101,      ///< there is no GPU of this number
    no_kernel_image = 209,     ///< the program was not compiled for this GPU
    launch_timeout = 702,      ///< a kernel, or a rank that others wait for, took too long
    launch_failure = 719,      ///< a kernel failed; on the sim, sim_diagnostic() says why
    not_supported = 801,       ///< no kernel does this for these types and sizes on this device
};

/// CUDA's name of a status, such as "cudaErrorInvalidValue"; "cudaErrorUnknown" for a number not listed above when the
/// library was built without CUDA.
UPSWEEP_EXPORT const char* status_name(status s);

/// One sentence on what the status means.
UPSWEEP_EXPORT const char* status_text(status s);

}  // namespace upsweep::inline UPSWEEP_ABI
