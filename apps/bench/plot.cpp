// upsweep-bench plot: charts of what was recorded.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "commands.hpp"
#include "named_files.hpp"
#include "output_file.hpp"
#include "plot_script.hpp"
#include "python.hpp"
#include "record.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_plot =
    "Draws SVG charts of records that upsweep-bench --json wrote: throughput over n, speedup over a reference, and "
    "the\n"
    "survey. Needs python3 with matplotlib. Files of one command are drawn into the same charts.\n\n"
    "Examples:\n"
    "  upsweep-bench plot scan.json compact.json sort.json survey.json -o charts\n"
    "  upsweep-bench plot h200.json a100.json -o charts\n\n"
    "Names each chart that it wrote on standard output.\n"
    "Exit status: 0 done, 2 usage, or no matplotlib, 3 bad input, 4 cannot write, 130 interrupted.\n";

/// The document of a record with at least one row. Failures are exit_code::bad_input.
ordered_json document_of(const std::string& path) {
  const bench_record record = read_record(path);
  if (record.rows.empty()) fail(exit_code::bad_input, "{}: /rows: nothing came; expected at least one row", path);
  return to_json(record);
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
  app.add_option("record", inputs, "Records (JSON); \"-\" is standard input")->required()->type_name("FILE");
  app.add_option("-o,--output", folder, "Where the charts go; created when it is not there")
      ->required()
      ->type_name("DIR");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;

  std::vector<named_file> files;
  for (const std::string& path : inputs) files.push_back({path, "a record"});
  check_files(files, {});
  ordered_json records = ordered_json::array();
  for (const std::string& path : inputs) records.push_back({{"name", path}, {"record", document_of(path)}});
  make_folder(folder);
  const std::string input = records.dump(-1, ' ', false, json::error_handler_t::replace);
  const json charts = json::parse(run_python(plot_script, input, "matplotlib", "python3-matplotlib"));
  if (charts.empty()) fail(exit_code::bad_input, "{}: nothing in it can be drawn: no row has samples", inputs[0]);
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

}  // namespace upsweep::apps
