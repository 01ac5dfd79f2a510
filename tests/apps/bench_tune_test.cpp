// upsweep-bench tune: what it times, what it says, and what becomes of the files that it writes.
#include <cstdlib>
#include <set>

#include "json_file.hpp"
#include "support.hpp"
#include "tuning.hpp"

namespace upsweep::test {
namespace {

using apps::candidate;
using apps::json;
using apps::operation;
using words = std::vector<std::string>;

class tune : public in_scratch_folder {
 protected:
  ~tune() override { unsetenv("UPSWEEP_TEST_FAULT"); }

  outcome bench(const words& more, const std::string& program = UPSWEEP_BENCH) const {
    words all = {program, "tune", "--device", "sim", "--n", "1000"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  /// One source that names every policy of every operation, as a header does.
  std::string source_of_policies() const {
    apps::device_session device("sim");
    std::string source = "#include \"upsweep/compact/policy.hpp\"\n#include \"upsweep/sort/policy.hpp\"\n";
    int number = 0;
    for (const operation what : {operation::scan, operation::compact, operation::sort}) {
      for (const candidate& c : apps::candidates_of(what, 1000, device)) {
        const std::string policy = apps::policy_text(what, c);
        source += fmt::format("using policy_{} = {};\nstatic_assert(sizeof(policy_{}) > 0);\n", number, policy, number);
        ++number;
      }
    }
    return source;
  }
};

TEST_F(tune, begins_with_the_default_and_times_each_policy_once) {
  apps::device_session device("sim");
  for (const operation what : {operation::scan, operation::compact, operation::sort}) {
    const std::vector<candidate> all = apps::candidates_of(what, 1000, device);
    ASSERT_GT(all.size(), 60u);
    EXPECT_EQ(all[0], candidate{});
    std::set<std::string> names;
    for (const candidate& c : all) names.insert(apps::policy_text(what, c));
    EXPECT_EQ(names.size(), all.size());
  }
  const auto takes_many = [&](std::int64_t n) {
    std::set<std::string> strategies;
    for (const candidate& c : apps::candidates_of(operation::scan, n, device)) {
      strategies.emplace(name_of(c.scan.strategy));
    }
    return strategies.contains("naive_quadratic") && strategies.contains("single_block");
  };
  EXPECT_TRUE(takes_many(1000));
  EXPECT_FALSE(takes_many(std::int64_t{1} << 30));
}

TEST_F(tune, names_policies_as_cpp_does) {
  spill(file("policies.cpp"), source_of_policies());
  const outcome compiled =
      run({UPSWEEP_CXX, "-std=c++20", "-fsyntax-only", "-I" UPSWEEP_SOURCES "/scan/include",
           "-I" UPSWEEP_SOURCES "/compact/include", "-I" UPSWEEP_SOURCES "/sort/include", file("policies.cpp")});
  EXPECT_EQ(compiled.code, 0) << compiled.err;
}

TEST_F(tune, writes_a_config_that_the_program_takes_where_it_was_tuned) {
  const std::pair<std::string, std::string> cases[] = {{"compact", UPSWEEP_CULL}, {"sort", UPSWEEP_SORT}};
  for (const auto& [what, program] : cases) {
    const outcome tuned = bench({what, "--json", "t.json", "--max-seconds", "5"});
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    const json config = apps::read_config(file("t.json"));
    EXPECT_EQ(config["tuned"]["operation"], what);
    EXPECT_EQ(config["tuned"]["n"], 1000);
    EXPECT_EQ(config["tuned"]["architecture"], "sim");
    EXPECT_GE(config["tuned"]["speedup"], 1);
    const outcome taken = run({program, "--config", "t.json", "--print-config"});
    ASSERT_EQ(taken.code, 0) << taken.err;
    EXPECT_EQ(json::parse(taken.out)["method"], config["method"]);
    EXPECT_EQ(json::parse(taken.out)["scan"], config["scan"]);
  }
  // Those of another architecture or program are refused.
  json config = apps::read_config(file("t.json"));
  config["tuned"]["architecture"] = "sm_90";
  spill(file("t.json"), config.dump());
  const words sort = {UPSWEEP_SORT, "--config", "t.json", "--device", "sim", "--input", "x.npy", "--output", "y.npy"};
  expect_failure(sort, 2, "t.json: /tuned/architecture: got sm_90, and the device is sim; expected ");
  config["tuned"]["operation"] = "compact";
  spill(file("t.json"), config.dump());
  expect_failure(sort, 2, "t.json: /tuned/operation: got \"compact\"; expected ");
}

TEST_F(tune, times_the_default_even_without_time) {
  const outcome tuned = bench({"scan", "--max-seconds", "0", "--json", "t.json", "--header", "t.hpp"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find(" were left out"), std::string::npos) << tuned.out;
  EXPECT_NE(tuned.out.find("the default is the best here"), std::string::npos) << tuned.out;
  EXPECT_EQ(apps::read_config(file("t.json"))["tuned"]["speedup"], 1);
  EXPECT_NE(slurp(file("t.hpp")).find("using tuned_scan_policy = upsweep::default_scan_policy;"), std::string::npos);
}

TEST_F(tune, leaves_out_what_is_wrong_and_says_so) {
  setenv("UPSWEEP_TEST_FAULT", "sum", 1);
  const outcome tuned = bench({"scan"}, FAULTY_BENCH);
  EXPECT_EQ(tuned.code, 1);
  EXPECT_NE(tuned.err.find("default: wrong result: "), std::string::npos) << tuned.err;
}

TEST_F(tune, says_what_was_expected) {
  expect_failure({UPSWEEP_BENCH, "tune"}, 2, "OPERATION: got nothing; expected scan, compact or sort");
  expect_failure({UPSWEEP_BENCH, "tune", "split"}, 2, "OPERATION: got \"split\"; expected one of ");
  expect_failure({UPSWEEP_BENCH, "tune", "scan", "--n", "10,20"}, 2, "--n: got \"10,20\"; expected one of them");
  expect_failure({UPSWEEP_BENCH, "tune", "scan", "--values", "u32"}, 2,
                 "--values: given for scan; expected only with sort");
  expect_failure({UPSWEEP_BENCH, "tune", "sort", "--type", "f16x"}, 2, "--type: got \"f16x\"; expected one of ");
}

TEST(tuning, header_is_for_one_architecture_and_text_names_the_gain) {
  apps::device_session device("sim");
  apps::tuning t;
  t.shape.what = operation::sort;
  t.shape.n = 4096;
  t.shape.value_type = scalar_type::u32;
  const candidate fast{"upsweep_downsweep", {scan_strategy::cluster, block_algorithm::warp_scans, 256, 4}};
  t.ranked = {{fast, {1, 1, 1}}, {{}, {1.5, 1.5, 1.5}}};
  t.best = fast;
  t.speedup = {1.5, 1.4, 1.6};
  t.timed = 2;
  const std::string text = apps::tuning_text(t);
  EXPECT_NE(text.find("sort of 4096 u32 with u32, 2 policies timed"), std::string::npos) << text;
  EXPECT_NE(text.find("256x4 is 1.50 times as fast as the default (1.40 to 1.60)"), std::string::npos) << text;
  const std::string header = apps::tuning_header(t, device, {});
  EXPECT_NE(header.find("using tuned_sort_policy = "
                        "upsweep::upsweep_downsweep<upsweep::cluster<upsweep::warp_scans<256>, 4>>;"),
            std::string::npos)
      << header;
  EXPECT_EQ(header.find("__CUDA_ARCH__"), std::string::npos);  // the sim's is for any
}

}  // namespace
}  // namespace upsweep::test
