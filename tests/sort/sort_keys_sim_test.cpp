#include "contracts/onesweep_contract.hpp"
#include "contracts/sort_keys_contract.hpp"
#include "contracts/two_buffers_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_keys_contracts<sim_stream>() && [] {
  add_two_buffers_contract<default_sort_policy, sim_stream>("two_buffers/default", 900);
  add_in_place_contract<default_sort_policy, sim_stream>("two_buffers/default", 900);
  add_two_buffers_contract<onesweep_with<256, 2, 7>, sim_stream>("two_buffers/7_bits", 700);
  add_two_buffers_contract<by_place<onesweep_with<256, 2, 4>>, sim_stream>("two_buffers/4_bits_by_place", 700);
  return true;
}();

TEST(sort_by_default, goes_another_way_where_clusters_have_fewer_blocks_or_there_are_none) {
  auto way = test_device<sim_stream>::ways().front();
  for (const int most : {8, 1}) {
    way.options.most_cluster_blocks = most;
    const test_device<sim_stream> device(way);
    constexpr int n = 9000;  // 16 blocks would sort them
    auto keys = keys_of_random_bits<std::uint32_t>(n);
    guarded_array<std::uint32_t, sim_stream> in(device, keys), out(device, n);
    guarded_array<std::uint64_t, sim_stream> count(device, std::vector<std::uint64_t>{n});
    guarded_array<unsigned char, sim_stream> work(device, sort_keys_workspace_bytes<std::uint32_t>(n));
    ASSERT_EQ(sort_keys(workspace{work.data(), work.size()}, static_cast<const std::uint32_t*>(in.data()), out.data(),
                        device_count{count.data(), n}, {}, sort_order::ascending, device.stream()),
              status::success)
        << device.message();
    std::ranges::sort(keys);
    EXPECT_TRUE(same_items(out.items(), keys));
  }
}

}  // namespace
}  // namespace upsweep::test
