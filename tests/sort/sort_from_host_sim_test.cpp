#include "contracts/sort_from_host_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_from_host_contracts<sim_stream>(2000);

}  // namespace
}  // namespace upsweep::test
