// Expansions: the default, and small tiles after a scan that is compiled quickly.
#pragma once

#include "contracts/expand_contract.hpp"
#include "upsweep/scan/policy.hpp"

namespace upsweep::test {

template <class Stream>
bool add_expand_contracts() {
  using scan = chained_scan<warp_scans<64>, 2>;
  add_expand_contract<balanced_expand<scan, 32, 1>, Stream>("expand/32x1");
  add_expand_contract<balanced_expand<scan, 96, 3>, Stream>("expand/96x3");
  return true;
}

}  // namespace upsweep::test
