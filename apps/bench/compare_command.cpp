#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "arguments.hpp"
#include "commands.hpp"
#include "compare.hpp"
#include "figures.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "tables.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_compare =
    "Shows what became faster or slower between two records that --json wrote.\n\n"
    "Examples:\n"
    "  upsweep-bench compare old.json new.json\n"
    "  upsweep-bench compare old.json new.json --threshold 2.5 --json changes.json\n\n"
    "A row is slower when the whole 95 % confidence interval of its time, new over old, lies above 1 by more than\n"
    "--threshold, by more than the noise that either run measured of itself, and by more than the same version of the\n"
    "reference changed; of what was measured alone, and of what takes less than 200 us, by more than 5 %.\n"
    "Exit status: 0 nothing became slower, 1 something did, 2 usage, 3 bad input, 4 cannot write.\n";

struct options {
  std::string old_path, new_path;
  double threshold_percent = 1;
  std::string json_path;
};

bool parse(int argc, const char* const* argv, options& chosen) {
  CLI::App app;
  describe_program(app, "upsweep-bench compare", about_compare);
  app.add_option("OLD", chosen.old_path, "The record to compare with; - is standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("NEW", chosen.new_path, "The record to judge; - is standard input")->required()->type_name("FILE");
  app.add_option("--threshold", chosen.threshold_percent, "Changes of up to this many percent do not count")
      ->capture_default_str()
      ->type_name("PERCENT");
  app.add_option("--json", chosen.json_path, "Write the comparison as JSON; - is standard output, without the table")
      ->type_name("FILE");
  if (!parse_arguments(app, argc, argv)) return false;
  if (!(chosen.threshold_percent >= 0 && std::isfinite(chosen.threshold_percent))) {
    fail(exit_code::usage, "--threshold: got {}; expected a number from 0 up", chosen.threshold_percent);
  }
  if (chosen.old_path == "-" && chosen.new_path == "-") {
    fail(exit_code::usage, "NEW: got \"-\"; expected a file, as OLD comes from standard input");
  }
  return true;
}

/// Refuses what no ratio can be made of, and warns of what makes a ratio doubtful.
void check_origins(const options& chosen, const bench_record& old_record, const bench_record& new_record) {
  const bench_device &old_device = old_record.device, &new_device = new_record.device;
  if (old_device.backend != new_device.backend) {
    fail(exit_code::bad_input,
         "{}: /device/backend: got \"{}\"; expected \"{}\", as {} has: the sim says nothing about a GPU",
         chosen.new_path, new_device.backend, old_device.backend, chosen.old_path);
  }
  if (old_device.name != new_device.name) {
    say("warning: different devices: {} is of \"{}\", {} of \"{}\"", chosen.old_path, old_device.name, chosen.new_path,
        new_device.name);
  }
  for (const char* reference : versioned_references) {
    const std::string old_text = versioned_text(old_record, reference),
                      new_text = versioned_text(new_record, reference);
    if (old_text.empty() || new_text.empty() || old_text == new_text) continue;
    say("warning: different references: {} is against {}, {} against {}", chosen.old_path, old_text, chosen.new_path,
        new_text);
  }
}

std::string median_text(const timing& side) {
  return side.samples == 0 ? "" : time_text(side.ms.median);
}

std::string table_of(const std::vector<compared_row>& rows) {
  using enum grid::side;
  grid table;
  for (const compared_row& row : rows) {
    put_identity(table, row.row);
    table.put("old", right, median_text(row.old_side));
    table.put("new", right, median_text(row.new_side));
    table.put("new / old", right, row.ratio ? interval_text(*row.ratio) : "");
    table.put("noise", right, row.noise ? noise_text(1 + *row.noise) : "");
    table.put("verdict", left, std::string(verdict_names[static_cast<int>(row.outcome)]));
    table.put("remarks", left, row.verified ? "" : "unverified!");
    table.end_row();
  }
  return table.aligned();
}

ordered_json origin_json(const std::string& path, const bench_record& record) {
  return {{"file", path}, {"time", record.time}, {"device", record.device.name}, {"versions", record.versions}};
}

ordered_json to_json(const compared_row& compared) {
  ordered_json document = input_json(compared.row);
  document["subject"] = compared.row.subject.name;
  if (compared.old_side.samples > 0) document["old_ms"] = compared.old_side.ms.median;
  if (compared.new_side.samples > 0) document["new_ms"] = compared.new_side.ms.median;
  if (compared.ratio) document["ratio"] = to_json(*compared.ratio);
  if (compared.noise) document["noise"] = *compared.noise;
  document["verified"] = compared.verified;
  document["verdict"] = verdict_names[static_cast<int>(compared.outcome)];
  return document;
}

}  // namespace

exit_code compare_command(int argc, const char* const* argv) {
  options chosen;
  if (!parse(argc, argv, chosen)) return exit_code::ok;
  check_files({{chosen.old_path, "OLD"}, {chosen.new_path, "NEW"}}, {{chosen.json_path, "--json", ".json"}});
  report_file report(chosen.json_path);
  const bench_record old_record = read_record(chosen.old_path);
  const bench_record new_record = read_record(chosen.new_path);
  check_origins(chosen, old_record, new_record);
  const std::vector<compared_row> rows = compare_records(old_record, new_record, chosen.threshold_percent / 100);
  const auto count = [&](verdict outcome) {
    return std::count_if(rows.begin(), rows.end(), [&](const compared_row& row) { return row.outcome == outcome; });
  };
  const auto unmatched = count(verdict::only_old) + count(verdict::only_new);
  if (std::cmp_equal(unmatched, rows.size())) {
    fail(exit_code::bad_input, "{}: has no measured row in common with {}; expected one at least", chosen.new_path,
         chosen.old_path);
  }

  if (chosen.json_path != "-") {
    output_file out("-");
    if (on_sim(new_record)) out.write(fmt::format("{}\n\n", sim_banner));
    out.write(table_of(rows));
    out.commit();
  }
  ordered_json document = {{"program", "upsweep-bench"},
                           {"command", "compare"},
                           {"old", origin_json(chosen.old_path, old_record)},
                           {"new", origin_json(chosen.new_path, new_record)},
                           {"backend", new_record.device.backend},
                           {"threshold_percent", chosen.threshold_percent},
                           {"rows", ordered_json::array()}};
  for (const compared_row& row : rows) document["rows"].push_back(to_json(row));
  report.write(document);
  say("{} slower, {} faster, {} the same, {} only in {}, {} only in {}", count(verdict::slower), count(verdict::faster),
      count(verdict::same), count(verdict::only_old), chosen.old_path, count(verdict::only_new), chosen.new_path);
  return count(verdict::slower) > 0 ? exit_code::not_verified : exit_code::ok;
}

}  // namespace upsweep::apps
