// Where items go that are not kept.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Where the items go that are not kept: one behind the other from `first` on, or in front of it from the n-th on.
template <class Item>
struct rejected_items {
  Item* first;
  bool backwards;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
