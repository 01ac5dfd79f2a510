#include "contracts/onesweep_contract.hpp"
#include "contracts/sort_keys_contract.hpp"
#include "contracts/two_buffers_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_keys_contracts<sim_stream>() && [] {
  add_two_buffers_contract<default_sort_policy, sim_stream>("two_buffers/default", 900);
  add_two_buffers_contract<onesweep_with<256, 2, 7>, sim_stream>("two_buffers/7_bits", 700);
  add_two_buffers_contract<by_place<onesweep_with<256, 2, 4>>, sim_stream>("two_buffers/4_bits_by_place", 700);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
