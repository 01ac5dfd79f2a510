#include "contracts/keep_flags_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_keep_flags_contract<sim_stream>();

}  // namespace
}  // namespace upsweep::test
