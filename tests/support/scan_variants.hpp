// What tests that go through runtime::scan_variants() need.
#pragma once

#include <string>

#include "support/internals.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/runtime.hpp"

namespace upsweep::test {

inline std::string name_of(const scan_variant& v) {
  return std::string(upsweep::name_of(v.strategy)) + " " + std::string(upsweep::name_of(v.block)) + " " +
         std::to_string(v.block_threads) + " x " + std::to_string(v.items_per_thread);
}

/// True for the variants that the device can run.
inline bool runs_on(runtime::device& d, const scan_variant& v) {
  return runtime::runs_on(v, d);
}

}  // namespace upsweep::test
