// Records as JSON: written, read back, refused.
#include <cmath>

#include "bench_support.hpp"
#include "schemas.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::bench_row;
using apps::json;

class bench_records : public in_scratch_folder {
 protected:
  static json document_of(const bench_record& record) { return json::parse(apps::to_json(record).dump()); }

  /// Expects that the full record is refused once `value` stands at `place`, with one line that names file and place.
  static void expect_refused_with(const std::string& place, const json& value, const std::string& words) {
    json document = document_of(full_record());
    document[json::json_pointer(place)] = value;
    expect_refused(document, place, words);
  }

  static void expect_missed(const std::string& parent, const std::string& key, const std::string& words) {
    json document = document_of(full_record());
    ASSERT_EQ(document[json::json_pointer(parent)].erase(key), 1u) << key;
    expect_refused(document, parent + "/" + key, "nothing came; expected " + words);
  }

  static void expect_refused(const json& document, const std::string& place, const std::string& words) {
    try {
      static_cast<void>(apps::record_from("r.json", document));
      ADD_FAILURE() << place << ": was taken";
    } catch (const apps::failure& error) {
      const std::string line = error.what();
      EXPECT_EQ(error.code(), apps::exit_code::bad_input);
      EXPECT_TRUE(line.starts_with("r.json: " + place + ": ")) << line;
      EXPECT_NE(line.find(words), std::string::npos) << "expected: " << words << "\ngot: " << line;
    }
  }
};

TEST_F(bench_records, hold_what_was_measured_and_what_it_comes_to) {
  const json document = document_of(full_record());
  EXPECT_EQ(document["format"], 2);
  EXPECT_EQ(document["program"], "upsweep-bench");
  EXPECT_EQ(document["argv"], json({"upsweep-bench", "scan", "--n", "2^20"}));
  EXPECT_EQ(document["device"]["compute_capability"], "9.0");
  EXPECT_EQ(document["copy_gb_per_s"], 1000);
  const json& row = document["rows"][0];
  EXPECT_EQ(row["operation"], "scan");
  EXPECT_EQ(row["n"], 1048576);
  EXPECT_EQ(row["mode"], "cold");
  EXPECT_FALSE(row.contains("value_type"));
  EXPECT_FALSE(row.contains("kept"));
  const json& subject = row["subject"];
  EXPECT_EQ(subject["samples"], 4);
  EXPECT_EQ(subject["median_ms"], 0.016);
  EXPECT_EQ(subject["low_ms"], 0.015);
  EXPECT_EQ(subject["high_ms"], 0.018);
  EXPECT_DOUBLE_EQ(subject["items_per_s"], 1048576 / 16e-6);
  EXPECT_DOUBLE_EQ(subject["gb_per_s"], 8388608 / 16e-6 / 1e9);
  EXPECT_DOUBLE_EQ(subject["share_of_copy"], 0.524288);
  EXPECT_EQ(subject["clock_mhz"], 1965);
  EXPECT_EQ(row["reference"], "cub");
  EXPECT_EQ(row["reference_timing"]["median_ms"], 0.02);
  EXPECT_EQ(row["speedup"], json({{"median", 1.25}, {"low", 1.24}, {"high", 1.265}}));
  EXPECT_EQ(row["cost"], json({{"passes", 1}, {"work_per_item", 2}, {"bytes_per_item", 8}}));
  EXPECT_FALSE(document["rows"][1]["subject"].contains("clock_mhz"));
  EXPECT_EQ(document["rows"][1]["kept"], 0.1);
  EXPECT_EQ(document["rows"][2]["value_type"], "u32");
  EXPECT_EQ(document["rows"][2]["reference_timing"], json({{"name", "sort_by_key"}, {"samples", 0}}));
}

TEST_F(bench_records, come_back_from_a_file_as_they_were) {
  const bench_record record = full_record();
  spill(file("r.json"), apps::to_json(record).dump(2));
  const bench_record back = apps::read_record(file("r.json"));
  EXPECT_EQ(document_of(back), document_of(record));
  ASSERT_EQ(back.rows.size(), 3u);
  EXPECT_EQ(back.rows[0].reference_timing->clock_mhz, 1950);
  EXPECT_EQ(back.rows[0].speedup->high, 1.265);
  EXPECT_EQ(back.rows[0].noise, 0.997);
  EXPECT_EQ(back.rows[0].cost->bytes_per_item, 8);
  EXPECT_TRUE(back.rows[0].verified);
  EXPECT_EQ(back.rows[1].what, apps::operation::compact);
  EXPECT_EQ(back.rows[1].mode, apps::timing_mode::graph);
  EXPECT_EQ(back.rows[1].kept, 0.1);
  EXPECT_FALSE(back.rows[1].reference_timing);
  EXPECT_EQ(back.rows[2].type, scalar_type::u64);
  EXPECT_EQ(back.rows[2].value_type, scalar_type::u32);
  EXPECT_EQ(back.rows[2].discarded, 3);
  EXPECT_FALSE(back.rows[2].stable);
  EXPECT_FALSE(back.rows[2].verified);
  EXPECT_EQ(back.versions["cub"], "3.0.1");
  EXPECT_EQ(back.device.memory_bytes, 150754820096);
}

TEST_F(bench_records, of_format_1_have_samples_instead_of_what_they_come_to) {
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
  EXPECT_EQ(back.rows[0].subject.clock_mhz, 1965);
  EXPECT_EQ(back.rows[2].reference_timing->samples, 0);
  document["rows"][0]["subject"]["samples_ms"][2] = 0;
  expect_refused(document, "/rows/0/subject/samples_ms/2", "the time of one call");
}

TEST_F(bench_records, of_the_sim_have_no_share_of_copy) {
  bench_record record = full_record();
  record.device.backend = "sim";
  EXPECT_FALSE(document_of(record)["rows"][0]["subject"].contains("share_of_copy"));
  record.device.backend = "cuda";
  record.copy_gb_per_s.reset();
  EXPECT_FALSE(document_of(record)["rows"][0]["subject"].contains("share_of_copy"));
  EXPECT_FALSE(document_of(record).contains("copy_bytes"));
}

TEST_F(bench_records, are_read_strictly) {
  expect_refused_with("/format", 3, "came 3; expected one of 1, 2");
  expect_refused_with("/program", "upsweep-sort", "upsweep-bench");
  expect_refused_with("/command", "plot", "\"survey\"");
  expect_refused_with("/colour", 1, "unknown key \"colour\"");
  expect_refused_with("/argv/1", 3, "expected a word");
  expect_refused_with("/device/backend", "hip", "one of \"cuda\", \"sim\"");
  expect_refused_with("/device/multiprocessors", -1, "an integer from 0");
  expect_refused_with("/copy_gb_per_s", 0, "rate of a device-to-device copy");
  expect_refused_with("/rows", 5, "an array of rows");
  expect_refused_with("/rows/0/operation", "merge",
                      R"("scan", "compact", "flagged", "partition", "split", "sort", "by_key", )"
                      R"("segmented")");
  expect_refused_with("/rows/0/n", 1.5, "an integer from 0");
  expect_refused_with("/rows/0/n", 1e300, "an integer from 0");
  expect_refused_with("/rows/0/type", "u128", "\"f64\"");
  expect_refused_with("/rows/2/value_type", "", "\"f64\"");
  expect_refused_with("/rows/1/kept", 1.01, "a number from 0 to 1");
  expect_refused_with("/rows/0/mode", "hot", R"("cold", "warm", "graph")");
  expect_refused_with("/rows/0/subject/samples", -1, "how many calls were timed");
  expect_refused_with("/rows/0/subject/low_ms", nullptr, "came null; expected a number above 0");
  expect_refused_with("/rows/0/subject/clock_mhz", "fast", "median of the SM clock");
  expect_refused_with("/rows/0/reference_timing/sample", 1, "unknown key");
  expect_refused_with("/rows/0/noise", -0.5, "a number above 0");
  expect_refused_with("/rows/0/verified", "yes", "true or false");
  expect_refused_with("/rows/0/cost/passes", -1, "kernels that touch all items");
  expect_refused(json::array(), "/", "came []; expected an object");
}

TEST_F(bench_records, miss_nothing) {
  for (const char* key : {"format", "program", "command", "argv", "time", "device", "versions", "settings", "rows"}) {
    expect_missed("", key, "");
  }
  for (const auto& [key, unused] : document_of(full_record())["device"].items()) expect_missed("/device", key, "a");
  for (const char* key :
       {"operation", "n", "type", "distribution", "mode", "bytes", "subject", "discarded", "stable", "verified"}) {
    expect_missed("/rows/2", key, "");
  }
  expect_missed("/rows/0/subject", "name", "a name: what ran");
  expect_missed("/rows/0/subject", "samples", "how many were taken");
  expect_missed("/rows/0/reference_timing", "samples", "how many were taken");
  for (const char* key : {"median_ms", "low_ms", "high_ms"}) expect_missed("/rows/0/subject", key, "a number above 0");
  expect_missed("/rows/0/speedup", "low", "a number above 0: where the 95 %");
  expect_missed("/rows/0/cost", "passes", "");
  expect_missed("/rows/0", "reference", "a name, as there is a reference_timing");
  expect_missed("/rows/2", "reference_timing", "an object, as there is a reference");
}

TEST_F(bench_records, have_medians_only_inside_of_their_intervals_and_a_speedup_with_a_reference) {
  json document = document_of(full_record());
  document["rows"][0]["speedup"]["low"] = 1.251;
  expect_refused(document, "/rows/0/speedup", "came 1.250 [1.251, 1.265]; expected a median inside");
  document["rows"][0]["subject"]["high_ms"] = 0.0159;
  expect_refused(document, "/rows/0/subject/median_ms", "expected a median inside");
  expect_refused_with("/rows/1/speedup", {{"median", 1}, {"low", 1}, {"high", 1}}, "came without a reference");
}

TEST_F(bench_records, that_cannot_be_read_name_the_file) {
  const auto refused = [&](const std::string& name, const std::string& words) {
    try {
      static_cast<void>(apps::read_record(file(name)));
      ADD_FAILURE() << name;
    } catch (const apps::failure& error) {
      const std::string line = error.what();
      EXPECT_EQ(error.code(), apps::exit_code::bad_input);
      EXPECT_TRUE(line.starts_with(file(name) + ": " + words)) << line;
    }
  };
  refused("missing.json", "cannot open it");
  refused(".", "a directory");
  spill(file("half.json"), apps::to_json(full_record()).dump().substr(0, 400));
  refused("half.json", "expected JSON; ");
  spill(file("twice.json"), R"({"format": 1, "format": 1})");
  refused("twice.json", "/format: the key \"format\" appears twice");
  spill(file("other.json"), R"({"format": 1})");
  refused("other.json", "/");
}

TEST(bench_schema, names_what_the_program_has) {
  const json properties = json::parse(apps::record_schema)["properties"];
  const json& row = properties["rows"]["items"]["properties"];
  EXPECT_EQ(row["operation"]["enum"], json(apps::operation_names));
  EXPECT_EQ(row["mode"]["enum"], json(apps::timing_mode_names));
  json types = json::array();
  for (int i = 0; i <= static_cast<int>(scalar_type::bf16); ++i) types.push_back(name_of(static_cast<scalar_type>(i)));
  EXPECT_EQ(row["type"]["enum"], types);
  EXPECT_EQ(row["value_type"]["enum"], types);
}

}  // namespace
}  // namespace upsweep::test
