// How host memory goes through a device.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How a call on host memory copies, and its callback for progress. The defaults suit most uses.
struct from_host_options {
  /// Bytes of each pinned buffer, of which each direction has four, for host memory that is not pinned; not 0.
  std::size_t buffer_bytes = std::size_t{16} << 20;
  /// How many threads of the CPU copy to and from these buffers, for each direction; 0: a quarter of the cores, at most
  /// 8.
  int copy_threads = 0;
  /// Uses these buffers even if the memory is pinned.
  bool always_by_buffers = false;
  /// The least size of a chunk in bytes, unless the device memory is too small for it.
  std::size_t least_chunk_bytes = std::size_t{32} << 20;
  /// Called for each chunk, on the caller's thread, with the bytes copied to the device so far and in all; may be null.
  void (*progress)(void* context, std::uint64_t done, std::uint64_t total) = nullptr;
  void* progress_context = nullptr;  ///< what `progress` gets as its first argument
};

}  // namespace upsweep::inline UPSWEEP_ABI
