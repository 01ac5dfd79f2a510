#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

using u8 = sum_of<std::uint8_t>;
// That of the default for many bytes, whose tile is too large for the race checker.
using of_default = std::conditional_t<race_check, std::tuple<>, std::tuple<decoupled_lookback_pipelined<512, 16>>>;
const bool added = add_scan_contracts<sim_stream, u8, sklansky<96>, kogge_stone<256>>("u8") &&
                   add_scan_contract<sim_stream, u8>("u8", of_default{});

}  // namespace
