#include "contracts/sum_types_contract.hpp"

namespace {

const bool added = upsweep::test::add_sum_types_contracts<upsweep::sim_stream>();

}  // namespace
