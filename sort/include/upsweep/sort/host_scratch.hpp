// Host memory that a sort of host memory uses between its two trips.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// {pointer, bytes}: the caller's host memory, of any content and alignment, until the call returns; or
/// input_as_scratch.
struct host_scratch {
  void* data = nullptr;      ///< null for none
  std::size_t bytes = 0;     ///< as *_scratch_bytes says
  bool takes_input = false;  ///< of input_as_scratch
};

/// The input's own memory is the scratch: it must be writable, its contents are lost, and no more is needed.
inline constexpr host_scratch input_as_scratch{nullptr, 0, true};

}  // namespace upsweep::inline UPSWEEP_ABI
