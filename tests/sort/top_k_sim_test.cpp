#include "top_k_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = [] {
  add_short_top_k_contracts<sim_stream>();
  return true;
}();

TEST(top_k, its_workspace_grows_with_n_and_k) {
  expect_growing_workspace<default_top_k_policy>();
}

}  // namespace
}  // namespace upsweep::test
