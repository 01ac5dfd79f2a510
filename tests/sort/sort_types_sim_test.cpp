#include "contracts/sort_types_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_types_contracts<sim_stream>();

}  // namespace
}  // namespace upsweep::test
