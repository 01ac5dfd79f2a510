// upsweep-bench from its command line to its tables and records, over the library and over one that fails.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bench_config.hpp"
#include "compare.hpp"
#include "record.hpp"
#include "support.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::json;
using words = std::vector<std::string>;

const std::string banner = "SIM: measured on the simulator";
const words commands = {"scan",      "compact", "flagged",  "partition", "split", "sort",   "by_key",
                        "segmented", "survey",  "validate", "list",      "plot",  "compare"};

class bench_program : public in_scratch_folder {
 protected:
  ~bench_program() override { unsetenv("UPSWEEP_TEST_FAULT"); }

  /// A command that measures on the sim, as quickly as can be.
  static words quick(const std::string& program, const std::string& command, const words& more) {
    words all = {program, command, "--device", "sim", "--max-seconds", "0", "--min-samples", "1"};
    if (std::find(more.begin(), more.end(), "--n") == more.end()) all.insert(all.end(), {"--n", "300"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  outcome bench(const std::string& command, const words& more = {}) const {
    return run(quick(UPSWEEP_BENCH, command, more));
  }
  outcome over_fault(const std::string& fault, const std::string& command, const words& more = {}) const {
    setenv("UPSWEEP_TEST_FAULT", fault.c_str(), 1);
    return run(quick(FAULTY_BENCH, command, more));
  }
  /// Runs it with --json and reads what was written.
  bench_record record_of(const std::string& command, words more = {}) const {
    more.insert(more.end(), {"--json", "r.json"});
    const outcome result = bench(command, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return apps::read_record(file("r.json"));
  }
  /// Expects exit code 1, words on stderr, and one row that is not verified in table and record.
  void expect_wrong(const std::string& fault, const std::string& command, const words& more,
                    const std::string& expected) const {
    words with_json = more;
    with_json.insert(with_json.end(), {"--json", "r.json"});
    const outcome result = over_fault(fault, command, with_json);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_NE(result.err.find("wrong result: " + expected), std::string::npos)
        << "expected: " << expected << "\ngot: " << result.err;
    EXPECT_NE(result.out.find("unverified!"), std::string::npos) << result.out;
    const bench_record record = apps::read_record(file("r.json"));
    EXPECT_EQ(std::ranges::count(record.rows, false, &apps::bench_row::verified), 1);
  }
};

TEST_F(bench_program, needs_a_command) {
  const std::string expected =
      "expected a command: by_key, compact, compare, flagged, list, partition, plot, scan, segmented, sort, split, "
      "survey, validate";
  expect_failure({UPSWEEP_BENCH}, 2, "no command came: " + expected);
  expect_failure({UPSWEEP_BENCH, "merge"}, 2, "came \"merge\": " + expected);
  expect_failure({UPSWEEP_BENCH, "--n", "5"}, 2, "came \"--n\": " + expected);
}

TEST_F(bench_program, explains_itself_and_each_command) {
  const auto expect_help = [&](const words& command, const std::string& example) {
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    const std::string first = result.out.substr(0, result.out.find('\n'));
    EXPECT_TRUE(std::isupper(first.at(0)) && first.find(' ') != std::string::npos) << first;
    EXPECT_LT(first.size(), result.out.find("\nExamples:\n  " + example)) << result.out;
    EXPECT_NE(result.out.find("\nExamples:\n  " + example), std::string::npos) << result.out;
    return result.out;
  };
  for (const char* flag : {"--help", "-h"}) {
    const std::string help = expect_help({UPSWEEP_BENCH, flag}, "upsweep-bench ");
    for (const std::string& command : commands) EXPECT_NE(help.find(command), std::string::npos) << command;
  }
  for (const std::string& command : commands) {
    expect_help({UPSWEEP_BENCH, command, "--help"}, "upsweep-bench " + command);
    const outcome version = run({UPSWEEP_BENCH, command, "--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with("upsweep-bench " + command + " ")) << version.out;
  }
  EXPECT_TRUE(run({UPSWEEP_BENCH, "--version"}).out.starts_with("upsweep-bench "));
}

TEST_F(bench_program, lists_what_can_be_named) {
  const outcome all = run({UPSWEEP_BENCH, "list"});
  EXPECT_EQ(all.code, 0);
  for (const char* line :
       {"operation compact\n", "strategy serial\n", "block brent_kung\n", "type f64\n",
        "variant decoupled_lookback/warp_scans/256x16\n", "distribution sort zipf\n", "reference thrust\n",
        "narrow_type bf16\n", "method flagged hole_filling\n", "key_type f32\n"}) {
    EXPECT_NE(("\n" + all.out).find(std::string("\n") + line), std::string::npos) << line;
  }
  EXPECT_EQ(run({UPSWEEP_BENCH, "list", "operations"}).out,
            "scan\ncompact\nflagged\npartition\nsplit\nsort\nby_key\nsegmented\n");
  std::string key_types;
  for (const scalar_type t : apps::measured_key_types()) key_types += std::string(name_of(t)) + '\n';
  EXPECT_EQ(run({UPSWEEP_BENCH, "list", "key_types"}).out, key_types);
  expect_failure({UPSWEEP_BENCH, "list", "colours"}, 2,
                 "KIND: came \"colours\"; expected one of operations, strategies,");
}

TEST_F(bench_program, prints_a_table_under_the_banner_of_the_sim) {
  for (const char* command : {"scan", "compact", "sort", "survey"}) {
    const outcome result = bench(command);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with(banner)) << result.out;
    EXPECT_NE(result.out.find(std::string("\n") + command + " on sim: "), std::string::npos) << result.out;
    EXPECT_NE(result.out.find(" default "), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("unverified"), std::string::npos) << result.out;
    EXPECT_EQ(files(), words{}) << "nothing else is written";
  }
}

TEST_F(bench_program, sorts_keys_that_bring_rows_along) {
  const bench_record sort =
      record_of("sort", {"--n", "1,1000", "--distribution", "payload_4x16", "--reference", "serial"});
  ASSERT_EQ(sort.rows.size(), 2u);
  for (const apps::bench_row& row : sort.rows) EXPECT_TRUE(row.verified) << row.n;
  expect_failure(quick(UPSWEEP_BENCH, "sort", {"--distribution", "payload_4x16", "--type", "u64"}), 2,
                 "payload_4x16 came; expected with --type u32 and no --values");
}

TEST_F(bench_program, measures_all_that_is_asked_for) {
  const bench_record scan = record_of("scan", {"--n", "1,33", "--type", "f64,i32", "--variant", "default,serial",
                                               "--reference", "none,copy", "--distribution", "ones", "--seed", "7"});
  ASSERT_EQ(scan.rows.size(), 16u);
  EXPECT_EQ(scan.settings["seed"], 7);
  std::size_t with_reference = 0;
  for (const apps::bench_row& row : scan.rows) {
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(row.distribution, "ones");
    EXPECT_EQ(row.mode, apps::timing_mode::warm) << "the sim has no cache to flush and no graphs";
    EXPECT_EQ(row.bytes, 2 * static_cast<std::uint64_t>(row.n) * size_of(row.type));
    with_reference += row.reference == "copy";
    EXPECT_EQ(row.speedup.has_value(), row.reference == "copy");
  }
  EXPECT_EQ(with_reference, 8u);

  const bench_record compact = record_of("compact", {"--kept", "0,100", "--distribution", "clustered,random"});
  ASSERT_EQ(compact.rows.size(), 4u);
  EXPECT_EQ(compact.rows[0].kept, 0.0);
  EXPECT_EQ(compact.rows[0].bytes, 1200u);
  EXPECT_EQ(compact.rows[1].kept, 1.0);
  EXPECT_EQ(compact.rows[1].bytes, 2400u);

  const bench_record sort = record_of("sort", {"--values", "none,u32", "--type", "u64"});
  ASSERT_EQ(sort.rows.size(), 2u);
  EXPECT_FALSE(sort.rows[0].value_type.has_value());
  EXPECT_EQ(sort.rows[1].value_type, scalar_type::u32);
}

TEST_F(bench_program, measures_compaction_by_flags_of_every_layout) {
  const words layouts = {"bytes_4", "bytes_8", "bytes_12", "bytes_16", "bytes_20", "bytes_32", "bytes_64", "arrays_8"};
  const std::vector<std::size_t> element_bytes = {4, 8, 12, 16, 20, 32, 64, 8 * 4};
  std::string all = layouts[0];
  for (std::size_t i = 1; i < layouts.size(); ++i) all += "," + layouts[i];
  const bench_record record = record_of("flagged", {"--n", "3000", "--distribution", all, "--kept", "0,50,100"});
  ASSERT_EQ(record.rows.size(), 3 * layouts.size());
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const apps::bench_row& row = record.rows[i];
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(row.distribution, layouts[i / 3]);
    ASSERT_TRUE(row.kept.has_value());
    const std::size_t bytes = element_bytes[i / 3];
    const std::size_t least = row.distribution == "bytes_32" || row.distribution == "bytes_64" ? 0 : bytes;
    if (*row.kept == 0) {
      EXPECT_EQ(row.bytes, 3000 * (1 + least));
    } else if (*row.kept == 1) {
      EXPECT_EQ(row.bytes, 3000 * (1 + 2 * bytes));
    }
  }
}

TEST_F(bench_program, measures_methods_of_compaction) {
  const bench_record flagged =
      record_of("flagged", {"--n", "3000", "--method", "default,fused,vote_scan_compact,hole_filling", "--kept", "95",
                            "--distribution", "bytes_64,arrays_8", "--reference", "stable"});
  ASSERT_EQ(flagged.rows.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    const apps::bench_row& row = flagged.rows[i];
    const std::uint64_t bytes = i < 4 ? 64 : 8 * 4, kept = (flagged.rows[0].bytes - 3000) / 128,
                        read = i < 4 ? kept : 3000;
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(row.reference_timing.value().name, "fused");
    EXPECT_EQ(row.reference_timing->bytes, 3000 + (read + kept) * bytes);
    EXPECT_EQ(row.subject.name,
              (words{"default", "fused", "vote_scan_compact/default", "hole_filling/default"}[i % 4]));
    if (i % 4 == 2) {
      EXPECT_GE(row.subject.bytes, 3000 + 4 * 4 * 3001 + 2 * kept * bytes) << "votes, their scan, and places";
    }
    if (i % 4 == 3) {
      EXPECT_LT(row.bytes, 3000 + 2 * (3000 - kept) * bytes) << "what stays is not moved";
    }
  }
  const bench_record compact = record_of("compact", {"--method", "fused,vote_scan_compact", "--kept", "100"});
  ASSERT_EQ(compact.rows.size(), 2u);
  EXPECT_EQ(compact.rows[0].subject.bytes, 0u) << "that of the row";
  EXPECT_EQ(compact.rows[1].subject.bytes, 1200u + 4 * 4 * 301 + 2 * 1200);
}

TEST_F(bench_program, measures_partitions_and_splits) {
  const bench_record partition = record_of("partition", {"--n", "1,3000", "--type", "u32,u64", "--kept", "0,50,100"});
  ASSERT_EQ(partition.rows.size(), 12u);
  for (const apps::bench_row& row : partition.rows) {
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(row.bytes, 2 * static_cast<std::uint64_t>(row.n) * size_of(row.type));
  }
  const bench_record split =
      record_of("split", {"--n", "1,5000", "--distribution", "buckets_2,buckets_16,buckets_256"});
  ASSERT_EQ(split.rows.size(), 6u);
  for (const apps::bench_row& row : split.rows) {
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(row.bytes, 8 * static_cast<std::uint64_t>(row.n));
  }
}

TEST_F(bench_program, measures_sums_of_segments) {
  for (const char* command : {"by_key", "segmented"}) {
    for (const unsigned bytes : {4u, 8u}) {
      const bench_record record = record_of(
          command, {"--n", "1,3000", "--distribution", "one,lengths_8", "--type", bytes == 4 ? "u32" : "u64"});
      ASSERT_EQ(record.rows.size(), 4u);
      for (const apps::bench_row& row : record.rows) EXPECT_TRUE(row.verified);
      EXPECT_EQ(record.rows[1].subject.name, "default");
      EXPECT_EQ(record.rows[1].bytes, 2 * bytes * 3000u + (command == std::string("by_key") ? bytes * 3000u : 2 * 8u));
    }
  }
}

TEST_F(bench_program, measures_reproducible_sums) {
  const bench_record record = record_of(
      "scan", {"--n", "20001", "--method", "default,reproducible", "--type", "f32,f64", "--reference", "serial,copy"});
  ASSERT_EQ(record.rows.size(), 8u);
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const apps::bench_row& row = record.rows[i];
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(row.subject.name, i / 2 % 2 == 0 ? "default" : "reproducible");
    EXPECT_EQ(row.type, i < 4 ? scalar_type::f32 : scalar_type::f64);
  }
}

TEST_F(bench_program, measures_sums_of_narrow_items) {
  const words types = {"u8", "u16", "f16", "bf16"};
  const bench_record record =
      record_of("scan", {"--n", "1,40001", "--type", "u8,u16,f16,bf16", "--distribution", "ones,random"});
  ASSERT_EQ(record.rows.size(), 16u);
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const apps::bench_row& row = record.rows[i];
    EXPECT_TRUE(row.verified);
    EXPECT_EQ(name_of(row.type), types[i / 4]);
    EXPECT_EQ(row.subject.name, "default");
    EXPECT_EQ(row.bytes, (i % 2 == 0 ? 1 : 40001) * (i < 4 ? 2u : 4u));
  }
}

TEST_F(bench_program, surveys_every_variant_beside_its_costs) {
  const bench_record record = record_of("survey");
  EXPECT_EQ(record.command, "survey");
  ASSERT_EQ(record.rows.size(), runtime::scan_variants().size() + 1);
  EXPECT_EQ(record.rows[0].subject.name, "default");
  for (std::size_t i = 0; i + 1 < record.rows.size(); ++i) {
    EXPECT_TRUE(record.rows[i].cost.has_value()) << record.rows[i].subject.name;
    EXPECT_EQ(record.rows[i].reference, "");
  }
  EXPECT_EQ(record.rows.back().subject.name, "copy");
  EXPECT_FALSE(record.rows.back().cost.has_value());
  // Without the variant `serial`, the loop of the CPU still stands beside the others.
  const bench_record some = record_of("survey", {"--variant", "default"});
  ASSERT_EQ(some.rows.size(), 3u);
  EXPECT_EQ(some.rows[1].subject.name, "serial");
}

TEST_F(bench_program, writes_a_record_and_nothing_else_to_stdout) {
  const outcome result = bench("sort", {"--json", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  spill(file("r.json"), result.out);
  const bench_record record = apps::read_record(file("r.json"));
  EXPECT_EQ(apps::json::parse(apps::to_json(record).dump()), apps::json::parse(result.out));
  EXPECT_EQ(record.command, "sort");
  EXPECT_EQ(record.argv, (words{"upsweep-bench", "sort", "--device", "sim", "--max-seconds", "0", "--min-samples", "1",
                                "--n", "300", "--json", "-"}));
  EXPECT_EQ(record.device.backend, "sim");
  EXPECT_FALSE(record.copy_gb_per_s.has_value());
  EXPECT_TRUE(record.versions.contains("upsweep"));
  ASSERT_EQ(record.rows.size(), 1u);
  EXPECT_EQ(record.rows[0].subject.samples, 2);
  EXPECT_EQ(record.rows[0].reference, "serial");
}

TEST_F(bench_program, writes_every_form_and_the_table) {
  const outcome result = bench("scan", {"--json", "r.json", "--csv", "r.csv", "--markdown", "r.md"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with(banner));
  EXPECT_EQ(files(), (words{"r.csv", "r.json", "r.md"}));
  EXPECT_TRUE(slurp(file("r.csv")).starts_with("device,backend,operation,n,")) << slurp(file("r.csv"));
  EXPECT_TRUE(slurp(file("r.md")).starts_with("**" + banner)) << slurp(file("r.md"));
  EXPECT_EQ(apps::read_record(file("r.json")).rows.size(), 1u);
  EXPECT_TRUE(bench("scan", {"--csv", "-"}).out.starts_with("device,"));
  EXPECT_TRUE(bench("scan", {"--markdown", "-"}).out.starts_with("**" + banner));
}

TEST_F(bench_program, gives_each_output_a_file_of_its_own) {
  const auto refused = [&](const words& more, const std::string& expected) {
    expect_failure(quick(UPSWEEP_BENCH, "scan", more), 2, expected + ": named for two outputs");
  };
  refused({"--json", "a", "--csv", "./a"}, "./a");
  refused({"--csv", "a", "--markdown", "a"}, "a");
  refused({"--json", "-", "--markdown", "-"}, "-");
  EXPECT_EQ(files(), words{});
}

TEST_F(bench_program, finds_an_output_that_cannot_be_written_before_the_work) {
  for (const char* flag : {"--json", "--csv", "--markdown"}) {
    const outcome result = over_fault("sum", "scan", {flag, "none/r"});
    EXPECT_EQ(result.code, 4) << result.err;
    EXPECT_TRUE(result.err.starts_with("upsweep-bench: none/r: ")) << "nothing was checked before: " << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(bench_program, names_the_first_wrong_element) {
  expect_wrong("sum", "scan", {"--distribution", "ones"}, "element 20 is 21; expected 20");
  expect_wrong("short", "compact", {"--kept", "100"}, "299 elements were kept; expected 300");
  expect_wrong("bit", "compact", {"--kept", "100"}, "element 299 is ");
  expect_wrong("lost key", "sort", {}, "element 7 is ");
  expect_wrong("sum", "survey", {"--n", "21", "--variant", "all", "--distribution", "ones"}, "element 20 is ");
}

TEST_F(bench_program, finds_a_right_library_right) {
  for (const char* command : {"scan", "compact", "sort", "survey"}) {
    EXPECT_EQ(over_fault("none", command).code, 0) << command;
  }
}

TEST_F(bench_program, ends_with_5_when_a_call_fails) {
  for (const char* command : {"compact", "sort"}) {
    EXPECT_EQ(over_fault("launch", command).code, 5);
    expect_failure(quick(FAULTY_BENCH, command, {}), 5, "default failed: cudaErrorLaunchFailure");
    setenv("UPSWEEP_TEST_FAULT", "memory", 1);
    expect_failure(quick(FAULTY_BENCH, command, {}), 5, "out of device memory: 32.0 PiB for a workspace");
  }
}

TEST_F(bench_program, keeps_what_was_measured_when_memory_runs_out) {
  for (const std::string memory : {"host", "device"}) {
    SCOPED_TRACE(memory);
    // The second size needs 512 GiB of host memory, of which the shell allows 8; or a workspace that nobody has.
    setenv("UPSWEEP_TEST_FAULT", "memory of many", 1);
    const words command = memory == "host"
                              ? quick(UPSWEEP_BENCH, "scan", {"--n", "300,2^36", "--type", "u64", "--json", "r.json"})
                              : quick(FAULTY_BENCH, "compact", {"--n", "300,2000", "--json", "r.json"});
    std::string line = "ulimit -v 8388608; exec";
    for (const std::string& word : command) line += " '" + word + "'";
    const outcome result = run({"/bin/sh", "-c", line});
    EXPECT_EQ(result.code, 5) << result.err;
    EXPECT_NE(result.err.find("out of " + memory + " memory"), std::string::npos) << result.err;
    const bench_record record = apps::read_record(file("r.json"));
    ASSERT_EQ(record.rows.size(), 1u);
    EXPECT_EQ(record.rows[0].n, 300);
    EXPECT_NE(result.out.find("300"), std::string::npos) << "the table too";
  }
}

TEST_F(bench_program, needs_a_gpu_when_told_so) {
  std::string why;
  if (runtime::open_device("cuda", why)) GTEST_SKIP() << "there is a GPU";
  expect_failure({UPSWEEP_BENCH, "scan", "--device", "cuda"}, 5, "--device cuda: ");
  expect_failure({UPSWEEP_BENCH, "survey", "--device", "cuda:1"}, 5, "--device cuda:1: ");
}

TEST_F(bench_program, goes_on_with_what_fits_when_memory_runs_out) {
  setenv("UPSWEEP_TEST_FAULT", "memory of many", 1);
  const outcome result = run(quick(FAULTY_BENCH, "compact", {"--n", "2000,300", "--csv", "-"}));
  unsetenv("UPSWEEP_TEST_FAULT");
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_NE(result.err.find("compact u32, n = 2000"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("compact,300,"), std::string::npos) << result.out;
}

TEST_F(bench_program, sorts_keys_with_nans_right_on_the_cpu_too) {
  for (const char* values : {"none", "u32"}) {
    const outcome result = run(quick(
        UPSWEEP_BENCH, "sort", {"--type", "f32", "--values", values, "--distribution", "uniform,float_specials"}));
    EXPECT_EQ(result.code, 0) << result.err;
  }
}

TEST_F(bench_program, writes_over_nothing_that_it_reads) {
  spill(file("c.json"), R"({"n": 100})");
  expect_failure(quick(UPSWEEP_BENCH, "scan", {"--config", "c.json", "--json", "c.json"}), 2,
                 "c.json: named for an input and for an output");
  EXPECT_EQ(slurp(file("c.json")), R"({"n": 100})");
  ASSERT_EQ(run(quick(UPSWEEP_BENCH, "scan", {"--json", "r.json"})).code, 0);
  const std::string record = slurp(file("r.json"));
  expect_failure({UPSWEEP_BENCH, "compare", "r.json", "r.json", "--json", "r.json"}, 2,
                 "r.json: named for an input and for an output");
  EXPECT_EQ(slurp(file("r.json")), record);
}

TEST_F(bench_program, says_when_standard_output_is_full) {
  const auto into_full = [&](const std::string& words) {
    return run({"/bin/sh", "-c", std::string(UPSWEEP_BENCH) + " " + words + " >/dev/full"}).code;
  };
  EXPECT_EQ(into_full("list"), 4);
  EXPECT_EQ(into_full("scan --device sim --n 100 --min-samples 1 --max-seconds 0"), 4);
  EXPECT_EQ(into_full("validate --device sim --n 1 --only ^scan/.*u32"), 4);
}

TEST_F(bench_program, counts_the_bytes_of_a_copy_as_what_it_copies) {
  const outcome result = run(quick(UPSWEEP_BENCH, "sort", {"--n", "1000", "--reference", "copy", "--json", "-"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const json row = json::parse(result.out)["rows"][0];
  EXPECT_EQ(row["bytes"], 36000);
  EXPECT_EQ(row["reference_timing"]["bytes"], 8000);
  const double ms = row["reference_timing"]["median_ms"];
  EXPECT_NEAR(row["reference_timing"]["gb_per_s"].get<double>(), 8000 / ms * 1e-6, 1e-9 / ms);
}

/// The records of the repository: what the README shows.
TEST(recorded, is_read_and_compares_with_itself) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/bench/recorded")) {
    if (entry.path().extension() != ".json") continue;
    apps::bench_record record = apps::read_record(entry.path().string());
    EXPECT_EQ(record.device.name, "NVIDIA H200") << entry.path();
    for (const apps::bench_row& row : record.rows) {
      EXPECT_TRUE(row.verified) << entry.path() << ' ' << row.n;
      EXPECT_GE(row.subject.samples, 10) << entry.path() << ' ' << row.n;
    }
    record.rows.resize(std::min<std::size_t>(record.rows.size(), 10));  // for time's sake
    for (const apps::compared_row& row : apps::compare_records(record, record, 0.01)) {
      EXPECT_EQ(row.outcome, apps::verdict::same) << entry.path() << ' ' << row.row.n;
    }
    ++count;
  }
  EXPECT_EQ(count, 23);
}

// Of the same kernels in two sessions: what is in both is the same but for drift.
TEST(recorded, runs_of_the_same_kernels_are_hardly_slower) {
  const auto read = [](const char* name) { return apps::read_record(configs + "/bench/recorded/h200_" + name); };
  int slower = 0, compared = 0;
  for (const apps::compared_row& row : apps::compare_records(read("scan.json"), read("survey.json"), 0.01)) {
    compared += row.ratio.has_value();
    slower += row.outcome == apps::verdict::slower;
  }
  EXPECT_GE(compared, 7);
  EXPECT_EQ(slower, 0);
}

}  // namespace
}  // namespace upsweep::test
