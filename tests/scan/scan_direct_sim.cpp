// Look-back over few tiles: the contract of all scans, with status and value in one word, and apart.
#include "contracts/scan_contract.hpp"

namespace upsweep::test {
namespace {

template <class Items>
bool add_crowded(const std::string& type_name) {
  using policy = direct_lookback<warp_scans<64>, 1>;
  using T = typename Items::item;
  scan_contract<sim_stream, Items>::add_crowded(type_name,
                                                make_scan_under_test<policy, sim_stream, T, typename Items::op_type>());
  return true;
}

using span8 = joined_spans<std::uint32_t>;
using span16 = joined_spans<std::uint64_t>;
const bool added =
    add_crowded<span8>("span8/direct") &&
    add_scan_contract<sim_stream, span8>("span8/direct", std::tuple<direct_lookback<warp_scans<32>, 1>>{}) &&
    add_scan_contract<sim_stream, span8>("span8/direct_then_back",
                                         std::tuple<direct_lookback<warp_scans<64>, 1, 5>>{}) &&
    add_scan_contract<sim_stream, span8>("span8/direct_in_two_launches",
                                         std::tuple<direct_reduce_then_scan<warp_scans<64>, 1>>{}) &&
    add_scan_contract<sim_stream, sum_of<std::uint32_t>>("u32/direct_in_two_launches",
                                                         std::tuple<direct_reduce_then_scan<warp_scans<96>, 2>>{}) &&
    (race_check || add_crowded<span16>("span16/direct")) &&
    // The race checker has no time for the sizes of the smallest tile once more.
    add_scan_contract<sim_stream, span16>("span16/direct",
                                          std::tuple<direct_lookback<warp_scans<race_check ? 96 : 32>, 1>>{});

}  // namespace
}  // namespace upsweep::test
