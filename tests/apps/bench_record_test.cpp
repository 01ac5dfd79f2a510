// Records as JSON, written, read back and refused, as tables for people and spreadsheets, and compared with each other.
#include "bench_support.hpp"
#include "compare.hpp"
#include "figures.hpp"
#include "tables.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::bench_row;
using apps::json;
using apps::verdict;
using words = std::vector<std::string>;

json document_of(const bench_record& record) {
  return json::parse(apps::to_json(record).dump());
}

/// Expects one line that names the file and the place.
void expect_refused(const json& document, const std::string& place, const std::string& said) {
  try {
    static_cast<void>(apps::record_from("r.json", document));
    ADD_FAILURE() << place << ": was taken";
  } catch (const apps::failure& error) {
    const std::string line = error.what();
    EXPECT_EQ(error.code(), apps::exit_code::bad_input);
    EXPECT_TRUE(line.starts_with("r.json: " + place + ": ")) << "expected: " << place << "\ngot: " << line;
    EXPECT_NE(line.find(said), std::string::npos) << "expected: " << said << "\ngot: " << line;
  }
}

TEST(bench_record, has_what_was_measured_and_what_it_comes_to) {
  const json document = document_of(full_record());
  EXPECT_EQ(document["format"], 2);
  EXPECT_EQ(document["argv"], json({"upsweep-bench", "scan", "--n", "2^20"}));
  EXPECT_EQ(document["copy_gb_per_s"], 1000);
  json row = document["rows"][0], subject = row["subject"];
  for (const char* key : {"subject", "reference_timing"}) row.erase(key);
  EXPECT_EQ(row, json::parse(R"({"operation": "scan", "n": 1048576, "type": "u32", "distribution": "random",
    "mode": "cold", "bytes": 8388608, "reference": "cub", "speedup": {"median": 1.25, "low": 1.24, "high": 1.265},
    "noise": 0.997, "discarded": 0, "stable": true, "verified": true,
    "cost": {"passes": 1, "work_per_item": 2, "bytes_per_item": 8}})"));
  EXPECT_DOUBLE_EQ(subject["items_per_s"], 1048576 / 16e-6);
  EXPECT_DOUBLE_EQ(subject["gb_per_s"], 8388608 / 16e-6 / 1e9);
  EXPECT_DOUBLE_EQ(subject["share_of_copy"], 0.524288);
  for (const char* key : {"items_per_s", "gb_per_s", "share_of_copy"}) subject.erase(key);
  EXPECT_EQ(subject, json::parse(R"({"name": "decoupled_lookback/warp_scans/256x16", "samples": 4, "median_ms": 0.016,
    "low_ms": 0.015, "high_ms": 0.018, "clock_mhz": 1965})"));
  EXPECT_EQ(document["rows"][2]["value_type"], "u32");
  EXPECT_EQ(document["rows"][2]["reference_timing"], json({{"name", "sort_by_key"}, {"samples", 0}}));
  EXPECT_EQ(document_of(apps::record_from("r.json", document)), document) << "read back";
}

TEST(bench_record, of_format_1_has_samples_instead_of_what_they_come_to) {
  json document = document_of(full_record());
  document["format"] = 1;
  for (json& row : document["rows"]) {
    for (const char* side : {"subject", "reference_timing"}) {
      if (!row.contains(side)) continue;
      for (const char* key : {"samples", "low_ms", "high_ms"}) row[side].erase(key);
      row[side]["samples_ms"] = json::array();
    }
  }
  document["rows"][0]["subject"]["samples_ms"] = {0.018, 0.016, 0.015, 0.016, 0.0149999999};
  const bench_record back = apps::record_from("r.json", document);
  EXPECT_EQ(back.rows[0].subject.samples, 5);
  EXPECT_EQ(back.rows[0].subject.ms.median, 0.016);
  EXPECT_EQ(back.rows[0].subject.ms.low, 0.015) << "to the nanosecond";
  EXPECT_EQ(back.rows[0].subject.ms.high, 0.018);
  EXPECT_EQ(back.rows[2].reference_timing->samples, 0);
  document["rows"][0]["subject"]["samples_ms"][2] = 0;
  expect_refused(document, "/rows/0/subject/samples_ms/2", "the time of one call");
}

TEST(bench_record, is_read_strictly) {
  const struct {
    const char* place;
    json value;
    const char* said;
  } mistakes[] = {{"/format", 3, "got 3; expected one of 1, 2"},
                  {"/colour", 1, "unknown key \"colour\""},
                  {"/device/backend", "hip", "one of \"cuda\", \"sim\""},
                  {"/rows/0/n", 1.5, "an integer from 0"},
                  {"/rows/1/kept", 1.01, "a number from 0 to 1"},
                  {"/rows/0/mode", "hot", R"("cold", "warm", "graph")"},
                  {"/rows/0/subject/samples", -1, "how many calls were timed"},
                  {"/rows/0/subject/low_ms", nullptr, "got null; expected a number above 0"},
                  {"/rows/1/speedup", {{"median", 1}, {"low", 1}, {"high", 1}}, "given without a reference"}};
  for (const auto& [place, value, said] : mistakes) {
    json document = document_of(full_record());
    document[json::json_pointer(place)] = value;
    expect_refused(document, place, said);
  }
  json document = document_of(full_record());
  document["rows"][0]["speedup"]["low"] = 1.251;
  expect_refused(document, "/rows/0/speedup", "got 1.250 [1.251, 1.265]; expected a median inside");
  document["rows"][0]["subject"]["high_ms"] = 0.0159;
  expect_refused(document, "/rows/0/subject/median_ms", "expected a median inside");
}

TEST(bench_record, misses_nothing) {
  const std::pair<std::string, words> keys[] = {
      {"", {"format", "time", "device", "rows"}},
      {"/device", {"name", "backend"}},
      {"/rows/2", {"operation", "n", "subject", "verified", "reference_timing"}},
      {"/rows/0/subject", {"name", "samples", "median_ms", "low_ms", "high_ms"}},
      {"/rows/0/reference_timing", {"samples"}},
      {"/rows/0/speedup", {"low"}},
      {"/rows/0", {"reference"}}};
  for (const auto& [parent, children] : keys) {
    for (const std::string& key : children) {
      json document = document_of(full_record());
      ASSERT_EQ(document[json::json_pointer(parent)].erase(key), 1u) << key;
      expect_refused(document, parent + "/" + key, "got nothing; expected ");
    }
  }
}

TEST(bench_figures, read_as_people_read_numbers) {
  EXPECT_EQ(apps::count_text(1), "2^0");
  EXPECT_EQ(apps::count_text((std::int64_t{1} << 33) + 1), "8,589,934,593");
  EXPECT_EQ(apps::time_text(0.0123456), "12.35 us");
  EXPECT_EQ(apps::time_text(1), "1.000 ms");
  EXPECT_EQ(apps::time_text(12345), "12.35 s");
  EXPECT_EQ(apps::noise_text(1.0029), "0.29 %");
}

TEST(bench_table, has_what_a_person_needs) {
  std::istringstream table(apps::table_text(full_record()));
  words lines;
  for (std::string line; std::getline(table, line);) {
    std::istringstream stream(line);
    lines.emplace_back();
    for (std::string word; stream >> word;) lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "scan on NVIDIA H200, 2026-01-02T03:04:05Z; a copy of 1.0 GiB: 1000 GB/s");
  EXPECT_EQ(lines[2],
            "operation n type distribution kept mode subject time items/s GB/s of copy reference its time "
            "speedup noise passes work/item bytes/item remarks");
  EXPECT_EQ(lines[4],
            "scan 2^20 u32 random cold decoupled_lookback/warp_scans/256x16 16.00 us 65.54 G 524.3 52.4 % "
            "cub 64-bit 20.00 us 1.250 [1.240, 1.265] 0.30 % 1.000 2.000 8.000");
  EXPECT_EQ(lines[5], "compact 1,000,000 f32 random 10.0 % graph vote_scan 500.0 us 2.000 G 16.78 1.7 %");
  EXPECT_EQ(lines[6],
            "sort 2^20 u64 + u32 entropy_3 warm onesweep, \"8\" bits 1.500 s 699.1 k 0.005592 0.0 % "
            "thrust: sort_by_key unverified!, not stable, 3 throttled samples dropped");
}

/// The same, taken against this CUB.
bench_record of_cub(bench_record record, const std::string& version) {
  record.versions["cub"] = version;
  return record;
}

TEST(bench_table, names_the_version_of_a_reference) {
  bench_record record = of_cub(full_record(), "3.5.0");
  record.versions["thrust"] = "3.0.1";
  const auto head_of = [](const bench_record& r) {
    return apps::table_text(r).substr(0, apps::table_text(r).find('\n'));
  };
  EXPECT_EQ(head_of(record),
            "scan on NVIDIA H200, 2026-01-02T03:04:05Z; CUB 3.5.0; Thrust 3.0.1; a copy of 1.0 GiB: 1000 GB/s");
  EXPECT_TRUE(apps::markdown_text(record).starts_with(head_of(record)));
  record.rows.pop_back();
  EXPECT_EQ(head_of(record).find("Thrust"), std::string::npos) << "no row is against it";
  EXPECT_NE(apps::csv_text(record).find(",true,true,1,2,8,3.5.0\r\n"), std::string::npos) << apps::csv_text(record);
  EXPECT_TRUE(apps::csv_text(record).ends_with(",,,,\r\n")) << "a row without a reference";
  record.versions["cub"] = 3;
  EXPECT_EQ(apps::versioned_text(record, "cub"), "") << "no version that we wrote";
}

TEST(bench_table, leaves_out_columns_that_are_empty_in_every_row) {
  bench_row row = plain_row("a|b\nc", 1);
  const std::string markdown = apps::markdown_text(record_of({row}));
  EXPECT_EQ(markdown.substr(markdown.find('|')),
            R"(| operation | n | type | distribution | mode | subject | time | items/s | GB/s | of copy |
| --- | ---: | --- | --- | --- | --- | ---: | ---: | ---: | ---: |
| scan | 2^20 | u32 | random | cold | a\|b?c | 1.000 ms | 1.049 G | 8.389 | 0.8 % |
)");
  row.subject.samples = 0;
  EXPECT_NE(apps::table_text(record_of({row})).find("no samples"), std::string::npos);
}

TEST(bench_csv, has_all_figures_of_each_row_under_their_names) {
  bench_record record = full_record();
  record.device.name = "a \"GPU\", or\r\nso";
  const std::string text = apps::csv_text(record);
  EXPECT_TRUE(text.starts_with("device,backend,operation,n,type,value_type,distribution,kept,mode,bytes,subject,"))
      << text;
  EXPECT_NE(
      text.find("\r\n\"a \"\"GPU\"\", or\r\nso\",cuda,scan,1048576,u32,,random,,cold,8388608,"
                "decoupled_lookback/warp_scans/256x16,0.016,65536000000,524.288,0.524288,1965,4,cub,cub 64-bit,0.02,"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(",1.25,1.24,1.265,0.997,0,true,true,1,2,8,\r\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",sort,1048576,u64,u32,entropy_3,,warm,8388608,\"onesweep, \"\"8\"\" bits\",1500,"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(",3,false,false,,,,\r\n")) << text;
}

bench_row noisy(double ms, double noise = 1) {
  bench_row row = plain_row("x", ms);
  row.noise = noise;
  return row;
}

bench_row beside(double ms, double reference_ms, const std::string& reference = "cub") {
  bench_row row = noisy(ms);
  row.reference = reference;
  row.reference_timing = {{"cub 64-bit", {reference_ms, reference_ms, reference_ms}, 4}};
  return row;
}

bench_row changed(const std::function<void(bench_row&)>& change) {
  bench_row row = noisy(1.1);
  change(row);
  return row;
}

bench_row spread(double low, double high) {
  return changed([=](bench_row& row) { row.subject.ms = {1.1, low, high}; });
}

bench_row by_key(const std::string& subject) {
  return changed([&](bench_row& row) {
    row.what = apps::operation::by_key;
    row.subject.name = subject;
  });
}

TEST(bench_verdict, is_beyond_what_may_be_noise) {
  const bench_row alone = plain_row("x", 1), empty = changed([](bench_row&row) { row.subject.samples = 0; });
  using enum verdict;
  const struct {
    const char* why;
    bench_row before, now;
    verdict expected;
    double threshold = 0.01;
  } examples[] = {{"below the threshold", noisy(1), noisy(1.009), same},
                  {"above it", noisy(1), noisy(1.011), slower},
                  {"above it downwards", noisy(1), noisy(0.989), faster},
                  {"another threshold", noisy(1), noisy(1.04), same, 0.05},
                  {"no threshold", noisy(1), noisy(1.001), slower, 0},
                  {"alone", alone, plain_row("x", 1.04), same},
                  {"alone, by 5 %", alone, plain_row("x", 1.06), slower},
                  {"the reference stayed", beside(1, 2), beside(1.05, 2), slower},
                  {"the reference changed by more", beside(1, 2), beside(1.05, 2.12), same},
                  {"the reference changed by less", beside(1, 2), beside(1.07, 2.12), slower},
                  {"nothing to judge the drift by", beside(1, 2), beside(1.05, 2.12, "thrust"), slower},
                  {"the old noise", noisy(1, 1.03), noisy(1.02, 1.001), same},
                  {"the new noise", noisy(1, 1.001), noisy(1.02, 0.97), same},
                  {"beyond the noise of both", noisy(1, 1.03), noisy(1.04, 0.97), slower},
                  {"short", noisy(0.19), noisy(0.19 * 1.04), same},
                  {"short, by 5 %", noisy(0.19), noisy(0.19 * 1.06), slower},
                  {"short, with more noise", noisy(0.19), noisy(0.19 * 1.06, 1.07), same},
                  {"not short", noisy(0.21), noisy(0.21 * 1.04), slower},
                  {"a part of the interval", noisy(1), spread(1, 1.2), same},
                  {"the whole interval", noisy(1), spread(1.03, 1.2), slower},
                  {"the whole old interval", spread(1.03, 1.2), noisy(1), faster},
                  {"no samples before", empty, alone, only_new},
                  {"no samples now", alone, empty, only_old},
                  {"a name of older records", by_key("segmented_lookback/warp_scans/256x16"), by_key("default"), same}};
  for (const auto& e : examples) {
    const auto rows = apps::compare_records(record_of({e.before}), record_of({e.now}), e.threshold);
    ASSERT_EQ(rows.size(), 1u) << e.why;
    EXPECT_EQ(rows[0].outcome, e.expected) << e.why;
  }
}

TEST(bench_verdict, takes_no_change_from_one_version_to_another_for_drift) {
  const auto outcome_of = [](const std::string& old_version, const std::string& new_version) {
    const auto rows = apps::compare_records(of_cub(record_of({beside(1, 2)}), old_version),
                                            of_cub(record_of({beside(1.05, 2.12)}), new_version), 0.01);
    return rows.at(0).outcome;
  };
  EXPECT_EQ(outcome_of("3.0.1", "3.0.1"), verdict::same);
  EXPECT_EQ(outcome_of("3.0.1", "3.5.0"), verdict::slower);
}

TEST(bench_match, is_of_everything_that_was_measured) {
  const auto rows_with = [](const std::function<void(bench_row&)>& change) {
    return apps::compare_records(record_of({noisy(1)}), record_of({changed(change)}), 0.01).size();
  };
  EXPECT_EQ(rows_with([](bench_row& row) { row.what = apps::operation::sort; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.n += 1; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.type = scalar_type::i32; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.value_type = scalar_type::u32; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.distribution = "ones"; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.kept = 0.5; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.mode = apps::timing_mode::warm; }), 2u);
  EXPECT_EQ(rows_with([](bench_row& row) { row.reference = "cub"; }), 1u);
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
}

class bench_compare : public in_scratch_folder {
 protected:
  static words line(words more) {
    more.insert(more.begin(), {UPSWEEP_BENCH, "compare"});
    return more;
  }
  outcome compare(const words& more) const { return run(line(more)); }
  void write(const std::string& name, const bench_record& record) const {
    spill(file(name), apps::to_json(record).dump());
  }
};

TEST_F(bench_compare, tells_what_changed_and_what_is_missing) {
  bench_row wrong = noisy(1.001, 0.99);
  wrong.verified = false;
  write("old.json", record_of({plain_row("up", 1), plain_row("down", 1), plain_row("x", 1), plain_row("gone", 1)}));
  write("new.json", record_of({plain_row("up", 2), plain_row("down", 0.5), wrong, plain_row("come", 1)}));
  const outcome result = compare({"old.json", "new.json", "--json", "c.json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "1 slower, 1 faster, 1 the same, 1 only in old.json, 1 only in new.json\n");
  for (const std::string line : {" up       1.000 ms  2.000 ms  2.000 [2.000, 2.000]          slower",
                                 " down     1.000 ms  500.0 us  0.500 [0.500, 0.500]          faster",
                                 " x        1.000 ms  1.001 ms  1.001 [1.001, 1.001]  1.00 %  same         unverified!",
                                 " come               1.000 ms                                only in new",
                                 " gone     1.000 ms                                          only in old"}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line << "\n" << result.out;
  }
  EXPECT_EQ(compare({"old.json", "new.json", "--json", "-"}).out, slurp(file("c.json")));
  EXPECT_EQ(compare({"old.json", "new.json", "--threshold", "100.5"}).code, 0);
  json document = json::parse(slurp(file("c.json")));
  EXPECT_EQ(document["old"]["file"], "old.json");
  EXPECT_EQ(document["new"]["device"], "NVIDIA H200");
  ASSERT_EQ(document["rows"].size(), 5u);
  EXPECT_EQ(document["rows"][0], json::parse(R"({"operation": "scan", "n": 1048576, "type": "u32",
    "distribution": "random", "mode": "cold", "subject": "up", "old_ms": 1.0, "new_ms": 2.0,
    "ratio": {"median": 2.0, "low": 2.0, "high": 2.0}, "verified": true, "verdict": "slower"})"));
  EXPECT_NEAR(document["rows"][2]["noise"].get<double>(), 0.01, 1e-12);
  EXPECT_FALSE(document["rows"][4].contains("new_ms"));
}

TEST_F(bench_compare, warns_of_another_device_or_cub_and_refuses_what_it_cannot_compare) {
  bench_record record = record_of({plain_row("x", 1)});
  write("old.json", record);
  record.device.name = "NVIDIA A100";
  write("a100.json", record);
  record.device.backend = "sim";
  write("sim.json", record);
  write("other.json", record_of({plain_row("y", 1)}));
  write("empty.json", record_of({}));
  const outcome warned = compare({"old.json", "a100.json"});
  EXPECT_EQ(warned.code, 0);
  EXPECT_NE(warned.err.find("warning: different devices: old.json is of \"NVIDIA H200\", a100.json of \"NVIDIA A100\""),
            std::string::npos)
      << warned.err;
  write("cub.json", of_cub(record_of({beside(1, 2)}), "3.0.1"));
  write("newer.json", of_cub(record_of({beside(1, 2)}), "3.5.0"));
  EXPECT_EQ(compare({"cub.json", "newer.json"}).err,
            "warning: different references: cub.json is against CUB 3.0.1, newer.json against CUB 3.5.0\n"
            "0 slower, 0 faster, 1 the same, 0 only in cub.json, 0 only in newer.json\n");
  EXPECT_EQ(compare({"cub.json", "cub.json"}).err.find("warning"), std::string::npos);
  EXPECT_TRUE(compare({"sim.json", "sim.json"}).out.starts_with("SIM: "));
  const struct {
    words more;
    int code;
    const char* said;
  } mistakes[] = {{{"old.json", "sim.json"}, 3, "sim.json: /device/backend: got \"sim\""},
                  {{"old.json", "other.json"}, 3, "other.json: has no measured row in common with"},
                  {{"empty.json", "empty.json"}, 3, "no measured row in common"},
                  {{"missing.json", "old.json"}, 3, "missing.json: cannot open it"},
                  {{"old.json", "old.json", "--json", "none/c.json"}, 4, "none/c.json"},
                  {{"old.json"}, 2, "NEW"},
                  {{"old.json", "old.json", "--threshold", "nan"}, 2, "--threshold: got nan; expected"},
                  {{"-", "-"}, 2, "NEW: got \"-\""}};
  for (const auto& [more, code, said] : mistakes) expect_failure(line(more), code, said);
}

}  // namespace
}  // namespace upsweep::test
