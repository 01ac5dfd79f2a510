#include "contracts/scan_iterator_contract.hpp"

namespace upsweep::test {
namespace {

#ifdef UPSWEEP_RACE_CHECK
const bool added = add_scan_iterator_contracts<sim_stream>();
#else
const bool added =
    add_more_scan_iterator_contracts<sim_stream>() && add_scan_iterator_contract<sim_stream, serial>("serial");
#endif

}  // namespace
}  // namespace upsweep::test
