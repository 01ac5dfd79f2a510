#include "contracts/sort_keys_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_keys_contracts<sim_stream>();

}  // namespace
}  // namespace upsweep::test
