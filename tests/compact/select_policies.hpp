// The compactions under test: vote_scan_compact with several scans, and the single pass.
#pragma once

#include "contracts/kept_before_contract.hpp"
#include "contracts/select_argument_contract.hpp"
#include "contracts/select_contract.hpp"
#include "contracts/select_items_contract.hpp"
#include "contracts/select_votes_contract.hpp"
#include "upsweep/compact/policy.hpp"

namespace upsweep::test {

using detail::kernel_limits;
using detail::pipelined_compact_shape;

template <class ScanPolicy>
using compact_with = vote_scan_compact<ScanPolicy>;

/// Small tiles, so that few items go through all stages.
struct small_stages : pipelined_compact_shape {
  static constexpr kernel_limits limits{.few_bytes = 0, .ring_bytes = 0, .ring_item_bytes = 256, .cluster_blocks = 1};
  template <class Item>
  static constexpr int voters = 2;
  static constexpr int writers = 2, most_stages = 2, most_loads = 1;
  template <class Item>
  static constexpr int tile_items = sizeof(Item) == 4 ? 1024 : 256;
};
/// Nothing is touched then.
template <class Stream>
void refuses_all_but_a_count_of_8_bytes(test_device<Stream>& d) {
  using method = compact_with<default_scan_policy>;
  constexpr std::int64_t n = 100;
  guarded_array<std::uint32_t, Stream> in(d, n), out(d, n), rejected(d, n), small(d, 3);
  guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
  const guarded_array<std::uint8_t, Stream> flags(d, std::vector<std::uint8_t>(n, 1));
  const soa_array array{in.data(), out.data(), 4}, parted{in.data(), out.data(), 4, rejected.data()};
  const vote_flagged<std::uint8_t> vote{flags.data()};
  guarded_array<unsigned char, Stream> work(d,
                                            select_arrays_workspace_bytes<method>({&array, 1}, count.data(), n, vote));
  const auto answer = [&](const soa_array& a, auto items, const select_results& results,
                          rejected_order order = rejected_order::apart) {
    return static_cast<status>(partition_arrays<method>(workspace{work.data(), work.size()}, {&a, 1}, results, items,
                                                        vote, order, d.stream()));
  };
  const select_results alone(count.data());
  select_results limited = alone, telling = alone, listing = alone, drawing = alone;
  limited.capacity = 0;
  telling.wanted = small.data();
  listing.indices = rejected.data();
  drawing.indirect.draw = small.data();
  for (const select_results& results : {limited, telling, listing, drawing, select_results(small.data())}) {
    EXPECT_EQ(answer(array, n, results), status::not_supported);
  }
  EXPECT_EQ(answer(array, n, alone, rejected_order::after), status::not_supported);
  EXPECT_EQ(answer(parted, n, alone), status::not_supported);
  EXPECT_EQ(answer(array, device_count{static_cast<const std::int64_t*>(count.data()), n}, alone),
            status::not_supported);
  for (auto* a : {&in, &out, &rejected, &small}) a->expect_unchanged();
  count.expect_unchanged();
  work.expect_unchanged();
}

template <int ClusterBlocks>
struct only_tiles : pipelined_compact_shape {
  static constexpr kernel_limits limits{
      .few_bytes = 0, .ring_bytes = std::int64_t{1} << 60, .cluster_blocks = ClusterBlocks};
};
using tiles_alone = fused<64, 2, only_tiles<1>>;
using tiles_of_clusters = fused<64, 2, only_tiles<16>>;
using pipelined = fused<64, 2, small_stages>;
struct without_clusters : pipelined_compact_shape {
  static constexpr kernel_limits limits{.ring_bytes = 4 << 20, .cluster_blocks = 1};
};

/// By default few elements go through smaller tiles than many, which is all that is added to the single pass.
template <class Stream>
bool add_select_contracts_of_the_default() {
  add_select_contract<default_compact_policy, Stream>("default");
  return true;
}

/// Which scan it is makes no difference to the kernels of the compaction.
template <class Stream>
bool add_select_contracts_of_scans() {
  add_select_contract<compact_with<decoupled_lookback<brent_kung<64>, 2>>, Stream>(
      "vote_scan_compact/decoupled_lookback_brent_kung_64x2");
  add_select_contract<compact_with<scan_then_propagate<warp_scans<64>, 3>>, Stream>(
      "vote_scan_compact/scan_then_propagate_warp_scans_64x3");
  add_select_contract<compact_with<scan_then_propagate<brent_kung<128>, 4>>, Stream>(
      "vote_scan_compact/scan_then_propagate_brent_kung_128x4");
  return true;
}

template <class Stream>
bool add_select_contracts_of_vote_scan_compact() {
  add_select_contract<compact_with<default_scan_policy>, Stream>("vote_scan_compact/default");
  add_test<Stream>("vote_scan_compact/default", "refuses_all_but_a_count_of_8_bytes",
                   [](test_device<Stream>& d) { refuses_all_but_a_count_of_8_bytes(d); });
  add_select_votes_contract<compact_with<default_scan_policy>, Stream>("vote_scan_compact/default");
  add_select_contract<vote_scan_compact<default_scan_policy, 0>, Stream>("vote_scan_compact/64_bit_positions");
  return true;
}

template <class Stream>
bool add_select_contracts_of_tiles_and_registers() {
  add_select_contract<tiles_alone, Stream>("fused/64x2");
  add_select_argument_contract<tiles_alone, Stream>("fused/64x2");
  add_select_items_contract<tiles_alone, Stream>("fused/64x2");
  add_select_votes_contract<tiles_alone, Stream>("fused/64x2");
  add_select_contract<tiles_of_clusters, Stream>("fused/clusters_of_64x2");
  add_select_argument_contract<tiles_of_clusters, Stream>("fused/clusters_of_64x2");
  add_test<Stream>("fused/clusters_of_64x2", "partitions_as_many_as_it_says_in_device_memory",
                   [](test_device<Stream>& d) { partitions_n_of_device_memory<tiles_of_clusters>(d, 1500); });
  add_select_contract<fused<>, Stream>("fused/default");
  add_select_items_contract<fused<>, Stream>("fused/default");
  add_select_votes_contract<fused<>, Stream>("fused/default");
  add_select_argument_contract<fused<>, Stream>("fused/default");
  using registers = fused<64, 2, without_clusters>;
  add_select_contract<registers, Stream>("fused/registers");
  add_select_items_contract<registers, Stream>("fused/registers");
  add_select_votes_contract<registers, Stream>("fused/registers");
  add_test<Stream>("fused/registers", "takes_n_from_device_memory_where_the_count_may_go",
                   [](test_device<Stream>& d) { takes_n_from_device_memory<registers>(d, 9000); });
  add_test<Stream>("fused/registers", "takes_n_of_arrays_of_words_from_device_memory",
                   [](test_device<Stream>& d) { takes_n_of_words_from_device_memory<registers>(d, 1300); });
  return true;
}

template <class Stream>
bool add_select_contracts_of_the_ring() {
  add_select_items_contract<pipelined, Stream>("fused/pipelined");
  add_select_votes_contract<pipelined, Stream>("fused/pipelined");
  add_select_argument_contract<pipelined, Stream>("fused/pipelined");
  add_test<Stream>("fused/pipelined", "selects_by_flags_of_the_items_type",
                   [](test_device<Stream>& d) { selects_by_flags_of_the_items_type<pipelined>(d); });
  add_kept_before_contract<Stream>();
  return true;
}

}  // namespace upsweep::test
