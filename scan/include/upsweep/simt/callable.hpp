// Functors of users that may change themselves.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// What to call instead of a functor that a kernel has been given and must not change: itself, or a copy of it where
/// its operator() for these arguments is not const. Which of them it is makes no difference to any type, so that host
/// and GPU may see it in different ways, as they do lambdas.
///
///   auto&& vote = callable<std::int64_t>(given);
template <class... Args, class Functor>
UPSWEEP_HOST_DEVICE constexpr decltype(auto) callable(const Functor& f) {
  if constexpr (requires(Args... args) { f(static_cast<Args>(args)...); }) {
    return (f);
  } else {
    return Functor(f);
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
