// Records as tables for people and spreadsheets.
#include "tables.hpp"

#include <sstream>

#include "bench_support.hpp"
#include "figures.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::bench_row;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The fields of RFC 4180 text, read by its grammar.
std::vector<std::vector<std::string>> fields_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      lines.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      lines.back().emplace_back();
    } else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      lines.push_back({""});
    } else {
      lines.back().back() += c;
    }
  }
  EXPECT_EQ(lines.back(), std::vector<std::string>{""}) << "the last line ends as the others do";
  lines.pop_back();
  return lines;
}

TEST(bench_figures, read_as_people_read_numbers) {
  EXPECT_EQ(apps::count_text(1 << 20), "2^20");
  EXPECT_EQ(apps::count_text(1), "2^0");
  EXPECT_EQ(apps::count_text(0), "0");
  EXPECT_EQ(apps::count_text(1000000), "1,000,000");
  EXPECT_EQ(apps::count_text((std::int64_t{1} << 33) + 1), "8,589,934,593");
  EXPECT_EQ(apps::time_text(0.0123456), "12.35 us");
  EXPECT_EQ(apps::time_text(0.9), "900.0 us");
  EXPECT_EQ(apps::time_text(1), "1.000 ms");
  EXPECT_EQ(apps::time_text(12345), "12.35 s");
  EXPECT_EQ(apps::rate_text(6.5536e10), "65.54 G");
  EXPECT_EQ(apps::rate_text(2e6), "2.000 M");
  EXPECT_EQ(apps::rate_text(500), "0.5000 k");
  EXPECT_EQ(apps::digits_text(0), "0.000");
  EXPECT_EQ(apps::digits_text(12345.6), "12346");
  EXPECT_EQ(apps::percent_text(0.1234), "12.3 %");
  EXPECT_EQ(apps::noise_text(0.9971), "0.29 %");
  EXPECT_EQ(apps::noise_text(1.0029), "0.29 %");
}

TEST(bench_table, has_what_a_person_needs) {
  const std::vector<std::string> lines = lines_of(apps::table_text(full_record()));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "scan on NVIDIA H200, 2026-01-02T03:04:05Z; a copy of 1.0 GiB: 1000 GB/s");
  EXPECT_EQ(lines[1], "");
  const auto expect_words = [](const std::string& line, const std::string& words) {
    std::istringstream stream(line);
    std::string joined;
    for (std::string word; stream >> word;) joined += (joined.empty() ? "" : " ") + word;
    EXPECT_EQ(joined, words);
  };
  expect_words(lines[2],
               "operation n type distribution kept mode subject time items/s GB/s of copy reference its time speedup "
               "noise passes work/item bytes/item remarks");
  expect_words(lines[4],
               "scan 2^20 u32 random cold decoupled_lookback/warp_scans/256x16 16.00 us 65.54 G 524.3 52.4 % cub "
               "64-bit 20.00 us 1.250 [1.240, 1.265] 0.30 % 1.000 2.000 8.000");
  expect_words(lines[5], "compact 1,000,000 f32 random 10.0 % graph vote_scan 500.0 us 2.000 G 16.78 1.7 %");
  expect_words(lines[6],
               "sort 2^20 u64 + u32 entropy_3 warm onesweep, \"8\" bits 1.500 s 699.1 k 0.005592 0.0 % thrust: "
               "sort_by_key unverified!, not stable, 3 throttled samples dropped");
}

TEST(bench_table, aligns_its_columns) {
  const std::vector<std::string> lines = lines_of(apps::table_text(full_record()));
  ASSERT_EQ(lines.size(), 7u);
  for (std::size_t at = lines[3].find(' '); at != std::string::npos; at = lines[3].find("  ", at + 2)) {
    for (std::size_t i = 2; i < lines.size(); ++i) {
      if (at >= lines[i].size()) continue;
      EXPECT_EQ(lines[i].substr(at, 2), "  ") << "column " << at << " of: " << lines[i];
    }
  }
  EXPECT_EQ(lines[4].find("2^20"), lines[5].find("1,000,000") + 5) << "numbers end together";
  EXPECT_EQ(lines[4].find("decoupled"), lines[5].find("vote_scan")) << "names begin together";
}

TEST(bench_table, leaves_out_columns_that_are_empty_in_every_row) {
  const std::string text = apps::table_text(record_of({plain_row("x", 1)}));
  for (const char* header : {"kept", "reference", "its time", "speedup", "noise", "passes", "remarks"}) {
    EXPECT_EQ(text.find(header), std::string::npos) << header;
  }
  EXPECT_NE(text.find("of copy"), std::string::npos);
  EXPECT_EQ(apps::markdown_text(record_of({plain_row("x", 1)})).find("kept"), std::string::npos);
}

TEST(bench_table, of_a_row_without_samples_says_so) {
  bench_row row = plain_row("x", 1);
  row.subject.samples = 0;
  EXPECT_NE(apps::table_text(record_of({row})).find("no samples"), std::string::npos);
}

TEST(bench_table, of_the_sim_begins_with_a_banner_and_has_no_share_of_copy) {
  bench_record record = full_record();
  EXPECT_EQ(apps::table_text(record).find("SIM"), std::string::npos);
  EXPECT_EQ(apps::markdown_text(record).find("SIM"), std::string::npos);
  record.device.backend = "sim";
  const std::string text = apps::table_text(record);
  EXPECT_TRUE(text.starts_with("SIM: ")) << text;
  EXPECT_NE(lines_of(text)[0].find("say nothing about a GPU"), std::string::npos);
  EXPECT_EQ(text.find("copy"), std::string::npos);
  const std::string markdown = apps::markdown_text(record);
  EXPECT_TRUE(markdown.starts_with("**SIM: ")) << markdown;
  EXPECT_EQ(markdown.find("copy"), std::string::npos);
}

TEST(bench_markdown, is_a_table_whose_cells_do_not_break_it) {
  bench_row row = plain_row("a|b\nc", 1);
  const std::vector<std::string> lines = lines_of(apps::markdown_text(record_of({row})));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2], "| operation | n | type | distribution | mode | subject | time | items/s | GB/s | of copy |");
  EXPECT_EQ(lines[3], "| --- | ---: | --- | --- | --- | --- | ---: | ---: | ---: | ---: |");
  EXPECT_EQ(lines[4], "| scan | 2^20 | u32 | random | cold | a\\|b?c | 1.000 ms | 1.049 G | 8.389 | 0.8 % |");
}

TEST(bench_csv, has_all_figures_of_each_row_under_their_names) {
  bench_record record = full_record();
  record.device.name = "a \"GPU\", or\r\nso";
  const std::string text = apps::csv_text(record);
  EXPECT_NE(text.find("\r\n\"a \"\"GPU\"\", or\r\nso\",cuda,scan,1048576,u32,,random,,cold,8388608,"),
            std::string::npos)
      << text;
  const auto lines = fields_of(text);
  ASSERT_EQ(lines.size(), 4u);
  for (const auto& line : lines) ASSERT_EQ(line.size(), lines[0].size());
  const auto expect_field = [&](std::size_t row, const std::string& name, const std::string& value) {
    for (std::size_t i = 0; i < lines[0].size(); ++i) {
      if (lines[0][i] != name) continue;
      EXPECT_EQ(lines[row][i], value) << name;
      return;
    }
    ADD_FAILURE() << "no column " << name;
  };
  expect_field(1, "device", "a \"GPU\", or\r\nso");
  expect_field(1, "subject", "decoupled_lookback/warp_scans/256x16");
  expect_field(1, "subject_ms", "0.016");
  expect_field(1, "subject_gb_per_s", "524.288");
  expect_field(1, "subject_share_of_copy", "0.524288");
  expect_field(1, "subject_clock_mhz", "1965");
  expect_field(1, "subject_samples", "4");
  expect_field(1, "reference_kind", "cub");
  expect_field(1, "reference", "cub 64-bit");
  expect_field(1, "reference_ms", "0.02");
  expect_field(1, "speedup", "1.25");
  expect_field(1, "speedup_low", "1.24");
  expect_field(1, "speedup_high", "1.265");
  expect_field(1, "noise", "0.997");
  expect_field(1, "stable", "true");
  expect_field(1, "verified", "true");
  expect_field(1, "passes", "1");
  expect_field(1, "work_per_item", "2");
  expect_field(1, "bytes_per_item", "8");
  expect_field(2, "kept", "0.1");
  expect_field(2, "mode", "graph");
  expect_field(2, "reference", "");
  expect_field(2, "speedup_low", "");
  expect_field(2, "subject_clock_mhz", "");
  expect_field(3, "subject", "onesweep, \"8\" bits");
  expect_field(3, "value_type", "u32");
  expect_field(3, "discarded", "3");
  expect_field(3, "stable", "false");
  expect_field(3, "verified", "false");
  expect_field(3, "reference_ms", "");
}

TEST(bench_csv, of_no_rows_is_the_header) {
  const auto lines = fields_of(apps::csv_text(record_of({})));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0][0], "device");
}

}  // namespace
}  // namespace upsweep::test
