#include <functional>
#include <limits>
#include <set>

#include "scan/runtime_contract.hpp"
#include "support/test_device.hpp"

namespace upsweep::test {
namespace {

std::unique_ptr<runtime::device> open_sim() {
  std::string why;
  return runtime::open_device("sim", why);
}

/// Adds a test of the device's contract under the sim's random schedules. Those of the kernels have the others, too.
bool add_runtime_test(const char* claim, const std::function<void(runtime::device&, runtime::stream)>& body) {
  const auto random = test_device<sim_stream>::ways().back();
  add_test_on<sim_stream>(random, "runtime", claim, [body](test_device<sim_stream>& d) {
    body(*open_sim(), {runtime::backend::sim, const_cast<sim_options*>(d.stream().options)});
  });
  return true;
}

const bool added[] = {
    add_runtime_test("sums_every_type_by_every_variant", sums_every_type_by_every_variant),
    add_runtime_test("scans_every_type_by_every_operator", scans_every_type_by_every_operator),
    add_runtime_test("nans_spoil_only_what_is_behind_them", nans_spoil_only_what_is_behind_them),
    add_runtime_test("sums_along_every_axis", sums_along_every_axis),
};

TEST(runtime_on_the_sim, scans_by_every_operator_in_a_cluster_and_by_look_back) {
  const auto d = open_sim();
  default_scans_around({256 << 10}, *d, d->get_stream());
}

TEST(runtime_on_the_sim, answers_every_combination_as_why_not_supported_says) {
  const auto d = open_sim();
  answers_every_combination_as_why_not_supported_says(*d, d->get_stream());
}

TEST(runtime_on_the_sim, refuses_what_it_cannot_do) {
  refuses_what_it_cannot_do(*open_sim());
}

TEST(runtime_on_the_sim, shows_what_the_tiles_of_a_scan_have_published) {
  shows_what_the_tiles_of_a_scan_have_published(*open_sim());
}

TEST(runtime_on_the_sim, copies_fills_and_measures) {
  copies_fills_and_measures(*open_sim());
}

TEST(runtime_on_the_sim, says_what_it_is) {
  const auto d = open_sim();
  EXPECT_EQ(d->where(), runtime::backend::sim);
  EXPECT_EQ(d->name(), "sim: the kernels on this CPU; times are not GPU times");
  EXPECT_EQ(d->get_stream().where, runtime::backend::sim);
}

TEST(runtime_on_the_sim, takes_sim_options_as_a_streams_handle) {
  sim_options options;
  options.order = sim_order::random;
  const runtime::stream s{runtime::backend::sim, &options};
  const scan_variant v;
  std::vector<std::uint32_t> in(10000, 1), out(in.size());
  std::vector<unsigned char> work(runtime::scan_workspace_bytes(10000, scalar_type::u32, v));
  ASSERT_EQ(runtime::inclusive_sum({work.data(), work.size()}, in.data(), out.data(), 10000, scalar_type::u32, v, s),
            status::success);
  EXPECT_EQ(out.back(), 10000u);
}

TEST(runtime_on_the_sim, says_when_there_is_not_enough_memory) {
  const auto d = open_sim();
  void* p = &p;
  EXPECT_EQ(d->allocate(&p, std::size_t{1} << 60), status::memory_allocation);
  EXPECT_EQ(p, nullptr);
  const runtime::buffer b(*d, std::size_t{1} << 60);
  EXPECT_FALSE(b.ok());
  EXPECT_EQ(b.state(), status::memory_allocation);
}

TEST(open_device, answers_a_name_it_does_not_know_with_one_line_that_lists_those_it_does) {
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "SIM", "cuda:99999999999"}) {
    std::string why;
    EXPECT_EQ(runtime::open_device(name, why), nullptr) << name;
    EXPECT_EQ(why, "device '" + std::string(name) + "' is not one of auto, cuda, cuda:N, sim");
  }
}

TEST(open_device, explains_a_gpu_that_is_not_there) {
  std::string why;
  EXPECT_EQ(runtime::open_device("cuda:4321", why), nullptr);
  EXPECT_TRUE(why.starts_with("device 'cuda:4321': ")) << why;
  EXPECT_NE(why.find("sim"), std::string::npos) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
}

TEST(open_device, auto_always_finds_a_device) {
  std::string why = "left over";
  const auto d = runtime::open_device("auto", why);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(why.empty(), d->where() == runtime::backend::cuda) << why;
}

TEST(scan_variants, are_distinct_compiled_and_cover_every_strategy_and_block) {
  std::set<std::string> names;
  std::set<scan_strategy> strategies;
  std::set<block_algorithm> blocks;
  for (const scan_variant& v : runtime::scan_variants()) {
    EXPECT_TRUE(runtime::is_compiled(v));
    EXPECT_TRUE(names.insert(name_of(v)).second) << name_of(v);
    strategies.insert(v.strategy);
    blocks.insert(v.block);
  }
  EXPECT_EQ(strategies.size(), scan_strategy_names.size());
  EXPECT_EQ(blocks.size(), block_algorithm_names.size());
  EXPECT_TRUE(runtime::is_compiled(scan_variant{}));
}

TEST(scan_variants, of_other_operators_are_the_default_one) {
  using enum scan_operator;
  for (const scan_operator op : {minimum, maximum, product, bit_and, bit_or, bit_xor}) {
    ASSERT_EQ(runtime::scan_variants(op).size(), 1u);
    EXPECT_EQ(runtime::scan_variants(op)[0], scan_variant{});
    EXPECT_FALSE(runtime::is_compiled({scan_strategy::serial, {}, 0, 0}, op));
  }
}

TEST(scan_variants, of_many_tiles_have_every_block_at_the_default_tile_unless_warps_have_roles) {
  for (const std::string_view name : scan_strategy_names) {
    const scan_strategy strategy = scan_strategy_named(name).value();
    if (!has_tiles(strategy) || strategy >= scan_strategy::decoupled_lookback_pipelined) continue;
    for (std::size_t b = 0; b < block_algorithm_names.size(); ++b) {
      EXPECT_TRUE(runtime::is_compiled({strategy, static_cast<block_algorithm>(b), 256, 16}))
          << name << " " << block_algorithm_names[b];
    }
  }
}

TEST(why_not_supported, names_what_came_and_lists_what_is_there) {
  using enum scan_strategy;
  const auto why = [](const scan_variant& v, scan_operator op = scan_operator::sum,
                      scalar_type type = scalar_type::u32) {
    return runtime::why_not_supported(v, op, type, runtime::backend::cuda);
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why({}, static_cast<scan_operator>(99)),
            "the operator ? is unknown; expected sum, min, max, product, and, or, xor");
  EXPECT_EQ(why({decoupled_lookback, block_algorithm::brent_kung, 64, 2}),
            "no scan by decoupled_lookback brent_kung 64 x 2 was compiled; expected a tile of 256 x 16");
  EXPECT_EQ(
      why({decoupled_lookback, block_algorithm::warp_scans, 64, 2}),
      "no scan by decoupled_lookback warp_scans 64 x 2 was compiled; expected a tile of 256 x 16, 64 x 8, 128 x 8, "
      "256 x 8, 512 x 8, 512 x 16, 1024 x 4");
  const std::string of_no_block = why({scan_then_propagate, static_cast<block_algorithm>(-1), 64, 2});
  EXPECT_NE(of_no_block.find("; expected a block of "), std::string::npos) << of_no_block;
  for (const auto name : block_algorithm_names) EXPECT_NE(of_no_block.find(name), std::string::npos) << of_no_block;
  const std::string of_no_strategy = why({static_cast<scan_strategy>(-1), block_algorithm::warp_scans, 64, 2});
  EXPECT_NE(of_no_strategy.find("; expected a strategy of "), std::string::npos) << of_no_strategy;
  for (const auto name : scan_strategy_names) EXPECT_NE(of_no_strategy.find(name), std::string::npos) << of_no_strategy;
  EXPECT_EQ(why({scan_then_propagate, block_algorithm::warp_scans, 256, 16}, scan_operator::maximum),
            "no scan by scan_then_propagate warp_scans 256 x 16 was compiled for the operator max; expected default");
  EXPECT_EQ(why({single_block, block_algorithm::raking, 1024, 4}),
            "no scan by single_block raking 1024 x 4 was compiled; expected a block of warp_scans");
  EXPECT_EQ(why({cluster, block_algorithm::warp_scans, 1024, 2}),
            "no scan by cluster warp_scans 1024 x 2 was compiled; expected a tile of 256 x 4, 512 x 4, 1024 x 4");
  EXPECT_EQ(why({}, scan_operator::product, scalar_type::u8),
            "no product of u8 was compiled; expected a type of u32, i32, u64, f32, f64");
  EXPECT_EQ(why({}, scan_operator::bit_xor, scalar_type::f32),
            "no xor of f32 was compiled; expected a type of u32, i32, u64");
  EXPECT_EQ(why({serial, {}, 0, 0}),
            "the scan strategy serial is a loop on the CPU; expected the sim or another strategy");
  EXPECT_EQ(runtime::why_not_supported({serial, {}, 0, 0}), "");
}

TEST(tile_items_of, are_threads_times_items_and_0_without_tiles) {
  EXPECT_EQ(runtime::tile_items_of({scan_strategy::reduce_then_scan}, scalar_type::u32), 4096);
  EXPECT_EQ(runtime::tile_items_of({scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 128, 8},
                                   scalar_type::f64),
            1024);
  EXPECT_EQ(runtime::tile_items_of({scan_strategy::serial, {}, 0, 0}, scalar_type::u32), 0);
  EXPECT_EQ(runtime::tile_items_of({}, scalar_type::u32), 0);
  EXPECT_EQ(runtime::tile_items_of({scan_strategy::reduce_then_scan}, scalar_type::u8), 0);
}

TEST(scan_variants, of_serial_differ_in_nothing_but_the_strategy) {
  EXPECT_TRUE(runtime::is_compiled({scan_strategy::serial, block_algorithm::brent_kung, 3, 4}));
}

TEST(max_items_of, is_known_for_the_quadratic_scan_alone) {
  for (const scan_variant& v : runtime::scan_variants()) {
    const bool quadratic = v.strategy == scan_strategy::naive_quadratic;
    EXPECT_EQ(runtime::max_items_of(v), quadratic ? 1 << 18 : std::numeric_limits<std::int64_t>::max()) << name_of(v);
  }
  EXPECT_EQ(runtime::max_items_of({scan_strategy::chained_scan, block_algorithm::raking, 96, 5}), 0);
}

TEST(names, of_strategies_and_blocks_come_back_as_what_they_name) {
  for (const std::string_view name : scan_strategy_names) {
    ASSERT_TRUE(scan_strategy_named(name));
    EXPECT_EQ(upsweep::name_of(*scan_strategy_named(name)), name);
  }
  for (const std::string_view name : block_algorithm_names) {
    ASSERT_TRUE(block_algorithm_named(name));
    EXPECT_EQ(upsweep::name_of(*block_algorithm_named(name)), name);
  }
  EXPECT_EQ(upsweep::name_of(scan_strategy::decoupled_lookback), "decoupled_lookback");
  EXPECT_EQ(upsweep::name_of(scan_strategy::scan_then_propagate), "scan_then_propagate");
  EXPECT_EQ(upsweep::name_of(scan_strategy::serial), "serial");
  EXPECT_EQ(upsweep::name_of(block_algorithm::warp_scans), "warp_scans");
  EXPECT_EQ(upsweep::name_of(block_algorithm::brent_kung), "brent_kung");
  EXPECT_FALSE(scan_strategy_named("Serial"));
  EXPECT_FALSE(block_algorithm_named(""));
}

TEST(names, of_operators_come_back_as_what_they_name) {
  for (std::size_t i = 0; i < runtime::scan_operator_names.size(); ++i) {
    const auto op = static_cast<scan_operator>(i);
    EXPECT_EQ(runtime::scan_operator_named(name_of(op)), op);
  }
  EXPECT_EQ(name_of(scan_operator::sum), "sum");
  EXPECT_EQ(name_of(scan_operator::maximum), "max");
  EXPECT_EQ(name_of(scan_operator::bit_xor), "xor");
  EXPECT_FALSE(runtime::scan_operator_named("plus"));
}

TEST(names, of_scalar_types_come_back_as_what_they_name_and_have_its_size) {
  using enum scalar_type;
  for (const scalar_type t : {i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16}) {
    EXPECT_EQ(scalar_type_named(upsweep::name_of(t)), t);
    const std::string bits(upsweep::name_of(t).substr(t == bf16 ? 2 : 1));
    EXPECT_EQ(size_of(t) * 8, static_cast<std::size_t>(std::stoi(bits)));
  }
  EXPECT_FALSE(scalar_type_named("f8"));
}

TEST(names, of_statuses_are_those_of_cuda) {
  EXPECT_STREQ(status_name(status::success), "cudaSuccess");
  EXPECT_STREQ(status_name(status::invalid_value), "cudaErrorInvalidValue");
  EXPECT_STREQ(status_name(status::not_supported), "cudaErrorNotSupported");
  EXPECT_EQ(static_cast<int>(status::launch_failure), 719);
  for (const int number : {0, 1, 2, 35, 100, 101, 209, 719, 801}) {
    EXPECT_STRNE(status_text(static_cast<status>(number)), "") << number;
    EXPECT_STRNE(status_name(static_cast<status>(number)), "cudaErrorUnknown") << number;
  }
}

}  // namespace
}  // namespace upsweep::test
