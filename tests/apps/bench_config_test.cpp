// What the options of the measuring commands come to on a GPU and on the sim.
#include "bench_config.hpp"

#include <map>

#include "axes.hpp"
#include "schemas.hpp"
#include "support.hpp"
#include "upsweep/scan/runtime.hpp"
#include "workload.hpp"

namespace upsweep::test {
namespace {

using apps::bench_axes;
using apps::bench_config;
using apps::operation;
using runtime::backend;
using names = std::vector<std::string>;

/// The axes of a command line, behind its first word.
bench_axes axes_of(operation what, bool survey, backend where, const names& words) {
  apps::command_line line("bench", "", apps::bench_schema);
  apps::add_bench_options(line, what, survey);
  std::vector<const char*> argv = {"bench"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  line.parse(static_cast<int>(argv.size()), argv.data());
  return apps::axes_from(apps::bench_config_from(line, what, survey), what, survey, where, line);
}

void expect_refused(operation what, backend where, const names& words, const std::string& expected) {
  try {
    axes_of(what, false, where, words);
    ADD_FAILURE() << "expected: " << expected;
  } catch (const apps::failure& error) {
    EXPECT_EQ(error.code(), apps::exit_code::usage);
    EXPECT_TRUE(std::string(error.what()).starts_with(expected))
        << "expected: " << expected << "\ngot: " << error.what();
  }
}

TEST(bench_axes, of_nothing_suit_the_device) {
  const bench_axes gpu = axes_of(operation::scan, false, backend::cuda, {});
  EXPECT_EQ(gpu.sizes, (std::vector<std::int64_t>{1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28}));
  EXPECT_EQ(gpu.types, std::vector{scalar_type::u32});
  EXPECT_EQ(gpu.variants, std::vector{scan_variant{}});
  EXPECT_EQ(gpu.distributions, names{"random"});
  EXPECT_EQ(gpu.references, names{"cub"});
  const bench_axes sim = axes_of(operation::scan, false, backend::sim, {});
  EXPECT_EQ(sim.sizes, (std::vector<std::int64_t>{1 << 10, 1 << 14, 1 << 17}));
  EXPECT_EQ(sim.references, names{"serial"});
}

TEST(bench_axes, have_a_default_for_each_operation) {
  EXPECT_EQ(axes_of(operation::compact, false, backend::sim, {}).shares, std::vector{0.5});
  EXPECT_EQ(axes_of(operation::compact, false, backend::sim, {}).distributions, names{"random"});
  const bench_axes sort = axes_of(operation::sort, false, backend::sim, {});
  EXPECT_EQ(sort.shares, std::vector{1.0});
  EXPECT_EQ(sort.distributions, names{"uniform"});
  EXPECT_EQ(sort.values, std::vector<std::optional<scalar_type>>{std::nullopt});
}

TEST(bench_axes, are_as_told) {
  const bench_axes sort = axes_of(operation::sort, false, backend::cuda,
                                  {"--n", "2^4..2^6", "--type", "f32,u64", "--values", "none,u32", "--distribution",
                                   "zipf,bits_16", "--reference", "none,thrust", "--variant", "scan_then_propagate"});
  EXPECT_EQ(sort.sizes, (std::vector<std::int64_t>{16, 32, 64}));
  EXPECT_EQ(sort.types, (std::vector{scalar_type::f32, scalar_type::u64}));
  EXPECT_EQ(sort.values, (std::vector<std::optional<scalar_type>>{std::nullopt, scalar_type::u32}));
  EXPECT_EQ(sort.distributions, (names{"zipf", "bits_16"}));
  EXPECT_EQ(sort.references, (names{"", "thrust"}));
  ASSERT_EQ(sort.variants.size(), block_algorithm_names.size());
  for (const scan_variant& v : sort.variants) EXPECT_EQ(v.strategy, scan_strategy::scan_then_propagate);
  EXPECT_EQ(axes_of(operation::compact, false, backend::cuda, {"--kept", "1,90"}).shares,
            (std::vector<double>{0.01, 0.9}));
}

TEST(bench_axes, of_a_survey_have_every_variant_that_the_device_runs) {
  const auto all = runtime::scan_variants();
  EXPECT_EQ(axes_of(operation::scan, true, backend::sim, {}).variants,
            std::vector<scan_variant>(all.begin(), all.end()));
  const std::vector<scan_variant> gpu = axes_of(operation::scan, true, backend::cuda, {}).variants;
  EXPECT_EQ(gpu.size(), all.size() - 1);
  for (const scan_variant& v : gpu) EXPECT_NE(v.strategy, scan_strategy::serial);
}

TEST(bench_axes, refuse_what_does_not_run_there) {
  expect_refused(operation::scan, backend::cuda, {"--variant", "serial"},
                 "--variant: came \"serial\", a loop of the CPU; expected a variant that runs on a GPU");
  EXPECT_EQ(axes_of(operation::scan, false, backend::cuda, {"--variant", "serial,default"}).variants.size(), 1u);
  for (const std::string reference : {"cub", "thrust"}) {
    expect_refused(operation::scan, backend::sim, {"--reference", "copy," + reference},
                   "--reference: came " + reference + ", which needs a GPU; expected copy, serial or none on the sim");
  }
}

TEST(bench_axes, have_narrow_types_of_plain_scans_alone) {
  const names all = {"--type", "u8,u16,f16,bf16"};
  EXPECT_EQ(axes_of(operation::scan, false, backend::cuda, all).types.size(), 4u);
  expect_refused(operation::scan, backend::cuda, {"--type", "u32,u8", "--reference", "cub,thrust"},
                 "--reference: came thrust; expected cub, copy, serial or none of u8");
  expect_refused(operation::scan, backend::cuda, {"--type", "u16", "--variant", "all"},
                 "--variant: came \"all\"; expected default, as no other variant scans u16 here");
}

TEST(bench_axes, refuse_what_is_not_there) {
  expect_refused(operation::sort, backend::sim, {"--type", "f64"}, "--type: came \"f64\"; expected one of u32,");
  expect_refused(operation::sort, backend::sim, {"--values", "u64"},
                 "--values: came \"u64\"; expected one of none, u32");
  expect_refused(operation::scan, backend::sim, {"--distribution", "zipf"}, "--distribution: came \"zipf\"");
  expect_refused(operation::compact, backend::sim, {"--distribution", "ones"}, "--distribution: came \"ones\"");
  expect_refused(operation::sort, backend::sim, {"--distribution", "clustered"}, "--distribution: came \"clustered\"");
  expect_refused(operation::scan, backend::sim, {"--reference", "std"},
                 "--reference: came \"std\"; expected one of none,");
}

TEST(bench_graphs, are_of_small_sizes_unless_told_otherwise) {
  bench_config config;
  constexpr std::int64_t small = 1 << 20;
  EXPECT_TRUE(apps::times_graph(config, small, backend::cuda));
  EXPECT_FALSE(apps::times_graph(config, small + 1, backend::cuda));
  EXPECT_FALSE(apps::times_graph(config, small, backend::sim));
  config.graph = "always";
  EXPECT_TRUE(apps::times_graph(config, small + 1, backend::cuda));
  EXPECT_FALSE(apps::times_graph(config, 1, backend::sim));
  config.graph = "never";
  EXPECT_FALSE(apps::times_graph(config, 1, backend::cuda));
}

/// Each config of the folder is of the command that its name begins with.
class bench_configs : public in_scratch_folder {};

TEST_F(bench_configs, are_accepted_and_name_what_there_is) {
  const std::map<std::string, operation> commands = {
      {"scan", operation::scan},       {"survey", operation::scan},         {"compact", operation::compact},
      {"flagged", operation::flagged}, {"partition", operation::partition}, {"split", operation::split},
      {"sort", operation::sort},       {"segmented", operation::segmented}};
  if (!std::filesystem::is_directory(configs + "/bench")) GTEST_SKIP() << "no configs of the benchmark";
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/bench")) {
    if (entry.path().extension() != ".json") continue;
    const std::string path = entry.path().string(), stem = entry.path().stem().string();
    const auto command = commands.find(stem.substr(0, stem.find('_')));
    ASSERT_NE(command, commands.end()) << path;
    const outcome first = run({UPSWEEP_BENCH, command->first, "--config", path, "--print-config"});
    ASSERT_EQ(first.code, 0) << first.err;
    spill(file("printed.json"), first.out);
    const outcome second = run({UPSWEEP_BENCH, command->first, "--config", "printed.json", "--print-config"});
    EXPECT_EQ(second.out, first.out) << second.err;
    EXPECT_NO_THROW(axes_of(command->second, command->first == "survey", backend::cuda, {"--config", path})) << path;
  }
}

}  // namespace
}  // namespace upsweep::test
