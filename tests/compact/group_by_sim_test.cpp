#include "compact/group_by_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_group_by_contracts<sim_stream>() && add_more_group_by_contracts<sim_stream>();

}  // namespace
}  // namespace upsweep::test
