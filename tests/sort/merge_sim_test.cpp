#include "sort/merge_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_merge_contracts<sim_stream>() && add_bounds_contracts<sim_stream>();

}  // namespace
}  // namespace upsweep::test
