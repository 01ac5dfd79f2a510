// Where items go that are not kept.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Where the items go that are not kept: one after another from `first` on, or before it from the n-th on.
template <class Item>
struct rejected_items {
  Item* first;
  bool backwards;

  /// The place of item j of them, of n items in all.
  UPSWEEP_HOST_DEVICE Item* at(std::int64_t j, std::int64_t n) const { return first + (backwards ? n - 1 - j : j); }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
