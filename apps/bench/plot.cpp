// upsweep-bench plot and upsweep-bench report: charts of what was recorded, as files and as a page.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "commands.hpp"
#include "named_files.hpp"
#include "output_file.hpp"
#include "plot_script.hpp"
#include "program.hpp"
#include "python.hpp"
#include "record.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_plot =
    "Draws SVG charts of records that upsweep-bench --json wrote: throughput over n, speedup over a reference, and "
    "the\n"
    "survey. Needs python3 with matplotlib. Files of one command are drawn into the same charts.\n\n"
    "Examples:\n"
    "  upsweep-bench plot scan.json compact.json sort.json survey.json -o charts\n"
    "  upsweep-bench plot h200.json a100.json -o charts\n\n"
    "Prints the name of each chart to standard output.\n"
    "Exit status: 0 done, 2 usage, or no matplotlib, 3 bad input, 4 cannot write, 130 interrupted.\n";

constexpr const char* about_report =
    "Makes one HTML page of records that upsweep-bench --json wrote: the charts of plot, with numbers by the pointer "
    "and as\n"
    "tables. The page needs no network and no other file. Needs python3 with matplotlib.\n\n"
    "Examples:\n"
    "  upsweep-bench report scan.json compact.json sort.json survey.json -o report.html\n"
    "  upsweep-bench scan --json - | upsweep-bench report - -o scan.html\n\n"
    "Exit status: 0 done, 2 usage, or no matplotlib, 3 bad input, 4 cannot write, 130 interrupted.\n";

/// The document of a record with at least one row. Failures are exit_code::bad_input.
ordered_json document_of(const std::string& path) {
  const bench_record record = read_record(path);
  if (record.rows.empty()) fail(exit_code::bad_input, "{}: /rows: got nothing; expected at least one row", path);
  return to_json(record);
}

ordered_json documents_of(const std::vector<std::string>& inputs) {
  ordered_json records = ordered_json::array();
  for (const std::string& path : inputs) records.push_back({{"name", path}, {"record", document_of(path)}});
  return records;
}

/// What the scripts make of records by that call.
std::string drawn(const ordered_json& records, const char* call) {
  const std::string input = records.dump(-1, ' ', false, json::error_handler_t::replace);
  return run_python(std::string(plot_script) + report_script + call + "\n", input, "matplotlib", "python3-matplotlib");
}

[[noreturn]] void refuse_to_draw(const std::string& input) {
  fail(exit_code::bad_input, "{}: nothing in it can be drawn: no row has samples", input);
}

void add_records(CLI::App& app, std::vector<std::string>& inputs) {
  app.add_option("record", inputs, "Records (JSON); \"-\" is standard input")->required()->type_name("FILE");
}

std::vector<named_file> files_of(const std::vector<std::string>& inputs) {
  std::vector<named_file> files;
  for (const std::string& path : inputs) files.push_back({path, "a record"});
  return files;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    fail(exit_code::cannot_write, "{}: cannot create the directory: {}", folder,
         error ? error.message() : "something else has this name");
  }
}

}  // namespace

exit_code plot_command(int argc, const char* const* argv) {
  CLI::App app;
  describe_program(app, argv[0], about_plot);
  std::vector<std::string> inputs;
  std::string folder;
  add_records(app, inputs);
  app.add_option("-o,--output", folder, "Where the charts go; created when it is not there")
      ->required()
      ->type_name("DIR");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;

  const std::vector<named_file> files = files_of(inputs);
  check_files(files, {});
  const ordered_json records = documents_of(inputs);
  make_folder(folder);
  const json charts = json::parse(drawn(records, "main()"));
  if (charts.empty()) refuse_to_draw(inputs[0]);
  output_file out("-");
  const auto path_of = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  std::vector<named_output> outputs;
  for (const auto& [name, svg] : charts.items()) outputs.push_back({path_of(name), "--output"});
  check_files(files, outputs);
  for (const auto& [name, svg] : charts.items()) {
    const std::string path = path_of(name);
    output_file file(path);
    file.write(svg.get_ref<const std::string&>());
    file.commit();
    out.write(path + "\n");
  }
  out.commit();
  return exit_code::ok;
}

exit_code report_command(int argc, const char* const* argv) {
  CLI::App app;
  describe_program(app, argv[0], about_report);
  std::vector<std::string> inputs;
  std::string path;
  add_records(app, inputs);
  app.add_option("-o,--output", path, "The page; \"-\" is standard output")->required()->type_name("FILE.html");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;

  check_files(files_of(inputs), {{path, "--output", ".html"}});
  const std::string page = drawn(documents_of(inputs), "report()");
  if (page.empty()) refuse_to_draw(inputs[0]);
  output_file file(path);
  file.write(page);
  file.commit();
  if (path != "-") say("wrote    {}: {}", path, bytes_text(page.size()));
  return exit_code::ok;
}

}  // namespace upsweep::apps
