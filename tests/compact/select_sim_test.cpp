#include "compact/select_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_select_contracts_of_tiles_and_registers<sim_stream>();

TEST(selection_by_default, goes_another_way_where_clusters_have_fewer_blocks_or_there_are_none) {
  auto way = test_device<sim_stream>::ways().front();
  for (const int most : {8, 1}) {
    way.options.most_cluster_blocks = most;
    test_device<sim_stream> device(way);
    for (const std::int64_t n : {9000, 40000}) {  // 16 blocks would take them: of 256 threads, of 1024
      for (const bool in_place : {false, true}) {
        const auto votes = random_flags(n, 50);
        item_selection<fused<>, std::uint32_t, sim_stream> selection(device, votes, 0, in_place);
        const guarded_array<std::uint8_t, sim_stream> flags(device, votes);
        selection.run(vote_flagged<std::uint8_t>{flags.data()});
        select_case<fused<>, sim_stream> tiles(device, n);
        for (const std::size_t size : {1, 4}) tiles.add_array(size, in_place);
        tiles.run(votes);
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::test
