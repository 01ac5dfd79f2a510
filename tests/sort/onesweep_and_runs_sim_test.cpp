#include "sort/sort_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_contracts_of_onesweep_and_runs<sim_stream>();

}  // namespace
}  // namespace upsweep::test
