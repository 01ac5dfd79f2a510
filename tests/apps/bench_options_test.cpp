// Configs and flags of upsweep-bench scan, compact, sort and survey, and what is said when they are wrong.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support.hpp"

namespace upsweep::test {
namespace {

using nlohmann::json;
using words = std::vector<std::string>;

class bench_options : public in_scratch_folder {
 protected:
  outcome bench(const std::string& command, const words& more) const {
    words all = {UPSWEEP_BENCH, command};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  /// Expects exit code 2 and one line that begins with `start`.
  void expect_refused(const std::string& command, const words& more, const std::string& start) const {
    const outcome result = bench(command, more);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("upsweep-bench: " + start)) << "expected: " << start << "\ngot: " << result.err;
  }
  void expect_flag_refused(const std::string& command, words flags, const std::string& start) const {
    flags.insert(flags.end(), {"--device", "sim"});
    expect_refused(command, flags, start);
  }
  void expect_config_refused(const std::string& command, const std::string& text, const std::string& start) const {
    spill(file("c.json"), text);
    expect_refused(command, {"--config", "c.json", "--device", "sim"}, "c.json: " + start);
  }
};

TEST_F(bench_options, are_printed_as_a_config_that_prints_the_same) {
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
  const outcome second = bench("sort", {"--config", "c.json", "--print-config"});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(files(), words{"c.json"}) << "nothing was measured";
}

TEST_F(bench_options, that_nothing_sets_are_printed_too) {
  for (const char* command : {"scan", "compact", "sort", "survey"}) {
    const outcome result = bench(command, {"--print-config"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(json::parse(result.out), json::parse(R"({"device": "auto", "warm": false, "graph": "auto", "seed": 1,
      "min_samples": 10, "max_seconds": 2.0})"));
    spill(file("c.json"), result.out);
    EXPECT_EQ(bench(command, {"--config", "c.json", "--print-config"}).out, result.out);
  }
}

TEST_F(bench_options, on_the_command_line_override_the_config) {
  spill(file("c.json"), R"({"$schema": "x", "n": 1000, "kept": 12.5, "seed": 4, "warm": true})");
  const outcome result = bench("compact", {"--config", "c.json", "--seed", "5", "--print-config"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json printed = json::parse(result.out);
  EXPECT_EQ(printed["n"], "1000");
  EXPECT_EQ(printed["kept"], "12.5");
  EXPECT_EQ(printed["seed"], 5);
  EXPECT_EQ(printed["warm"], true);
}

TEST_F(bench_options, of_a_config_are_refused_by_their_path) {
  expect_config_refused("scan", "[]", "/: came []; expected an object");
  expect_config_refused("scan", R"({"sizes": "5"})", "/sizes: unknown key \"sizes\"; expected one of ");
  expect_config_refused("scan", R"({"device": "gpu"})", "/device: came \"gpu\"; expected auto, cuda, cuda:N or sim");
  expect_config_refused("scan", R"({"n": 1.5})", "/n: came 1.5; expected sizes, as 1000");
  expect_config_refused("scan", R"({"n": 0})", "/n: came 0; expected sizes, as 1000");
  expect_config_refused("scan", R"({"n": [1, 2]})", "/n: came [1,2]; expected sizes, as 1000");
  expect_config_refused("scan", R"({"type": ""})", "/type: came \"\"; expected element types");
  expect_config_refused("scan", R"({"variant": 1})", "/variant: came 1; expected scan variants");
  expect_config_refused("scan", R"({"reference": null})", "/reference: came null; expected none, cub");
  expect_config_refused("scan", R"({"warm": 1})", "/warm: came 1; expected true or false");
  expect_config_refused("scan", R"({"graph": true})", "/graph: came true; expected one of \"auto\", \"always\"");
  expect_config_refused("scan", R"({"seed": -1})", "/seed: came -1; expected an integer from 0");
  expect_config_refused("scan", R"({"seed": 0.5})", "/seed: came 0.5; expected an integer from 0");
  expect_config_refused("scan", R"({"min_samples": 0})", "/min_samples: came 0; expected an integer from 1");
  expect_config_refused("scan", R"({"max_seconds": 86401})", "/max_seconds: came 86401; expected a number from 0 to");
  expect_config_refused("scan", R"({"max_seconds": "1"})", "/max_seconds: came \"1\"; expected a number from 0 to");
  expect_config_refused("scan", R"({"json": true})", "/json: came true; expected a file name");
  expect_config_refused("scan", R"({"csv": ""})", "/csv: came \"\"; expected a file name");
  expect_config_refused("scan", R"({"markdown": 3})", "/markdown: came 3; expected a file name");
  expect_config_refused("compact", R"({"kept": true})", "/kept: came true; expected per cent");
  expect_config_refused("sort", R"({"values": 32})", "/values: came 32; expected none, u32 or both");
  expect_config_refused("sort", R"({"distribution": 3})", "/distribution: came 3; expected what the data is like");
}

TEST_F(bench_options, of_a_config_are_refused_by_their_path_when_a_list_names_nothing_that_exists) {
  expect_config_refused("scan", R"({"n": "2^41"})", "/n: came \"2^41\"; expected a number from 1 to 2^40");
  expect_config_refused("scan", R"({"n": 1099511627777})", "/n: came \"1099511627777\"; expected a number from 1");
  expect_config_refused("scan", R"({"type": "u32,f8"})", "/type: came \"f8\"; expected one of u32,");
  expect_config_refused("scan", R"({"variant": "fast"})", "/variant: came \"fast\"; expected one of all, default,");
  expect_config_refused("scan", R"({"distribution": "zipf"})", "/distribution: came \"zipf\"; expected one of random,");
  expect_config_refused("scan", R"({"reference": "cub"})", "/reference: came cub, which needs a GPU");
  expect_config_refused("compact", R"({"kept": 101})", "/kept: came \"101\"; expected a percentage from 0 to 100");
  expect_config_refused("sort", R"({"values": "f32"})", "/values: came \"f32\"; expected one of none, u32");
}

TEST_F(bench_options, of_another_command_are_refused) {
  for (const char* command : {"scan", "compact", "survey"}) {
    expect_config_refused(command, R"({"values": "u32"})", "/values: came; expected with the command sort alone");
    expect_flag_refused(command, {"--values", "u32"}, "The following arguments were not expected: ");
  }
  for (const char* command : {"scan", "sort", "survey"}) {
    expect_config_refused(command, R"({"kept": 50})",
                          "/kept: came; expected with the commands compact, flagged and partition alone");
    expect_flag_refused(command, {"--kept", "50"}, "The following arguments were not expected: ");
  }
  for (const char* command : {"by_key", "segmented", "split"}) {
    expect_config_refused(command, R"({"variant": "default"})", "/variant: came; expected none, as there is one way");
    const bool one_type = command == std::string("split");
    expect_flag_refused(
        command, {"--type", "i32"},
        one_type ? "--type: came \"i32\"; expected one of u32" : "--type: came \"i32\"; expected one of u32, u64");
  }
  for (const char* command : {"partition", "split", "by_key", "survey"}) {
    expect_config_refused(command, R"({"method": "default"})",
                          "/method: came; expected with the commands scan, compact, flagged and sort alone");
    expect_flag_refused(command, {"--method", "default"}, "The following arguments were not expected: ");
  }
  expect_flag_refused("scan", {"--method", "reproducible", "--type", "u32"},
                      "--type: came \"u32\"; expected one of f32, f64");
  expect_flag_refused("scan", {"--method", "reproducible", "--variant", "serial"},
                      "--variant: came \"serial\"; expected default beside the method reproducible");
  expect_flag_refused("compact", {"--method", "hole_filling"},
                      "--method: came \"hole_filling\"; expected one of default,");
  expect_flag_refused("sort", {"--method", "fused"}, "--method: came \"fused\"; expected one of default,");
  expect_flag_refused("partition", {"--type", "f32"}, "--type: came \"f32\"; expected one of u32, u64");
  expect_flag_refused("compact", {"--reference", "stable"},
                      "--reference: came stable; expected cub, copy, serial or none");
  expect_config_refused("survey", R"({"reference": "copy"})", "/reference: came; expected none, as a survey has ");
  expect_flag_refused("survey", {"--reference", "copy"}, "The following arguments were not expected: ");
}

TEST_F(bench_options, on_the_command_line_are_refused_by_their_flag) {
  for (const char* command : {"scan", "compact", "sort", "survey"}) {
    SCOPED_TRACE(command);
    expect_flag_refused(command, {"--n", "0"}, "--n: came \"0\"; expected a number from 1 to 2^40");
    expect_flag_refused(command, {"--n", "2^5..2^4"}, "--n: came \"2^5..2^4\"; expected a range that does not fall");
    expect_flag_refused(command, {"--type", "f8"}, "--type: came \"f8\"; expected one of u32,");
    expect_flag_refused(command, {"--variant", "decoupled"}, "--variant: came \"decoupled\"; expected one of all,");
    expect_flag_refused(command, {"--distribution", "gauss"}, "--distribution: came \"gauss\"; expected one of ");
    if (command == std::string("survey")) {
      expect_flag_refused(command, {"--graph", "auto"}, "The following arguments were not expected: ");
    } else {
      expect_flag_refused(command, {"--graph", "maybe"}, "--graph: came \"maybe\"; expected one of \"auto\",");
      expect_flag_refused(command, {"--graph", "always"}, "--graph: came always, and the sim has no graphs");
    }
    expect_flag_refused(command, {"--min-samples", "0"}, "--min-samples: came 0; expected an integer from 1");
    expect_flag_refused(command, {"--max-seconds", "-1"}, "--max-seconds: came -1.0; expected a number from 0");
    expect_flag_refused(command, {"--seed", "-1"}, "--seed: came -1; expected an integer from 0");
    expect_flag_refused(command, {"--json", ""}, "--json: came \"\"; expected a file name");
    expect_flag_refused(command, {"stray"}, "The following argument was not expected: stray");
  }
  for (const char* command : {"compact", "sort", "survey"}) {
    expect_flag_refused(command, {"--type", "f16"}, "--type: came \"f16\"; expected one of u32,");
  }
  expect_flag_refused("scan", {"--type", "u32,f16", "--variant", "default,serial"},
                      "--variant: came \"default,serial\"; expected default, as no other variant scans f16 here");
  expect_flag_refused("sort", {"--type", "f64"}, "--type: came \"f64\"; expected one of u32, i32, u64, f32");
  expect_flag_refused("sort", {"--values", "u64"}, "--values: came \"u64\"; expected one of none, u32");
  expect_flag_refused("compact", {"--kept", "101"}, "--kept: came \"101\"; expected a percentage from 0 to 100");
  expect_flag_refused("compact", {"--kept", "half"}, "--kept: came \"half\"; expected a percentage from 0 to 100");
  expect_flag_refused("scan", {"--max-seconds", "inf"}, "--max-seconds: came inf; expected a finite number");
  for (const char* command : {"scan", "compact", "sort"}) {
    for (const char* name : {"cub", "thrust"}) {
      expect_flag_refused(command, {"--reference", name},
                          std::string("--reference: came ") + name + ", which needs a ");
    }
    expect_flag_refused(command, {"--reference", "std"}, "--reference: came \"std\"; expected one of none, cub,");
  }
  expect_refused("scan", {"--device", "gpu"}, "--device: came \"gpu\"; expected auto, cuda, cuda:N or sim");
  expect_refused("scan", {"--config", "none.json"}, "none.json: cannot open it");
}

}  // namespace
}  // namespace upsweep::test
