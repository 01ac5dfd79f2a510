#include "compact/select_policies.hpp"
#include "contracts/item_sizes_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_item_sizes_contract<default_compact_policy, sim_stream>("item_sizes");
#ifdef UPSWEEP_RACE_CHECK  // by the ring, which takes more items by default than there are then
const bool added_pipelined = add_item_sizes_contract<pipelined, sim_stream>("item_sizes/pipelined");
#endif

}  // namespace
}  // namespace upsweep::test
