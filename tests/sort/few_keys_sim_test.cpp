#include "sort/few_keys_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_few_keys_contracts<sim_stream>();

}  // namespace
}  // namespace upsweep::test
