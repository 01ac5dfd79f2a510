#include "contracts/block_contract.hpp"

namespace {

using namespace upsweep::test;

const bool added = add_block_contracts<upsweep::sim_stream, joined_spans<std::uint32_t>>("span8", all_block_sizes{});

}  // namespace
