#include "compact/select_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_select_contracts_of_the_ring<sim_stream>();

}  // namespace
}  // namespace upsweep::test
