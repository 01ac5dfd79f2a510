// One selection on an executor, its scan from the table.
#pragma once

#include "backends.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::runtime {

template <class Executor>
status select_by_variant(Executor executor, stream s, const select_call& c) {
  const vote_scan_compact method(variant_spine{s, c.variant});
  if (c.flags) return method.run(executor, c.work, c.arrays, c.n, vote_flagged<std::uint8_t>{c.flags}, c.num_selected);
  return method.run(executor, c.work, c.arrays, c.n, *c.rules, c.num_selected);
}

}  // namespace upsweep::runtime
