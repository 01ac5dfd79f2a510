#include "contracts/frame_kernels_contract.hpp"
#include "contracts/splat_kernels_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_frame_kernels_contract<sim_stream>() && add_splat_kernels_contract<sim_stream>();

}  // namespace
}  // namespace upsweep::test
