// Host memory that a sort of host memory uses between its two trips.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// Host memory for sort_*_from_host: {pointer, bytes}, the caller's, of any content and alignment, until the call
/// returns; or input_as_scratch.
struct host_scratch {
  void* data = nullptr;      ///< null for none
  std::size_t bytes = 0;     ///< as *_scratch_bytes says
  bool takes_input = false;  ///< of input_as_scratch
};

/// Makes the input the scratch: it must be writable, and its contents are lost.
inline constexpr host_scratch input_as_scratch{nullptr, 0, true};

}  // namespace upsweep::inline UPSWEEP_ABI
