#include "cull_files.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cull_run.hpp"
#include "json_file.hpp"
#include "named_files.hpp"
#include "point_view.hpp"
#include "program.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// Of a picture among many.
constexpr int sheet_width = 320;

std::filesystem::path folder_of(const cull_config& config, const command_line& line) {
  require_path(config.common.output, "--output", "/output");
  const std::filesystem::path folder = config.common.output;
  const bool is_like_a_file = folder.has_extension() && !std::filesystem::exists(folder);
  std::error_code error;
  if (!is_like_a_file) std::filesystem::create_directories(folder, error);
  if (is_like_a_file || !std::filesystem::is_directory(folder)) {
    fail(is_like_a_file ? exit_code::usage : exit_code::cannot_write,
         "{}: {}: expected a folder, for the {} files of {}{}", line.origin("/output"), config.common.output,
         config.inputs.size(), line.origin("/input"), error ? "; it cannot be made: " + error.message() : "");
  }
  return folder;
}

/// Where each input goes. No two may meet, and none on what is read.
std::vector<std::string> outputs_of(const cull_config& config, const command_line& line) {
  if (config.has_exports()) {
    fail(exit_code::usage, "{}: came several, and more than their survivors to write; expected one file",
         line.origin("/input"));
  }
  const std::filesystem::path folder = folder_of(config, line);
  std::vector<named_file> read = {{line.config_path(), "--config"}};
  std::vector<named_output> written = {{config.common.report, line.origin("/report"), ".json"},
                                       {config.image, line.origin("/image"), ".png"}};
  std::vector<std::string> outputs;
  for (const std::string& input : config.inputs) {
    if (input == "-") fail(exit_code::usage, "{}: came \"-\" among several; expected files", line.origin("/input"));
    outputs.push_back((folder / std::filesystem::path(input).filename()).string());
    written.push_back({outputs.back(), line.origin("/output"), "", read.size()});
    read.push_back({input, line.origin("/input")});
  }
  check_files(read, written);
  return outputs;
}

}  // namespace

exit_code cull_files(const cull_config& config, const command_line& line) {
  const std::vector<std::string> outputs = outputs_of(config, line);
  device_session device(config.common.device, config.common.gpu_memory);
  check_runs_on(config.common.scan, device, line);
  report_file report(config.common.report);
  std::optional<output_file> sheet;
  if (config.draws) sheet.emplace(config.image);
  std::vector<picture> views;
  say("device   {}", device.name());
  exit_code worst = exit_code::ok;
  std::vector<std::string> failures;
  ordered_json reports = ordered_json::array();
  std::uint64_t particles = 0, kept = 0;
  const auto note = [&](exit_code code, const std::string& why) {
    worst = std::max(worst, code);
    failures.push_back(why);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    cull_config one = config;
    one.common.input = config.inputs[i];
    one.common.output = outputs[i];
    one.image.clear();
    say("file     {} of {}: {}", i + 1, outputs.size(), one.common.input);
    try {
      cull_run run(one, line, device);
      const exit_code code = run.run();
      reports.push_back(run.report());
      if (code != exit_code::ok) {
        note(code, one.common.input + ": not verified");
        continue;
      }
      particles += static_cast<std::uint64_t>(run.particles());
      kept += static_cast<std::uint64_t>(run.kept());
      if (sheet) views.push_back(run.view(sheet_width, true, false));
    } catch (const failure& error) {
      complain("upsweep-cull: {}", error.what());
      note(error.code(), error.what());
    }
  }
  say("all      {} of {} files, {} of {} particles kept", outputs.size() - failures.size(), outputs.size(),
      with_commas(kept), with_commas(particles));
  if (!failures.empty()) {
    complain("upsweep-cull: {} of {} files failed:", failures.size(), outputs.size());
    for (const std::string& why : failures) complain("  {}", why);
  }
  if (sheet && !views.empty()) {
    const auto columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(views.size()))));
    write_png(*sheet, sheet_of(views, columns));
    sheet->commit();
    say("wrote    {}: pictures of what was kept of {} files", sheet->name(), views.size());
  }
  report.write(reports);
  return worst;
}

}  // namespace upsweep::apps
