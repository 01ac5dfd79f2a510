#include "contracts/scan_types_contract.hpp"

namespace {

const bool added = upsweep::test::scan_types_contract<upsweep::sim_stream>::add();

}  // namespace
