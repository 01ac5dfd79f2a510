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

// Of few keys all are sorted into the workspace, and those of an iterator are written there first.
TEST(top_k, its_workspace_has_room_for_the_keys_of_an_iterator) {
  std::uint32_t* const out = nullptr;
  for (const std::int64_t n : {100, 5000, 1 << 15}) {
    const std::size_t needed =
        static_cast<std::size_t>(n) * sizeof(*out) + sort_keys_workspace_bytes(squares{}, out, n);
    EXPECT_GE(top_k_keys_workspace_bytes(squares{}, out, n, n), needed) << n;
    EXPECT_GE(top_k_keys_workspace_bytes(squares{}, out, n, 5), needed) << n;
  }
}

}  // namespace
}  // namespace upsweep::test
