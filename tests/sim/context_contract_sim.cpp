#include "contracts/context_contract.hpp"

namespace {

const bool added = upsweep::test::add_context_contract<upsweep::sim_stream>();

}  // namespace
