#include "contracts/item_sizes_contract.hpp"

namespace {

const bool added = upsweep::test::add_item_sizes_contract<upsweep::sim_stream>();

}  // namespace
