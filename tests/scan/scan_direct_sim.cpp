// Look-back over few tiles: the contract of all scans, with status and value in one word, and apart.
#include "contracts/scan_contract.hpp"

namespace upsweep::test {
namespace {

template <class Items>
bool add(const std::string& type_name) {
  using policy = direct_lookback<warp_scans<64>, 1>;
  using T = typename Items::item;
  scan_contract<sim_stream, Items>::add_crowded(type_name,
                                                make_scan_under_test<policy, sim_stream, T, typename Items::op_type>());
  return add_scan_contract<sim_stream, Items>(type_name, std::tuple<direct_lookback<warp_scans<32>, 1>>{});
}

const bool added = add<joined_spans<std::uint32_t>>("span8/direct") &&
                   (race_check || add<joined_spans<std::uint64_t>>("span16/direct"));

}  // namespace
}  // namespace upsweep::test
