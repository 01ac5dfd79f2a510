// upsweep-bench from its command line to its tables and records, over the library and over one that fails.
#include <cstdlib>

#include "bench_config.hpp"
#include "compare.hpp"
#include "primitives.hpp"
#include "record.hpp"
#include "support.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::bench_row;
using apps::json;
using words = std::vector<std::string>;

const std::string banner = "SIM: measured on the simulator";

/// A command that measures on the sim, as quickly as can be.
words quick(const std::string& program, const std::string& command, const words& more = {}) {
  words all = {program, command, "--device", "sim", "--max-seconds", "0", "--min-samples", "1"};
  if (std::find(more.begin(), more.end(), "--n") == more.end()) all.insert(all.end(), {"--n", "300"});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class bench_program : public in_scratch_folder {
 protected:
  ~bench_program() override { unsetenv("UPSWEEP_TEST_FAULT"); }

  outcome bench(const std::string& command, const words& more = {}) const {
    return run(quick(UPSWEEP_BENCH, command, more));
  }
  outcome over_fault(const std::string& fault, const std::string& command, const words& more = {}) const {
    setenv("UPSWEEP_TEST_FAULT", fault.c_str(), 1);
    return run(quick(FAULTY_BENCH, command, more));
  }
  /// Runs it with --json and reads what was written: that many rows, all verified.
  bench_record record_of(std::size_t rows, const std::string& command, words more = {}) const {
    more.insert(more.end(), {"--json", "r.json"});
    const outcome result = bench(command, more);
    EXPECT_EQ(result.code, 0) << result.err;
    bench_record record = apps::read_record(file("r.json"));
    EXPECT_EQ(record.rows.size(), rows);
    for (const bench_row& row : record.rows) EXPECT_TRUE(row.verified) << row.n << row.subject.name;
    record.rows.resize(rows);
    return record;
  }
  /// Expects exit code 1, what is wrong on stderr, and one row that is not verified in table and record.
  void expect_wrong(const std::string& fault, const std::string& command, words more, const std::string& said) const {
    more.insert(more.end(), {"--json", "r.json"});
    const outcome result = over_fault(fault, command, more);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_NE(result.err.find("wrong result: " + said), std::string::npos) << said << "\ngot: " << result.err;
    EXPECT_NE(result.out.find("unverified!"), std::string::npos) << result.out;
    const bench_record record = apps::read_record(file("r.json"));
    EXPECT_EQ(std::ranges::count(record.rows, false, &bench_row::verified), 1);
  }
};

TEST_F(bench_program, needs_a_command_and_explains_each) {
  const std::string all =
      "across, axis, by_key, compact, compare, expand, flagged, from_host, group_by, list, merge, partition, plot, "
      "reduce_by_key, report, run_lengths, scan, segmented, segmented_sort, sort, splats, split, survey, top_k, tune, "
      "unique, "
      "validate";
  expect_failure({UPSWEEP_BENCH}, 2, "got no command: expected a command: " + all);
  expect_failure({UPSWEEP_BENCH, "fold"}, 2, "got \"fold\": expected a command: " + all);
  EXPECT_NE(run({UPSWEEP_BENCH, "--help"}).out.find("\nExamples:\n  upsweep-bench "), std::string::npos);
  EXPECT_TRUE(run({UPSWEEP_BENCH, "--version"}).out.starts_with("upsweep-bench "));
  std::istringstream in(all);
  for (std::string command; std::getline(in >> std::ws, command, ',');) {
    const std::string name = "upsweep-bench " + command;
    EXPECT_NE(run({UPSWEEP_BENCH, command, "--help"}).out.find("\nExamples:\n  " + name), std::string::npos) << name;
    EXPECT_TRUE(run({UPSWEEP_BENCH, command, "--version"}).out.starts_with(name + " ")) << name;
  }
}

TEST_F(bench_program, lists_what_can_be_named) {
  const outcome all = run({UPSWEEP_BENCH, "list"});
  EXPECT_EQ(all.code, 0);
  for (const char* line : {"strategy serial\n", "block brent_kung\n", "variant decoupled_lookback/warp_scans/256x16\n",
                           "distribution sort zipf\n", "method flagged hole_filling\n", "key_type f32\n"}) {
    EXPECT_NE(("\n" + all.out).find(std::string("\n") + line), std::string::npos) << line;
  }
  EXPECT_EQ(run({UPSWEEP_BENCH, "list", "operations"}).out,
            "scan\ncompact\nflagged\npartition\nsplit\nsort\nby_key\nsegmented\naxis\nsegmented_sort\ntop_k\n"
            "reduce_by_key\nrun_lengths\nunique\ngroup_by\nmerge\nexpand\nsplats\n");
  expect_failure({UPSWEEP_BENCH, "list", "colours"}, 2,
                 "KIND: got \"colours\"; expected one of operations, strategies,");
}

TEST_F(bench_program, measures_all_that_is_asked_for) {
  const bench_record scan = record_of(16, "scan",
                                      {"--n", "1,33", "--type", "f64,i32", "--variant", "default,serial", "--reference",
                                       "none,copy", "--distribution", "ones", "--seed", "7"});
  EXPECT_EQ(scan.settings["seed"], 7);
  for (const bench_row& row : scan.rows) {
    EXPECT_EQ(row.distribution, "ones");
    EXPECT_EQ(row.mode, apps::timing_mode::warm) << "the sim has no cache to flush and no graphs";
    EXPECT_EQ(row.bytes, 2 * static_cast<std::uint64_t>(row.n) * size_of(row.type));
    EXPECT_EQ(row.speedup.has_value(), row.reference == "copy");
  }
  EXPECT_EQ(std::ranges::count(scan.rows, "copy", &bench_row::reference), 8);

  const bench_record compact = record_of(4, "compact", {"--kept", "0,100", "--distribution", "clustered,random"});
  EXPECT_EQ(compact.rows[0].bytes, 1200u);
  EXPECT_EQ(compact.rows[1].bytes, 2400u);

  const bench_record sort = record_of(2, "sort", {"--values", "none,u32", "--type", "u64"});
  EXPECT_FALSE(sort.rows[0].value_type.has_value());
  EXPECT_EQ(sort.rows[1].value_type, scalar_type::u32);
  record_of(2, "sort", {"--n", "1,1000", "--distribution", "payload_4x16", "--reference", "serial"});
  record_of(4, "sort", {"--type", "f32", "--values", "none,u32", "--distribution", "uniform,float_specials"});

  for (const bench_row& row :
       record_of(12, "partition", {"--n", "1,3000", "--type", "u32,u64", "--kept", "0,50,100"}).rows) {
    EXPECT_EQ(row.bytes, 2 * static_cast<std::uint64_t>(row.n) * size_of(row.type));
  }
  for (const bench_row& row :
       record_of(6, "split", {"--n", "1,5000", "--distribution", "buckets_2,buckets_16,buckets_256"}).rows) {
    EXPECT_EQ(row.bytes, 8 * static_cast<std::uint64_t>(row.n));
  }
  for (const char* command : {"by_key", "segmented"}) {
    const bench_record sums =
        record_of(8, command, {"--n", "1,3000", "--distribution", "one,lengths_8", "--type", "u32,u64"});
    for (const std::size_t i : {1u, 5u}) {
      const unsigned bytes = i == 1 ? 4 : 8;
      EXPECT_EQ(sums.rows[i].subject.name, "default");
      EXPECT_EQ(sums.rows[i].bytes, 2 * bytes * 3000u + (command == std::string("by_key") ? bytes * 3000u : 2 * 8u));
    }
  }
  for (const apps::primitive& p : apps::primitives()) {
    const std::string both = fmt::format("{},{}", p.distributions.front(), p.distributions.back());
    record_of(4, std::string(apps::operation_names[static_cast<int>(p.what)]),
              {"--n", "1,3000", "--distribution", both});
  }
  const bench_record axis = record_of(
      8, "axis",
      {"--n", "1,1003", "--type", "u32,f64", "--distribution", "columns_3,rows_100", "--reference", "serial"});
  EXPECT_EQ(axis.rows[1].bytes, 8 * 1002u);
  const bench_record narrow =
      record_of(16, "scan", {"--n", "1,40001", "--type", "u8,u16,f16,bf16", "--distribution", "ones,random"});
  EXPECT_EQ(narrow.rows[3].bytes, 2 * 40001u);
  EXPECT_EQ(narrow.rows[15].type, scalar_type::bf16);
  const bench_record reproducible = record_of(
      8, "scan",
      {"--n", "20001", "--method", "default,reproducible", "--type", "f32,f64", "--reference", "serial,copy"});
  EXPECT_EQ(reproducible.rows[2].subject.name, "reproducible");
}

TEST_F(bench_program, measures_compaction_by_flags_of_every_layout_and_by_every_method) {
  const std::pair<const char*, std::uint64_t> layouts[] = {{"bytes_4", 4},   {"bytes_8", 8},   {"bytes_12", 12},
                                                           {"bytes_16", 16}, {"bytes_20", 20}, {"bytes_32", 32},
                                                           {"bytes_64", 64}, {"arrays_8", 32}};
  for (const auto& [name, bytes] : layouts) {
    const bench_record all = record_of(3, "flagged", {"--n", "3000", "--distribution", name, "--kept", "0,50,100"});
    const std::uint64_t least = bytes >= 32 && name != std::string("arrays_8") ? 0 : bytes;
    EXPECT_EQ(all.rows[0].distribution, name);
    EXPECT_EQ(all.rows[0].bytes, 3000 * (1 + least)) << name;
    EXPECT_EQ(all.rows[2].bytes, 3000 * (1 + 2 * bytes)) << name;
  }
  const bench_record flagged =
      record_of(8, "flagged",
                {"--n", "3000", "--method", "default,fused,vote_scan_compact,hole_filling", "--kept", "95",
                 "--distribution", "bytes_64,arrays_8", "--reference", "stable"});
  for (std::size_t i = 0; i < 8; ++i) {
    const bench_row& row = flagged.rows[i];
    const std::uint64_t bytes = i < 4 ? 64 : 8 * 4, kept = (flagged.rows[0].bytes - 3000) / 128,
                        read = i < 4 ? kept : 3000;
    EXPECT_EQ(row.reference_timing.value().name, "fused");
    EXPECT_EQ(row.reference_timing->bytes, 3000 + (read + kept) * bytes);
    EXPECT_EQ(row.subject.name,
              (words{"default", "fused", "vote_scan_compact/default", "hole_filling/default"}[i % 4]));
    EXPECT_TRUE(i % 4 != 2 || row.subject.bytes >= 3000 + 4 * 4 * 3001 + 2 * kept * bytes) << "votes, scan, places";
    EXPECT_TRUE(i % 4 != 3 || row.bytes < 3000 + 2 * (3000 - kept) * bytes) << "what stays is not moved";
  }
  const bench_record compact = record_of(2, "compact", {"--method", "fused,vote_scan_compact", "--kept", "100"});
  EXPECT_EQ(compact.rows[0].subject.bytes, 0u) << "that of the row";
  EXPECT_EQ(compact.rows[1].subject.bytes, 1200u + 4 * 4 * 301 + 2 * 1200);
}

TEST_F(bench_program, surveys_every_variant_beside_its_costs) {
  const std::size_t variants = runtime::scan_variants().size();
  const bench_record record = record_of(variants + 1, "survey");
  EXPECT_EQ(record.rows[0].subject.name, "default");
  for (const bench_row& row : record.rows) {
    EXPECT_EQ(row.cost.has_value(), row.subject.name != "copy") << row.subject.name;
    EXPECT_EQ(row.reference, "");
  }
  EXPECT_EQ(record.rows.back().subject.name, "copy");
  // Without the variant `serial`, the loop of the CPU is still listed beside the others.
  EXPECT_EQ(record_of(3, "survey", {"--variant", "default"}).rows[1].subject.name, "serial");
}

TEST_F(bench_program, writes_every_form_and_the_table) {
  for (const char* command : {"compact", "sort", "survey", "scan"}) {
    const outcome result = bench(command, {"--json", "r.json", "--csv", "r.csv", "--markdown", "r.md"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with(banner)) << result.out;
    EXPECT_NE(result.out.find(std::string("\n") + command + " on sim: "), std::string::npos) << result.out;
  }
  EXPECT_EQ(files(), (words{"r.csv", "r.json", "r.md"}));
  EXPECT_TRUE(slurp(file("r.csv")).starts_with("device,backend,operation,n,")) << slurp(file("r.csv"));
  EXPECT_TRUE(slurp(file("r.md")).starts_with("**" + banner)) << slurp(file("r.md"));
  EXPECT_TRUE(bench("scan", {"--csv", "-"}).out.starts_with("device,"));
  EXPECT_TRUE(bench("scan", {"--markdown", "-"}).out.starts_with("**" + banner));

  const outcome piped = bench("sort", {"--n", "1000", "--reference", "copy", "--json", "-"});
  ASSERT_EQ(piped.code, 0) << piped.err;
  const bench_record record = apps::record_from("-", json::parse(piped.out));
  EXPECT_EQ(json::parse(apps::to_json(record).dump()), json::parse(piped.out));
  EXPECT_EQ(record.argv, (words{"upsweep-bench", "sort", "--device", "sim", "--max-seconds", "0", "--min-samples", "1",
                                "--n", "1000", "--reference", "copy", "--json", "-"}));
  EXPECT_EQ(record.device.backend, "sim");
  EXPECT_FALSE(record.copy_gb_per_s.has_value());
  EXPECT_EQ(piped.out.find("share_of_copy"), std::string::npos) << "of the sim";
  EXPECT_TRUE(record.versions.contains("upsweep"));
  ASSERT_EQ(record.rows.size(), 1u);
  EXPECT_EQ(record.rows[0].subject.samples, 2);
  EXPECT_EQ(record.rows[0].bytes, 36000u);
  EXPECT_EQ(record.rows[0].reference_timing->bytes, 8000u) << "those of the copy";
}

TEST_F(bench_program, refuses_outputs_before_the_work) {
  spill(file("c.json"), R"({"n": 100})");
  const struct {
    words more;
    int code;
    const char* said;
  } mistakes[] = {{{"--json", "a", "--csv", "./a"}, 2, "--csv: ./a is what --json writes"},
                  {{"--csv", "a", "--markdown", "a"}, 2, "--markdown: a is what --csv writes"},
                  {{"--json", "-", "--markdown", "-"}, 2, "--markdown: - is what --json writes"},
                  {{"--config", "c.json", "--json", "c.json"}, 2, "--json: c.json is what --config reads"},
                  {{"--json", "none/r"}, 4, "none/r: "},
                  {{"--csv", "none/r"}, 4, "none/r: "},
                  {{"--markdown", "none/r"}, 4, "none/r: "}};
  setenv("UPSWEEP_TEST_FAULT", "sum", 1);
  for (const auto& [more, code, said] : mistakes) {
    const outcome result = run(quick(FAULTY_BENCH, "scan", more));
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_TRUE(result.err.starts_with(std::string("upsweep-bench: ") + said)) << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(files(), words{"c.json"});
  EXPECT_EQ(slurp(file("c.json")), R"({"n": 100})");
  expect_failure({UPSWEEP_BENCH, "compare", "c.json", "d.json", "--json", "c.json"}, 2,
                 "--json: c.json is what OLD reads");
}

TEST_F(bench_program, says_when_standard_output_is_full) {
  for (const std::string words : {"list", "scan --device sim --n 100 --min-samples 1 --max-seconds 0",
                                  "validate --device sim --n 1 --only ^scan/.*u32"}) {
    EXPECT_EQ(run({"/bin/sh", "-c", std::string(UPSWEEP_BENCH) + " " + words + " >/dev/full"}).code, 4) << words;
  }
}

TEST_F(bench_program, names_the_first_wrong_element) {
  expect_wrong("sum", "scan", {"--distribution", "ones"}, "element 20 is 21; expected 20");
  expect_wrong("short", "compact", {"--kept", "100"}, "299 elements were kept; expected 300");
  expect_wrong("bit", "compact", {"--kept", "100"}, "element 299 is ");
  expect_wrong("lost key", "sort", {}, "element 7 is ");
  expect_wrong("sum", "survey", {"--n", "21", "--variant", "all", "--distribution", "ones"}, "element 20 is ");
  for (const char* command : {"scan", "compact", "sort", "survey"}) {
    EXPECT_EQ(over_fault("none", command).code, 0) << command;
  }
}

TEST_F(bench_program, ends_with_5_when_a_call_fails) {
  for (const char* command : {"compact", "sort"}) {
    for (const auto& [fault, said] : {std::pair("launch", "default failed: cudaErrorLaunchFailure"),
                                      {"memory", "out of host memory: 32.0 PiB for a workspace"}}) {
      const outcome result = over_fault(fault, command);
      EXPECT_EQ(result.code, 5);
      EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    }
  }
  std::string why;
  if (!runtime::open_device("cuda", why)) {
    expect_failure({UPSWEEP_BENCH, "scan", "--device", "cuda"}, 5, "--device cuda: ");
  }
}

TEST_F(bench_program, keeps_what_was_measured_and_goes_on_with_what_fits_when_memory_runs_out) {
  for (const std::string memory : {"host", "device"}) {
    SCOPED_TRACE(memory);
    // The second size needs 512 GiB of host memory, of which the shell allows 8; or a workspace that nobody has.
    setenv("UPSWEEP_TEST_FAULT", "memory of many", 1);
    const words command = memory == "host" ? quick(UPSWEEP_BENCH, "scan", {"--n", "300,2^36,200", "--type", "u64"})
                                           : quick(FAULTY_BENCH, "compact", {"--n", "300,2000,200"});
    std::string line = "ulimit -v 8388608; exec";
    for (const std::string& word : command) line += " '" + word + "'";
    const outcome result = run({"/bin/sh", "-c", line + " --json r.json"});
    EXPECT_EQ(result.code, 5) << result.err;
    EXPECT_NE(result.err.find("out of host memory"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(memory == "host" ? "scan u64, n = " : "compact u32, n = 2000"), std::string::npos);
    const bench_record record = apps::read_record(file("r.json"));
    ASSERT_EQ(record.rows.size(), 2u);
    EXPECT_EQ(record.rows[1].n, 200);
    EXPECT_NE(result.out.find("300"), std::string::npos) << "the table too";
  }
}

/// The records of the repository: what the README shows.
TEST(recorded, is_read_and_compares_with_itself) {
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/bench/recorded")) {
    if (entry.path().extension() != ".json") continue;
    const bench_record record = apps::read_record(entry.path().string());
    for (const bench_row& row : record.rows) {
      EXPECT_TRUE(row.verified) << entry.path() << ' ' << row.n;
      EXPECT_GE(row.subject.samples, 10) << entry.path() << ' ' << row.n;
    }
    for (const apps::compared_row& row : apps::compare_records(record, record, 0.01)) {
      EXPECT_EQ(row.outcome, apps::verdict::same) << entry.path() << ' ' << row.row.n;
    }
  }
}

TEST_F(bench_program, host_memory_goes_through_the_device) {
  const words command = {UPSWEEP_BENCH, "from_host", "--device", "sim", "--n", "5000", "--samples", "1"};
  words more = command;
  more.insert(more.end(), {"--gpu-memory", "40kB", "--json", "r.json"});
  const outcome result = run(more);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("GB/s each way"), std::string::npos) << result.out;
  const json document = json::parse(slurp(file("r.json")));
  EXPECT_EQ(document["gpu_memory"], 40000);
  EXPECT_EQ(document["rows"][0]["verified"], true);
  more = command;
  more.insert(more.end(), {"--gpu-memory", "1kB"});
  expect_failure(more, 2, "--gpu-memory: got 1kB; expected at least ");
  setenv("UPSWEEP_TEST_FAULT", "lost key", 1);
  more = command;
  more[0] = FAULTY_BENCH;
  EXPECT_EQ(run(more).code, 1);
}

}  // namespace
}  // namespace upsweep::test
