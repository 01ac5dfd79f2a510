// How many items of host memory go through a device at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/from_host_options.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// The largest x of [0, most] for which fits(x), which is false after the first x for which it is; 0 fits.
template <class Fits>
std::int64_t largest_that(std::int64_t most, Fits fits) {
  std::int64_t low = 0;
  while (low < most) {
    const std::int64_t middle = low + (most - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      most = middle - 1;
    }
  }
  return low;
}

/// Items of a chunk where each goes up and down once: a good number, if the device has the bytes_of(it); 0 when there
/// is no room for one.
template <class BytesOf>
std::int64_t chunk_items(std::int64_t n, std::size_t item_bytes, std::size_t device_bytes,
                         const from_host_options& options, BytesOf bytes_of) {
  const auto good = static_cast<std::int64_t>(options.least_chunk_bytes / item_bytes) + 1;
  return largest_that((std::min)(n, good),
                      [&](std::int64_t items) { return items == 0 || bytes_of(items) <= device_bytes; });
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
