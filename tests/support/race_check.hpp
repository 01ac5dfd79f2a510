// Whether this program runs under the race checker.
#pragma once

#include "support/internals.hpp"

namespace upsweep::test {

/// Then the sizes that other tests cover by smaller tiles are left out: every access costs some twenty times as much.
#if defined(UPSWEEP_RACE_CHECK)
inline constexpr bool race_check = true;
#else
inline constexpr bool race_check = false;
#endif

}  // namespace upsweep::test
