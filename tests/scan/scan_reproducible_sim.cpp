#include "contracts/reproducible_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_reproducible_contracts<sim_stream>();

/// Blocks that begin without a sum, after more groups than are read at once, and before any mark is there.
const bool crowded = [] {
  using spans = joined_spans<std::uint32_t>;
  using policy = block_for_each_tile<reproducible_scan<32, 1>>;
  scan_contract<sim_stream, spans>::add_crowded(
      "span8/reproducible_by_iterator", make_scan_under_test<policy, sim_stream, spans::item, spans::op_type>());
  return true;
}();

}  // namespace
}  // namespace upsweep::test
