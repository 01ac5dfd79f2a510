// How many items a call has: a number, or one in device memory. Kernels are compiled once for both. Included before
// the headers of the library that define calls, which then know it as an n.
#pragma once

#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::python {

/// The smaller of *count and bound; where count is null, bound. Kernels read memory only where there is a count.
struct item_count {
  const std::int64_t* count;
  std::int64_t bound;
};

}  // namespace upsweep::python

// What the library asks of an n (upsweep/scan/arguments.hpp, upsweep/compact/arguments.hpp).
namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <>
inline constexpr bool is_count<python::item_count> = true;

inline std::int64_t bound_of(const python::item_count& n) {
  return n.bound;
}
inline python::item_count count_argument(const python::item_count& n) {
  return n;
}
/// Where n lies; never null, as that is refused.
inline const std::int64_t* place_of(const python::item_count& n) {
  static constexpr std::int64_t on_the_host = 0;
  return n.count != nullptr ? n.count : &on_the_host;
}

UPSWEEP_DEVICE std::int64_t items_of(const python::item_count& n) {
  if (n.count == nullptr) return n.bound;
  return items_of(device_count<std::int64_t>{n.count, n.bound});
}
/// The same where the count may be overwritten while the kernel runs.
template <class Ctx>
UPSWEEP_DEVICE std::int64_t items_of(Ctx& block, const python::item_count& n) {
  if (n.count == nullptr) return n.bound;
  const std::int64_t count = block.load_relaxed(n.count);
  return items_of(device_count<std::int64_t>{&count, n.bound});
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
