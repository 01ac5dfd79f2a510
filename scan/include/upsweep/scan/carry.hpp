// What comes before the first item.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

enum class scan_kind { exclusive, inclusive };

/// The prefix of a stretch of items. It may be absent: an operator need not have an identity.
template <class T>
struct carry {
  T value;
  bool present;

  /// The prefix after `next`, too.
  template <class Op>
  UPSWEEP_HOST_DEVICE T then(const T& next, Op op) const {
    return present ? op(value, next) : next;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
