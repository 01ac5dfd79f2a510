#include "contracts/stream_from_host_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_stream_from_host_contracts<sim_stream>();

}  // namespace
}  // namespace upsweep::test
