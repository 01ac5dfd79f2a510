#include "contracts/flagged_indices_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_flagged_indices_contract<sim_stream>();

}  // namespace
}  // namespace upsweep::test
