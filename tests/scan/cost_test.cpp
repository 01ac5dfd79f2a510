// What policies say they cost, against what the sim counts. Bytes: cost_bytes_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "scan/cost_policies.hpp"
#include "support/counted.hpp"
#include "support/iterators.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

/// The sim, which counts launches of so many blocks; of any number when that is 0.
struct counting_executor : sim_executor {
  counting_executor(sim_stream s, std::int64_t blocks) : sim_executor(s), blocks(blocks) {}
  template <class Kernel, class... Args>
  status launch(grid g, const Kernel& kernel, Args... args) {
    if (blocks == 0 || g.blocks == blocks) ++launches;
    return sim_executor::launch(g, kernel, args...);
  }
  std::int64_t blocks;
  int launches = 0;
};

struct measured {
  int launches;  // over all items: with a block for every tile, where tiles have blocks of their own
  std::int64_t work;
};

template <class Policy, class Items>
measured measure(const sim_options& options, std::int64_t n, std::int64_t tiles) {
  using T = typename Items::item;
  const std::vector<T> in = Items::items(static_cast<std::size_t>(n));
  std::vector<T> out(in.size());
  std::vector<unsigned char> memory(Policy::template workspace_bytes<T, const T*, T*>(n));
  std::atomic<std::int64_t> count{0};
  const counted<T, typename Items::op_type> op{&count};
  counting_executor ex({&options}, tiles);
  EXPECT_EQ((Policy::template run<scan_kind::exclusive, T>(ex, {memory.data(), memory.size()}, in.data(), out.data(), n,
                                                           op, carry<T>{Items::init(), true})),
            status::success)
      << sim_diagnostic();
  return {ex.launches, count};
}

constexpr bool has_a_block_for_each_tile(scan_strategy s) {
  return has_tiles(s) && s <= scan_strategy::decoupled_lookback;
}

template <class Items>
std::string trace(const scan_variant& v, std::int64_t n) {
  return std::string(upsweep::name_of(v.strategy)) + " " + std::string(upsweep::name_of(v.block)) + " " +
         std::to_string(v.block_threads) + " x " + std::to_string(v.items_per_thread) + ", items of " +
         std::to_string(sizeof(typename Items::item)) + " bytes, n = " + std::to_string(n);
}

/// Block after block, so that a tile always finds the inclusive sum of the tile before.
template <class Items>
void expect_exact_costs() {
  using T = typename Items::item;
  sim_options one_by_one;
  one_by_one.os_threads = one_by_one.resident_blocks = 1;
  for_each_launching_policy([&](auto policy) {
    using policy_type = decltype(policy);
    for (const std::int64_t n : sizes_around_tiles<policy_type, T>()) {
      SCOPED_TRACE(trace<Items>(policy_type::variant, n));
      std::int64_t tiles = 0;
      if constexpr (has_a_block_for_each_tile(policy_type::variant.strategy)) {
        tiles = ceil_div(n, policy_type::template tile_items<T>);
      }
      const measured m = measure<policy_type, Items>(one_by_one, n, tiles);
      const scan_cost cost = policy_type::template cost<T>(n);
      EXPECT_EQ(cost.work, static_cast<double>(m.work));
      EXPECT_EQ(cost.passes, m.launches);
    }
  });
}

TEST(policies_of_the_contract, have_every_strategy_that_launches_kernels) {
  std::set<scan_strategy> all, some;
  for_each_launching_policy([&](auto policy) { all.insert(policy.variant.strategy); });
  std::apply([&](auto... policy) { (some.insert(policy.variant.strategy), ...); },
             some_policies<warp_scans<96>, warp_scans<256>>{});
  EXPECT_EQ(all.size(), scan_strategy_names.size() - 2) << "all but serial and the default";
  EXPECT_EQ(some, all);
}

TEST(scan_cost, counts_every_application_of_the_operator_and_every_kernel_over_all_items) {
  expect_exact_costs<sum_of<std::uint32_t>>();
  expect_exact_costs<affine_maps>();
}

TEST(scan_cost, of_look_back_leaves_out_few_applications_when_tiles_overtake_each_other) {
  using items = sum_of<std::uint32_t>;
  using policy = decoupled_lookback<warp_scans<96>, 3>;
  constexpr std::int64_t n = 400 * 96 * 3, tiles = 400;
  for (const auto& way : test_device<sim_stream>::ways()) {
    SCOPED_TRACE(way.name);
    sim_options options = way.options;
    options.seed += 1000 * seed();
    options.os_threads = 1;
    options.resident_blocks = 30;
    const auto work = static_cast<double>(measure<policy, items>(options, n, tiles).work);
    EXPECT_GE(work, policy::cost<std::uint32_t>(n).work);
    EXPECT_LT(work, policy::cost<std::uint32_t>(n).work + 130 * tiles);
  }
}

TEST(scan_cost, of_serial_is_one_application_one_read_and_one_write_an_item) {
  for (const std::int64_t n : {1, 1000}) {
    const std::vector<std::uint64_t> in(static_cast<std::size_t>(n), 3);
    std::vector<std::uint64_t> out(in.size());
    std::int64_t reads = 0, writes = 0;
    std::atomic<std::int64_t> count{0};
    sim_executor ex;
    ASSERT_EQ(
        (serial::run<scan_kind::exclusive, std::uint64_t>(
            ex, {}, counted_reads<std::uint64_t>{in.data(), &reads}, counted_writes<std::uint64_t>{out.data(), &writes},
            n, counted<std::uint64_t, plus>{&count}, carry<std::uint64_t>{0, true})),
        status::success);
    const scan_cost cost = serial::cost<std::uint64_t>(n);
    EXPECT_EQ(cost.passes, 1);
    EXPECT_EQ(cost.work, static_cast<double>(count));
    EXPECT_EQ(cost.bytes, static_cast<double>(8 * (reads + writes)));
  }
}

TEST(cost_of, is_what_the_variants_policy_declares) {
  EXPECT_EQ(runtime::cost_of({}, scalar_type::f64, 1 << 20), default_scan_policy::cost<double>(1 << 20));
  EXPECT_EQ(runtime::cost_of({scan_strategy::scan_then_propagate, block_algorithm::brent_kung, 256, 16},
                             scalar_type::u32, 123456),
            (scan_then_propagate<brent_kung<256>, 16>::cost<std::uint32_t>(123456)));
  EXPECT_EQ(runtime::cost_of({scan_strategy::serial, {}, 3, 4}, scalar_type::f32, 77), serial::cost<float>(77));
}

TEST(cost_of, is_known_for_every_compiled_variant_and_type_and_any_n) {
  for (const scan_variant& v : runtime::scan_variants()) {
    for (const scalar_type type : runtime::scan_types()) {
      for (const std::int64_t n : {std::int64_t{1}, std::int64_t{100000}, std::int64_t{1} << 40}) {
        SCOPED_TRACE(std::to_string(n));
        const scan_cost cost = runtime::cost_of(v, type, n);
        EXPECT_GE(cost.passes, 1);
        EXPECT_GE(cost.work, static_cast<double>(n - 1));
        EXPECT_GE(cost.bytes, 2 * static_cast<double>(n) * static_cast<double>(size_of(type)));
      }
    }
  }
}

TEST(cost_of, is_nothing_without_items_or_what_is_not_compiled) {
  for (const scan_variant& v : runtime::scan_variants()) {
    EXPECT_EQ(runtime::cost_of(v, scalar_type::u32, 0), scan_cost{});
    EXPECT_EQ(runtime::cost_of(v, scalar_type::u32, -1), scan_cost{});
    EXPECT_EQ(runtime::cost_of(v, scalar_type::u8, 100), scan_cost{});
  }
  EXPECT_EQ(
      runtime::cost_of({scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 224, 7}, scalar_type::u32, 100),
      scan_cost{});
}

}  // namespace
}  // namespace upsweep::test
