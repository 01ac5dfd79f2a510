// Options and configs of upsweep-bench: what they come to on a GPU and on the sim, and what is said when they are
// wrong.
#include <span>

#include "axes.hpp"
#include "bench_config.hpp"
#include "schemas.hpp"
#include "support.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

using apps::bench_axes;
using apps::json;
using apps::operation;
using runtime::backend;
using words = std::vector<std::string>;
using sizes = std::vector<std::int64_t>;

/// The axes of a command line, after its first word.
bench_axes axes_of(operation what, backend where, const words& flags, bool survey = false) {
  apps::command_line line("bench", "", apps::bench_schema);
  apps::add_bench_options(line, what, survey);
  std::vector<const char*> argv = {"bench"};
  for (const std::string& word : flags) argv.push_back(word.c_str());
  line.parse(static_cast<int>(argv.size()), argv.data());
  return apps::axes_from(apps::bench_config_from(line, what, survey), what, survey, where, line);
}
bench_axes scan_axes(const words& flags, backend where = backend::cuda) {
  return axes_of(operation::scan, where, flags);
}

/// Expects of a scan on the GPU a failure of usage in one line that begins with `start`.
void expect_refused(const words& flags, const std::string& start) {
  try {
    scan_axes(flags);
    ADD_FAILURE() << "expected: " << start;
  } catch (const apps::failure& error) {
    const std::string line = error.what();
    EXPECT_EQ(error.code(), apps::exit_code::usage);
    EXPECT_TRUE(line.starts_with(start)) << "expected: " << start << "\ngot: " << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

TEST(bench_sizes, are_numbers_powers_and_ranges_that_double) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const std::pair<std::string, sizes> examples[] = {{"1000", {1000}},
                                                    {"1e3,2.5e3,+5", {1000, 2500, 5}},
                                                    {"2^0", {1}},
                                                    {"1099511627776", {most}},
                                                    {"2^10..2^13", {1024, 2048, 4096, 8192}},
                                                    {"100..1000", {100, 200, 400, 800}},
                                                    {"2^39..2^40", {most / 2, most}},
                                                    {"3000,2^2,5..20,10", {3000, 4, 5, 10, 20}},
                                                    {"8,2^3,1..8", {8, 1, 2, 4}}};
  for (const auto& [text, expected] : examples) EXPECT_EQ(scan_axes({"--n", text}).sizes, expected) << text;
}

TEST(bench_sizes, that_are_wrong_are_named) {
  std::vector<std::pair<std::string, std::string>> mistakes = {
      {"1..", ""}, {"..8", ""}, {"1..2^41", "2^41"}, {"1...8", ".8"}, {"1..4..8", "4..8"}};
  for (const std::string part : {"0", "-5", "2^41", "99999999999999999999", "many", "2^", "2^-1", "2^4294967296",
                                 "2^2^2", "1.5", "1e13", "0x10", " 5"}) {
    mistakes.emplace_back("7," + part, part);
  }
  for (const auto& [text, part] : mistakes) {
    expect_refused({"--n", text}, "--n: got \"" + part + "\"; expected a number from 1 to 2^40, as 1000, 1e6 or 2^20");
  }
  expect_refused({"--n", "2^5..31"}, "--n: got \"2^5..31\"; expected a range that does not fall");
  for (const std::string text : {",", "8,", ",8", "8,,9"}) {
    expect_refused({"--n", text}, "--n: got \"" + text + "\"; expected a list with commas and nothing empty in it");
  }
}

TEST(bench_variants, are_named_whole_or_by_their_beginning_and_come_once) {
  const auto all = runtime::scan_variants();
  for (const std::string part : {"serial", "decoupled_lookback", "decoupled_lookback/warp_scans",
                                 "decoupled_lookback/warp_scans/256x16", "decoupled_lookback/warp_scans/256x8"}) {
    std::vector<scan_variant> expected;
    for (const scan_variant& v : all) {
      const std::string name = apps::variant_name(v);
      if (v != scan_variant{} && (name == part || name.starts_with(part + "/"))) expected.push_back(v);
    }
    EXPECT_FALSE(expected.empty()) << part;
    EXPECT_EQ(scan_axes({"--variant", part + "," + part}, backend::sim).variants, expected) << part;
  }
  EXPECT_EQ(scan_axes({"--variant", "serial,all,default"}, backend::sim).variants.size(), all.size());
}

TEST(bench_axes, of_nothing_suit_the_device_and_the_operation) {
  const bench_axes gpu = scan_axes({});
  EXPECT_EQ(gpu.sizes, (sizes{1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28}));
  EXPECT_EQ(gpu.types, std::vector{scalar_type::u32});
  EXPECT_EQ(gpu.variants, std::vector{scan_variant{}});
  EXPECT_EQ(gpu.distributions, words{"random"});
  EXPECT_EQ(gpu.references, words{"cub"});
  const bench_axes sim = scan_axes({}, backend::sim);
  EXPECT_EQ(sim.sizes, (sizes{1 << 10, 1 << 14, 1 << 17}));
  EXPECT_EQ(sim.references, words{"serial"});
  EXPECT_EQ(axes_of(operation::compact, backend::sim, {}).shares, std::vector{0.5});
  EXPECT_EQ(axes_of(operation::compact, backend::sim, {"--kept", "0,100,0.5,50,5e1"}).shares,
            (std::vector<double>{0, 1, 0.005, 0.5}));
  EXPECT_EQ(axes_of(operation::sort, backend::sim, {}).distributions, words{"uniform"});
}

TEST(bench_axes, have_what_the_device_runs) {
  const auto all = runtime::scan_variants();
  EXPECT_EQ(axes_of(operation::scan, backend::sim, {}, true).variants.size(), all.size());
  const std::vector<scan_variant> gpu = axes_of(operation::scan, backend::cuda, {}, true).variants;
  EXPECT_EQ(gpu.size(), all.size() - 1);
  for (const scan_variant& v : gpu) EXPECT_NE(v.strategy, scan_strategy::serial);
  expect_refused({"--variant", "serial"},
                 "--variant: got \"serial\", a loop of the CPU; expected a variant that runs on a GPU");
  EXPECT_EQ(scan_axes({"--variant", "serial,default"}).variants.size(), 1u);
  EXPECT_EQ(scan_axes({"--type", "u8,u16,f16,bf16"}).types.size(), 4u);
  expect_refused({"--type", "u32,u8", "--reference", "cub,thrust"},
                 "--reference: got thrust; expected cub, copy, serial or none of u8");
}

TEST(bench_graphs, are_of_small_sizes_unless_told_otherwise) {
  apps::bench_config config;
  constexpr std::int64_t small = 1 << 20;
  EXPECT_TRUE(apps::times_graph(config, small, backend::cuda) && !apps::times_graph(config, small, backend::sim));
  EXPECT_FALSE(apps::times_graph(config, small + 1, backend::cuda));
  config.graph = "always";
  EXPECT_TRUE(apps::times_graph(config, small + 1, backend::cuda));
  config.graph = "never";
  EXPECT_FALSE(apps::times_graph(config, 1, backend::cuda));
}

class bench_options : public in_scratch_folder {
 protected:
  outcome bench(const std::string& command, const words& more) const {
    words all = {UPSWEEP_BENCH, command};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  /// Expects exit code 2, nothing done, and one line that begins with `start`.
  void expect_flag_refused(const std::string& command, words flags, const std::string& start) const {
    flags.insert(flags.end(), {"--device", "sim"});
    const outcome result = bench(command, flags);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("upsweep-bench: " + start)) << "expected: " << start << "\ngot: " << result.err;
  }
  void expect_config_refused(const std::string& command, const std::string& text, const std::string& start) const {
    spill(file("c.json"), text);
    expect_flag_refused(command, {"--config", "c.json"}, "c.json: " + start);
  }
};

TEST_F(bench_options, override_the_config_and_are_printed_as_one_that_prints_the_same) {
  const words flags = {
      "--device", "cuda:1",        "--n",        "2^10..2^12",     "--type",        "u32,u64", "--values",
      "none,u32", "--seed",        "9",          "--variant",      "all",           "--warm",  "--reference",
      "copy",     "--graph",       "never",      "--distribution", "zipf",          "--json",  "-",
      "--csv",    "a.csv",         "--markdown", "a.md",           "--min-samples", "3",       "--max-seconds",
      "0.5",      "--print-config"};
  const outcome first = bench("sort", flags);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(json::parse(first.out), json::parse(R"({
    "device": "cuda:1", "n": "2^10..2^12", "type": "u32,u64", "values": "none,u32", "seed": 9, "variant": "all",
    "warm": true, "reference": "copy", "graph": "never", "distribution": "zipf", "json": "-", "csv": "a.csv",
    "markdown": "a.md", "min_samples": 3, "max_seconds": 0.5})"));
  spill(file("c.json"), first.out);
  EXPECT_EQ(bench("sort", {"--config", "c.json", "--print-config"}).out, first.out);
  EXPECT_EQ(json::parse(bench("scan", {"--print-config"}).out), json::parse(R"({"device": "auto", "warm": false,
    "graph": "auto", "seed": 1, "min_samples": 10, "max_seconds": 2.0})"));
  EXPECT_EQ(files(), words{"c.json"}) << "nothing was measured";
  spill(file("c.json"), R"({"$schema": "x", "n": 1000, "kept": 12.5, "seed": 4, "warm": true})");
  json printed = json::parse(bench("compact", {"--config", "c.json", "--seed", "5", "--print-config"}).out);
  for (const char* key : {"device", "graph", "min_samples", "max_seconds"}) printed.erase(key);
  EXPECT_EQ(printed, json::parse(R"({"n": "1000", "kept": "12.5", "seed": 5, "warm": true})"));
}

TEST_F(bench_options, of_a_config_are_refused_by_their_path) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"[]", "/: got []; expected an object"},
      {R"({"sizes": "5"})", "/sizes: unknown key \"sizes\"; expected one of "},
      {R"({"device": "gpu"})", "/device: got \"gpu\"; expected auto, cuda, cuda:N or sim"},
      {R"({"n": 1.5})", "/n: got 1.5; expected sizes, as 1000"},
      {R"({"reference": null})", "/reference: got null; expected none, cub"},
      {R"({"warm": 1})", "/warm: got 1; expected true or false"},
      {R"({"seed": -1})", "/seed: got -1; expected an integer from 0"},
      {R"({"min_samples": 0})", "/min_samples: got 0; expected an integer from 1"}};
  for (const auto& [text, start] : mistakes) expect_config_refused("scan", text, start);
  expect_config_refused("compact", R"({"kept": true})", "/kept: got true; expected per cent");
  expect_config_refused("sort", R"({"values": 32})", "/values: got 32; expected none, u32 or both");
}

TEST_F(bench_options, of_another_command_are_refused) {
  const std::string unexpected = "unknown option --";
  const struct {
    words commands;
    std::string key, value, expected;
  } foreign[] = {
      {{"scan", "compact", "survey"}, "values", "u32", "/values: given; expected only with the command sort"},
      {{"scan", "sort", "survey"},
       "kept",
       "50",
       "/kept: given; expected only with the commands compact, flagged and partition"},
      {{"partition", "split", "by_key", "survey"},
       "method",
       "default",
       "/method: given; expected only with the commands scan, compact, flagged and sort"},
      {{"by_key", "segmented", "split"}, "variant", "default", "/variant: given; expected none, as there is one way"},
      {{"survey"}, "reference", "copy", "/reference: given; expected none, as a survey has "}};
  for (const auto& [commands, key, value, expected] : foreign) {
    for (const std::string& command : commands) {
      expect_config_refused(command, json{{key, value}}.dump(), expected);
      expect_flag_refused(command, {"--" + key, value}, unexpected);
    }
  }
  expect_flag_refused("survey", {"--graph", "auto"}, unexpected);
}

TEST_F(bench_options, on_the_command_line_are_refused_by_their_flag) {
  const struct {
    const char* command;
    words flags;
    const char* start;
  } mistakes[] = {
      {"scan", {"--config", "none.json"}, "none.json: cannot open it"},
      {"scan",
       {"--type", "u32,f16", "--variant", "default,serial"},
       "--variant: got \"default,serial\"; expected default, as no other variant scans f16 here"},
      {"scan", {"--method", "reproducible", "--type", "u32"}, "--type: got \"u32\"; expected one of f32, f64"},
      {"scan",
       {"--method", "reproducible", "--variant", "serial"},
       "--variant: got \"serial\"; expected default beside the method reproducible"},
      {"scan", {"--graph", "always"}, "--graph: got always, and the sim has no graphs"},
      {"scan",
       {"--reference", "copy,cub"},
       "--reference: got cub, which needs a GPU; expected copy, serial or none on the sim"},
      {"scan", {"--max-seconds", "-1"}, "--max-seconds: got -1.0; expected a number from 0"},
      {"scan", {"--variant", "decoupled"}, "--variant: got \"decoupled\"; expected one of all, default,"},
      {"scan", {"--variant", "all,serial/warp_scans"}, "--variant: got \"serial/warp_scans\"; expected one of serial"},
      {"scan", {"--variant", "serial,cluster/warp"}, "--variant: got \"cluster/warp\"; expected one of cluster/"},
      {"compact", {"--kept", "1,100.01"}, "--kept: got \"100.01\"; expected a percentage from 0 to 100"},
      {"compact", {"--method", "hole_filling"}, "--method: got \"hole_filling\"; expected one of default,"},
      {"compact", {"--reference", "stable"}, "--reference: got stable; expected cub, copy, serial or none"},
      {"sort", {"--type", "f64"}, "--type: got \"f64\"; expected one of u32, i32, u64, f32"},
      {"sort", {"--values", "u64"}, "--values: got \"u64\"; expected one of none, u32"},
      {"sort",
       {"--distribution", "payload_4x16", "--type", "u64"},
       "got payload_4x16; expected it with --type u32 and no --values"},
      {"split", {"--type", "i32"}, "--type: got \"i32\"; expected one of u32"}};
  for (const auto& [command, flags, start] : mistakes) expect_flag_refused(command, flags, start);
}

/// Each config of the folder is of the command that its name begins with.
TEST_F(bench_options, of_the_configs_that_come_along_name_what_there_is) {
  const auto names = std::span(apps::operation_names);
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/bench")) {
    if (entry.path().extension() != ".json") continue;
    const std::string path = entry.path().string(), stem = entry.path().stem().string();
    const std::string command = stem.substr(0, stem.find('_'));
    const bool survey = command == "survey";
    const auto what = std::ranges::find(names, survey ? "scan" : command) - names.begin();
    const outcome first = bench(command, {"--config", path, "--print-config"});
    ASSERT_EQ(first.code, 0) << first.err;
    spill(file("printed.json"), first.out);
    EXPECT_EQ(bench(command, {"--config", "printed.json", "--print-config"}).out, first.out);
    EXPECT_NO_THROW(axes_of(static_cast<operation>(what), backend::cuda, {"--config", path}, survey)) << path;
  }
}

}  // namespace
}  // namespace upsweep::test
