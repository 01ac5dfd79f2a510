// Host memory that a sort of host memory uses between its two trips.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// {pointer, bytes} of any content and alignment, of the caller's; or the input itself.
struct host_scratch {
  void* data = nullptr;
  std::size_t bytes = 0;
  bool takes_input = false;
};

/// The input is written over: its memory must be writable, and no other host memory is needed.
inline constexpr host_scratch input_as_scratch{nullptr, 0, true};

}  // namespace upsweep::inline UPSWEEP_ABI
