#include "compact/select_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_select_contracts_of_vote_scan_compact<sim_stream>() && [] {
  add_select_contract<compact_with<serial>, sim_stream>("vote_scan_compact/serial");
  return true;
}();

}  // namespace
}  // namespace upsweep::test
