// Which scan the default is, and that it scans on both sides of each limit.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/oracle.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {
namespace {

template <class T>
scan_variant picked(std::int64_t n, bool has_clusters = true) {
  return default_scan::pick<T>(n, has_clusters, [](auto policy) { return decltype(policy)::variant; });
}

constexpr scan_variant tiles_of(scan_strategy strategy, int threads, int items) {
  return {strategy, block_algorithm::warp_scans, threads, items};
}

TEST(default_scan, is_picked_by_the_bytes_that_n_items_take) {
  using enum scan_strategy;
  using word = std::uint32_t;
  for (const std::int64_t n : {1, 2048}) EXPECT_EQ(picked<word>(n), tiles_of(single_block, 512, 4)) << n;
  for (const std::int64_t n : {2049, 4096}) EXPECT_EQ(picked<word>(n), tiles_of(single_block, 1024, 4)) << n;
  for (const std::int64_t n : {4097, 16384}) EXPECT_EQ(picked<word>(n), tiles_of(cluster, 256, 4)) << n;
  for (const std::int64_t n : {16385, 32768}) EXPECT_EQ(picked<word>(n), tiles_of(cluster, 512, 4)) << n;
  for (const std::int64_t n : {32769, 65536}) EXPECT_EQ(picked<word>(n), tiles_of(cluster, 1024, 4)) << n;
  for (const std::int64_t n : {65537, 1 << 21}) EXPECT_EQ(picked<word>(n), tiles_of(reduce_then_scan, 256, 16)) << n;
  for (const std::int64_t n : {(1 << 21) + 1, 1 << 22}) {
    EXPECT_EQ(picked<word>(n), tiles_of(decoupled_lookback, 256, 32)) << n;
  }
  for (const std::int64_t n : {(std::int64_t{1} << 22) + 1, std::int64_t{1} << 40}) {
    EXPECT_EQ(picked<word>(n), tiles_of(decoupled_lookback_pipelined, 256, 32)) << n;
  }
  EXPECT_EQ(picked<double>(2048), tiles_of(single_block, 1024, 2));
  EXPECT_EQ(picked<double>(8192), tiles_of(cluster, 256, 2));
  EXPECT_EQ(picked<double>(8193), tiles_of(cluster, 512, 2));
  EXPECT_EQ(picked<double>(32768), tiles_of(cluster, 512, 4));
  EXPECT_EQ(picked<double>(32769), tiles_of(reduce_then_scan, 256, 8));
  EXPECT_EQ(picked<double>(1 << 20), tiles_of(reduce_then_scan, 256, 8));
  EXPECT_EQ(picked<double>(1 << 22), tiles_of(decoupled_lookback, 256, 16));
  EXPECT_EQ(picked<double>((1 << 22) + 1).strategy, decoupled_lookback_pipelined);
  EXPECT_EQ(picked<double>(std::int64_t{1} << 30), tiles_of(decoupled_lookback_pipelined, 384, 32));
  struct three_words {
    word x, y, z;
  };
  EXPECT_EQ(picked<three_words>(4096), tiles_of(cluster, 256, 1));
  EXPECT_EQ(picked<three_words>(4097), tiles_of(cluster, 512, 1));
  EXPECT_EQ(picked<three_words>(16384), tiles_of(cluster, 1024, 1));
  EXPECT_EQ(picked<three_words>(16385).strategy, reduce_then_scan);
  EXPECT_EQ(picked<three_words>((8 << 20) / 12), tiles_of(reduce_then_scan, 256, 5));
  EXPECT_EQ(picked<three_words>((8 << 20) / 12 + 1), tiles_of(decoupled_lookback_pipelined, 256, 48));
  EXPECT_EQ(picked<affine>((1 << 19) + 1), tiles_of(decoupled_lookback_pipelined, 384, 48));
  struct colour {
    std::uint8_t r, g, b;
  };
  EXPECT_EQ(picked<colour>((8 << 20) / 3 + 1), tiles_of(decoupled_lookback_pipelined, 256, 32));
  EXPECT_EQ(picked<std::uint8_t>(8192), tiles_of(single_block, 512, 16));
  EXPECT_EQ(picked<std::uint8_t>(16384), tiles_of(single_block, 1024, 16));
  EXPECT_EQ(picked<std::uint8_t>(1 << 17), tiles_of(cluster, 512, 16));
  for (const std::int64_t n : {(1 << 17) + 1, 1 << 21}) {
    EXPECT_EQ(picked<std::uint8_t>(n), tiles_of(reduce_then_scan, 256, 16)) << n;
  }
  for (const std::int64_t n : {(1 << 21) + 1, 1 << 23}) {
    EXPECT_EQ(picked<std::uint8_t>(n), tiles_of(decoupled_lookback, 256, 32)) << n;
  }
  EXPECT_EQ(picked<std::uint16_t>(1 << 16), tiles_of(cluster, 512, 8));
  for (const std::int64_t n : {(1 << 16) + 1, 1 << 21}) {
    EXPECT_EQ(picked<std::uint16_t>(n), tiles_of(reduce_then_scan, 256, 16)) << n;
  }
  EXPECT_EQ(picked<std::uint16_t>((1 << 21) + 1), tiles_of(decoupled_lookback, 256, 32));
  EXPECT_EQ(picked<std::uint8_t>(std::int64_t{1} << 30), tiles_of(decoupled_lookback_pipelined, 512, 16));
}

TEST(default_scan, is_by_two_launches_where_there_are_no_clusters) {
  EXPECT_EQ(picked<float>(4096, false).strategy, scan_strategy::single_block);
  for (const std::int64_t n : {4097, 65536}) {
    EXPECT_EQ(picked<float>(n, false), tiles_of(scan_strategy::reduce_then_scan, 256, 16)) << n;
  }
}

/// Scans n items that must be combined in order, and looks at every sum.
void expect_scanned(const test_device<sim_stream>& device, std::int64_t n) {
  using word = std::uint64_t;
  using items = span_of<word>;  // of 16 bytes
  SCOPED_TRACE(n);
  std::vector<items> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].first = all[i].last = static_cast<word>(i + 2);
  const guarded_array<items, sim_stream> in(device, all), out(device, all.size() + 1);
  guarded_array<std::uint32_t, sim_stream> misused(device, std::vector<std::uint32_t>{0});
  const join<word> op{misused.data()};
  const items init{1, 1};
  const std::size_t bytes = exclusive_scan_workspace_bytes(in.data(), out.data(), n, op, init);
  const guarded_array<unsigned char, sim_stream> work(device, bytes);
  ASSERT_EQ(exclusive_scan_with_total({work.data(), bytes}, in.data(), out.data(), out.data() + n, n, op, init,
                                      device.stream()),
            status::success)
      << device.message();
  for (std::int64_t i = 0; i <= n; ++i) {
    ASSERT_EQ(out.data()[i], (items{1, static_cast<word>(i + 1)})) << "item " << i;
  }
  EXPECT_EQ(misused.data()[0], 0u) << "the operator ran on values that do not adjoin";
}

TEST(default_scan, scans_on_both_sides_of_each_limit) {
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  for (const std::int64_t limit : {1 << 9, 1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 19, 1 << 21}) {
    for (const std::int64_t n : {limit, limit + 1}) expect_scanned(device, n);
  }
}

TEST(default_scan, scans_where_clusters_have_fewer_blocks_or_there_are_none) {
  auto way = test_device<sim_stream>::ways().front();
  for (const int most : {8, 2, 1}) {
    SCOPED_TRACE(std::to_string(most) + " blocks");
    way.options.most_cluster_blocks = most;
    const test_device<sim_stream> device(way);
    for (const std::int64_t n : {1 << 12, 1 << 14}) expect_scanned(device, n);
  }
}

TEST(default_scan, needs_the_workspace_that_it_asks_for_even_where_it_goes_a_way_with_less) {
  constexpr std::int64_t most = 1 << 24;
  using word = std::uint32_t;
  const auto items = std::make_unique_for_overwrite<word[]>(most);
  for (const std::int64_t n : {std::int64_t{4097}, most}) {
    items[0] = 7, items[1] = 9;
    const std::size_t bytes = inclusive_sum_workspace_bytes(items.get(), items.get(), n);
    ASSERT_GT(bytes, 0u);
    const auto memory = std::make_unique_for_overwrite<unsigned char[]>(bytes);
    for (const workspace w : {workspace{memory.get(), bytes - 1}, workspace{nullptr, bytes}, workspace{}}) {
      EXPECT_EQ(inclusive_sum(w, items.get(), items.get(), n, sim_stream{}), status::invalid_value) << n;
      EXPECT_EQ(items[1], 9u) << "the items were scanned";
    }
  }
}

}  // namespace
}  // namespace upsweep::test
