#include "compact/select_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_select_contracts_of_scans<sim_stream>() && add_select_contracts_of_the_default<sim_stream>();

}  // namespace
}  // namespace upsweep::test
