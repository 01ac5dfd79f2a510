#include "cull_files.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cull_run.hpp"
#include "json_file.hpp"
#include "many_files.hpp"
#include "point_view.hpp"
#include "program.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// Of a picture among many.
constexpr int sheet_width = 320;

std::vector<std::string> outputs_of(const cull_config& config, const command_line& line) {
  if (config.has_exports()) {
    fail(exit_code::usage, "{}: got several files, and more than their survivors to write; expected one file",
         line.origin("/input"));
  }
  return outputs_in_folder(
      config.inputs, config.common.output, line,
      {{config.common.report, line.origin("/report"), ".json"}, {config.image, line.origin("/image"), ".png"}});
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
  ordered_json reports = ordered_json::array();
  std::uint64_t particles = 0, kept = 0;
  const auto cull = [&](std::size_t i) {
    cull_config one = config;
    one.common.input = config.inputs[i];
    one.common.output = outputs[i];
    one.image.clear();
    cull_run run(one, line, device);
    const exit_code code = run.run();
    reports.push_back(run.report());
    if (code != exit_code::ok) return code;
    particles += static_cast<std::uint64_t>(run.particles());
    kept += static_cast<std::uint64_t>(run.kept());
    if (sheet) views.push_back(run.view(sheet_width, true, false));
    return code;
  };
  const exit_code worst = for_each_file("upsweep-cull", config.inputs, cull, [&] {
    return fmt::format(", {} of {} particles kept", with_commas(kept), with_commas(particles));
  });
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
