#include "sort/sort_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_contracts_of_scans<sim_stream>() && [] {
  add_sort_contract<sort_with<serial>, std::uint32_t, sim_stream>("upsweep_downsweep/serial", false);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
