// upsweep-bench compare: its verdicts, what it prints, what it refuses.
#include "compare.hpp"

#include <functional>

#include "bench_support.hpp"
#include "commands.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::bench_row;
using apps::exit_code;
using apps::json;
using apps::verdict;

bench_row noisy_row(double ms, double noise) {
  bench_row row = plain_row("x", ms);
  row.noise = noise;
  return row;
}

verdict verdict_of(const bench_row& old_row, const bench_row& new_row, double threshold = 0.01) {
  const auto rows = apps::compare_records(record_of({old_row}), record_of({new_row}), threshold);
  EXPECT_EQ(rows.size(), 1u);
  return rows.at(0).outcome;
}

TEST(bench_verdict, is_beyond_the_threshold) {
  const bench_row old_row = noisy_row(1, 1);
  EXPECT_EQ(verdict_of(old_row, noisy_row(1, 1)), verdict::same);
  EXPECT_EQ(verdict_of(old_row, noisy_row(1.009, 1)), verdict::same);
  EXPECT_EQ(verdict_of(old_row, noisy_row(1.011, 1)), verdict::slower);
  EXPECT_EQ(verdict_of(old_row, noisy_row(0.991, 1)), verdict::same);
  EXPECT_EQ(verdict_of(old_row, noisy_row(0.989, 1)), verdict::faster);
  EXPECT_EQ(verdict_of(old_row, noisy_row(1.04, 1), 0.05), verdict::same);
  EXPECT_EQ(verdict_of(old_row, noisy_row(1.06, 1), 0.05), verdict::slower);
  EXPECT_EQ(verdict_of(old_row, noisy_row(1.001, 1), 0), verdict::slower);
}

TEST(bench_verdict, of_what_was_measured_alone_is_beyond_five_percent) {
  EXPECT_EQ(verdict_of(plain_row("x", 1), plain_row("x", 1.04)), verdict::same);
  EXPECT_EQ(verdict_of(plain_row("x", 1), plain_row("x", 1.06)), verdict::slower);
  EXPECT_EQ(verdict_of(plain_row("x", 1), plain_row("x", 0.96)), verdict::same);
  EXPECT_EQ(verdict_of(plain_row("x", 1), plain_row("x", 0.94)), verdict::faster);
}

TEST(bench_verdict, is_beyond_what_the_reference_changed_by) {
  const auto beside = [](double ms, double reference_ms) {
    bench_row row = noisy_row(ms, 1);
    row.reference = "cub";
    row.reference_timing = {{"cub 64-bit", {reference_ms, reference_ms, reference_ms}, 4}};
    return row;
  };
  EXPECT_EQ(verdict_of(beside(1, 2), beside(1.05, 2)), verdict::slower);
  EXPECT_EQ(verdict_of(beside(1, 2), beside(1.05, 2.12)), verdict::same);
  EXPECT_EQ(verdict_of(beside(1, 2), beside(1.05, 1.88)), verdict::same) << "the reference drifts by as much";
  EXPECT_EQ(verdict_of(beside(1, 2), beside(1.07, 2.12)), verdict::slower);
  bench_row other = beside(1.05, 2.12);
  other.reference = "thrust";
  EXPECT_EQ(verdict_of(beside(1, 2), other), verdict::slower) << "nothing to judge the drift by";
}

TEST(bench_verdict, is_beyond_the_noise_of_both) {
  EXPECT_EQ(verdict_of(noisy_row(1, 1.03), noisy_row(1.02, 1.001)), verdict::same);
  EXPECT_EQ(verdict_of(noisy_row(1, 1.001), noisy_row(1.02, 0.97)), verdict::same);
  EXPECT_EQ(verdict_of(noisy_row(1, 1.001), noisy_row(0.98, 0.97)), verdict::same);
  EXPECT_EQ(verdict_of(noisy_row(1, 1.03), noisy_row(1.04, 0.97)), verdict::slower);
  EXPECT_EQ(verdict_of(noisy_row(1, 1.03), noisy_row(0.96, 1)), verdict::faster);
}

TEST(bench_verdict, of_short_calls_is_beyond_five_percent) {
  EXPECT_EQ(verdict_of(noisy_row(0.19, 1), noisy_row(0.19 * 1.04, 1)), verdict::same);
  EXPECT_EQ(verdict_of(noisy_row(0.19, 1), noisy_row(0.19 * 1.06, 1)), verdict::slower);
  EXPECT_EQ(verdict_of(noisy_row(0.19, 1), noisy_row(0.19 * 0.96, 1)), verdict::same);
  EXPECT_EQ(verdict_of(noisy_row(0.19, 1), noisy_row(0.19 * 0.94, 1)), verdict::faster);
  EXPECT_EQ(verdict_of(noisy_row(0.21, 1), noisy_row(0.21 * 1.04, 1)), verdict::slower);
  EXPECT_EQ(verdict_of(noisy_row(0.19, 1), noisy_row(0.19 * 1.06, 1.07)), verdict::same);
}

TEST(bench_verdict, takes_the_whole_interval) {
  bench_row spread = noisy_row(1, 1);
  spread.subject.ms = {1.10, 1.00, 1.20};
  EXPECT_EQ(verdict_of(noisy_row(1, 1), spread), verdict::same);
  EXPECT_EQ(verdict_of(spread, noisy_row(1, 1)), verdict::same);
  spread.subject.ms = {1.10, 1.03, 1.20};
  EXPECT_EQ(verdict_of(noisy_row(1, 1), spread), verdict::slower);
  EXPECT_EQ(verdict_of(spread, noisy_row(1, 1)), verdict::faster);
}

TEST(bench_match, is_of_everything_that_was_measured) {
  const auto differs = [](const std::function<void(bench_row&)>& change) {
    bench_row other = plain_row("x", 1);
    change(other);
    return apps::compare_records(record_of({plain_row("x", 1)}), record_of({other}), 0.01).size() == 2;
  };
  EXPECT_TRUE(differs([](bench_row& row) { row.what = apps::operation::sort; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.n += 1; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.type = scalar_type::i32; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.value_type = scalar_type::u32; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.distribution = "ones"; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.kept = 0.5; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.mode = apps::timing_mode::warm; }));
  EXPECT_TRUE(differs([](bench_row& row) { row.subject.name = "y"; }));
  EXPECT_FALSE(differs([](bench_row& row) { row.cost = apps::survey_cost{1, 2, 3}; }));
  EXPECT_FALSE(differs([](bench_row& row) { row.bytes += 1; }));
  EXPECT_FALSE(differs([](bench_row& row) { row.reference = "cub"; }));
}

TEST(bench_match, knows_what_older_records_call_the_default_of_segments) {
  const auto rows_of = [](apps::operation what) {
    bench_row before = plain_row("segmented_lookback/warp_scans/256x16", 1), now = plain_row("default", 1);
    before.what = now.what = what;
    return apps::compare_records(record_of({before}), record_of({now}), 0.01).size();
  };
  EXPECT_EQ(rows_of(apps::operation::by_key), 1u);
  EXPECT_EQ(rows_of(apps::operation::segmented), 1u);
  EXPECT_EQ(rows_of(apps::operation::scan), 2u);
}

TEST(bench_match, puts_the_measurements_of_one_subject_together) {
  bench_row longer = plain_row("x", 1.7);
  longer.subject.samples = 12;
  const auto rows = apps::compare_records(record_of({plain_row("x", 1)}),
                                          record_of({plain_row("x", 1.5), plain_row("y", 1), longer}), 0.01);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].ratio->median, 1.65);
  EXPECT_DOUBLE_EQ(rows[0].ratio->low, 1.5);
  EXPECT_DOUBLE_EQ(rows[0].ratio->high, 1.7);
  EXPECT_EQ(rows[1].outcome, verdict::only_new);
}

TEST(bench_match, takes_a_row_without_samples_for_none) {
  bench_row empty = plain_row("x", 1);
  empty.subject.samples = 0;
  EXPECT_EQ(verdict_of(empty, plain_row("x", 1)), verdict::only_new);
  EXPECT_EQ(verdict_of(plain_row("x", 1), empty), verdict::only_old);
}

class bench_compare : public in_scratch_folder {
 protected:
  void write(const std::string& name, const bench_record& record) const {
    spill(file(name), apps::to_json(record).dump());
  }

  /// Runs the command in this process.
  static outcome compare(const std::vector<std::string>& words) {
    std::vector<const char*> argv = {"upsweep-bench compare"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    outcome result;
    std::string failed;
    try {
      result.code = static_cast<int>(apps::compare_command(static_cast<int>(argv.size()), argv.data()));
    } catch (const apps::failure& error) {
      result.code = static_cast<int>(error.code());
      failed = error.what();
    }
    result.out = testing::internal::GetCapturedStdout();
    result.err = testing::internal::GetCapturedStderr() + failed;
    return result;
  }

  static void expect_refused(const std::vector<std::string>& words, exit_code code, const std::string& line) {
    const outcome result = compare(words);
    EXPECT_EQ(result.code, static_cast<int>(code)) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(line), std::string::npos) << "expected: " << line << "\ngot: " << result.err;
  }

  const std::string old_json = file("old.json");
  const std::string new_json = file("new.json");
};

TEST_F(bench_compare, tells_what_changed_and_what_is_missing) {
  bench_row wrong = plain_row("same", 1.001);
  wrong.verified = false;
  write("old.json", record_of({plain_row("up", 1), plain_row("down", 1), plain_row("same", 1), plain_row("gone", 1)}));
  write("new.json", record_of({plain_row("up", 2), plain_row("down", 0.5), wrong, plain_row("come", 1)}));
  const outcome result = compare({old_json, new_json});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "1 slower, 1 faster, 1 the same, 1 only in " + old_json + ", 1 only in " + new_json + "\n");
  const auto expect_line = [&](const std::string& subject, const std::string& rest) {
    const std::size_t at = result.out.find(" " + subject + " ");
    ASSERT_NE(at, std::string::npos) << subject;
    const std::string line = result.out.substr(at, result.out.find('\n', at) - at);
    EXPECT_NE(line.find(rest), std::string::npos) << line;
  };
  expect_line("up", "1.000 ms  2.000 ms  2.000 [2.000, 2.000]  slower");
  expect_line("down", "1.000 ms  500.0 us  0.500 [0.500, 0.500]  faster");
  expect_line("same", "1.001 [1.001, 1.001]  same         unverified!");
  expect_line("gone", "only in old");
  expect_line("come", "only in new");
  EXPECT_EQ(result.out.find("SIM"), std::string::npos);
}

TEST_F(bench_compare, ends_well_when_nothing_became_slower) {
  write("old.json", record_of({plain_row("x", 1), plain_row("y", 1)}));
  write("new.json", record_of({plain_row("x", 1.07), plain_row("y", 0.9)}));
  EXPECT_EQ(compare({old_json, new_json}).code, 1);
  EXPECT_EQ(compare({old_json, new_json, "--threshold", "7.5"}).code, 0);
  EXPECT_EQ(compare({old_json, old_json}).code, 0);
}

TEST_F(bench_compare, writes_json) {
  write("old.json", record_of({plain_row("x", 1), plain_row("gone", 1)}));
  write("new.json", record_of({noisy_row(1.25, 0.99)}));
  EXPECT_EQ(compare({old_json, new_json, "--json", file("c.json")}).code, 1);
  const outcome piped = compare({old_json, new_json, "--json", "-"});
  EXPECT_EQ(piped.out, slurp(file("c.json")));
  const json document = json::parse(piped.out);
  EXPECT_EQ(document["command"], "compare");
  EXPECT_EQ(document["old"]["file"], old_json);
  EXPECT_EQ(document["new"]["device"], "NVIDIA H200");
  EXPECT_EQ(document["threshold_percent"], 1);
  ASSERT_EQ(document["rows"].size(), 2u);
  EXPECT_EQ(document["rows"][0]["subject"], "x");
  EXPECT_EQ(document["rows"][0]["n"], 1048576);
  EXPECT_EQ(document["rows"][0]["old_ms"], 1);
  EXPECT_EQ(document["rows"][0]["new_ms"], 1.25);
  EXPECT_EQ(document["rows"][0]["ratio"], json({{"median", 1.25}, {"low", 1.25}, {"high", 1.25}}));
  EXPECT_NEAR(document["rows"][0]["noise"].get<double>(), 0.01, 1e-12);
  EXPECT_EQ(document["rows"][0]["verdict"], "slower");
  EXPECT_EQ(document["rows"][1]["verdict"], "only in old");
  EXPECT_FALSE(document["rows"][1].contains("new_ms"));
}

TEST_F(bench_compare, warns_of_another_device_and_refuses_the_sim_against_a_gpu) {
  bench_record record = record_of({plain_row("x", 1)});
  write("old.json", record);
  record.device.name = "NVIDIA A100";
  write("new.json", record);
  const outcome other = compare({old_json, new_json});
  EXPECT_EQ(other.code, 0);
  EXPECT_TRUE(other.err.starts_with("warning: different devices: ")) << other.err;
  EXPECT_NE(other.err.find("\"NVIDIA A100\""), std::string::npos) << other.err;
  record.device.backend = "sim";
  write("new.json", record);
  expect_refused({old_json, new_json}, exit_code::bad_input, new_json + ": /device/backend: came \"sim\"");
  expect_refused({new_json, old_json}, exit_code::bad_input, old_json + ": /device/backend: came \"cuda\"");
  const outcome sims = compare({new_json, new_json});
  EXPECT_EQ(sims.code, 0);
  EXPECT_TRUE(sims.out.starts_with("SIM: ")) << sims.out;
}

TEST_F(bench_compare, refuses_what_it_cannot_compare) {
  write("old.json", record_of({plain_row("x", 1)}));
  write("new.json", record_of({plain_row("y", 1)}));
  write("empty.json", record_of({}));
  spill(file("bad.json"), "{}");
  expect_refused({old_json, new_json}, exit_code::bad_input, new_json + ": has no measured row in common with");
  expect_refused({file("empty.json"), file("empty.json")}, exit_code::bad_input, "no measured row in common");
  expect_refused({old_json, file("bad.json")}, exit_code::bad_input, "bad.json: /");
  expect_refused({file("missing.json"), old_json}, exit_code::bad_input, "missing.json: cannot open it");
  expect_refused({old_json, old_json, "--json", file("none/c.json")}, exit_code::cannot_write, "none/c.json");
  EXPECT_EQ(files(), (std::vector<std::string>{"bad.json", "empty.json", "new.json", "old.json"}));
}

TEST_F(bench_compare, refuses_wrong_options) {
  write("old.json", record_of({plain_row("x", 1)}));
  expect_refused({}, exit_code::usage, "OLD");
  expect_refused({old_json}, exit_code::usage, "NEW");
  expect_refused({old_json, old_json, old_json}, exit_code::usage, "old.json");
  expect_refused({old_json, old_json, "--colour"}, exit_code::usage, "--colour");
  expect_refused({old_json, old_json, "--threshold", "-1"}, exit_code::usage, "--threshold: came -1; expected");
  expect_refused({old_json, old_json, "--threshold", "nan"}, exit_code::usage, "--threshold: came nan; expected");
  expect_refused({old_json, old_json, "--threshold", "some"}, exit_code::usage, "--threshold");
  expect_refused({old_json, old_json, "--threshold"}, exit_code::usage, "--threshold");
  expect_refused({old_json, old_json, "--json"}, exit_code::usage, "--json");
  expect_refused({"-", "-"}, exit_code::usage, "NEW: came \"-\"");
}

TEST_F(bench_compare, help_and_version) {
  const outcome help = compare({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_LT(help.out.find("Examples:\n  upsweep-bench compare"), help.out.find("--threshold"));
  EXPECT_TRUE(compare({"--version"}).out.starts_with("upsweep-bench compare "));
}

}  // namespace
}  // namespace upsweep::test
