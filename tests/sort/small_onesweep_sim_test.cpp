#include "sort/sort_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_contracts_of_small_onesweep<sim_stream>();

}  // namespace
}  // namespace upsweep::test
