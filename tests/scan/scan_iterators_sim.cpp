#include "contracts/scan_iterator_contract.hpp"

namespace upsweep::test {
namespace {

const bool added =
    add_scan_iterator_contracts<sim_stream>() && add_scan_iterator_contract<sim_stream, serial>("serial");

}  // namespace
}  // namespace upsweep::test
