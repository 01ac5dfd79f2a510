// upsweep-cull: reads particles, keeps those that pass the rules, writes them.
#include <string>
#include <string_view>

#include "cull_config.hpp"
#include "cull_files.hpp"
#include "cull_run.hpp"
#include "cull_slices.hpp"
#include "generate.hpp"
#include "json_file.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "schemas.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Keeps the particles that pass every rule, with all their properties, in input order or in any order.\n\n"
    "Examples:\n"
    "  upsweep-cull generate --output cloud.ply --count 1000000 --seed 1\n"
    "  upsweep-cull --input cloud.ply --output alive.ply --lifetime-above 0\n"
    "  upsweep-cull --input cloud.ply --output seen.ply --eye 0 0 20 --target 0 0 0 --fov-y 40 \\\n"
    "    --export id=ids.npy --export-depth depth.npy --sort-by depth --verify\n"
    "  upsweep-cull --input scan.ply --output ground.ply --where 'classification == 2 && intensity > 100'\n"
    "  upsweep-cull --input cloud.ply --sphere 0 0 0 5 --export-indices inside.npy\n"
    "  upsweep-cull --input frame*.ply --output alive --lifetime-above 0 --image alive/sheet.png\n"
    "  upsweep-cull --config configs/cull/demo.json --input cloud.ply --output seen.ply\n"
    "  mpirun -n 2 upsweep-cull --input cloud.npy --output alive.npy --lifetime-above 0\n\n"
    "Reads PLY, .npy of floats (n, k) or of structures, .npz, CSV with names, and these in .gz and .zst; writes what "
    "it read.\n"
    "The columns of an .npy file of floats (n, k) are x y z vx vy vz lifetime id column8 ..., unless a config names "
    "them.\n"
    "A particle on a bound is inside. Bounds are numbers of the property's type: a float 0.3 is in a box that ends at "
    "0.3.\n"
    "Conditions: == != < <= > >= of numbers and properties, + - * / %, && || !, parentheses; `a name` in backquotes "
    "is\n"
    "any property. Whole numbers have 64 bits, / gives a double; a number compared with a float property is a float.\n"
    "Exit status: 0 done, 1 not verified, 2 usage or config, 3 bad input, 4 cannot write, 5 GPU, 130 interrupted.\n";

void check_files_of(const cull_config& config, const command_line& line) {
  if (!config.has_exports() && config.image.empty()) require_path(config.common.output, "--output", "/output");
  std::vector<named_output> outputs = {{config.common.output, line.origin("/output"), "", 0},
                                       {config.common.report, line.origin("/report"), ".json"},
                                       {config.rejected, line.origin("/rejected")},
                                       {config.image, line.origin("/image"), ".png"},
                                       {config.export_indices, line.origin("/export/indices"), ".npy"},
                                       {config.export_mask, line.origin("/export/mask"), ".npy"},
                                       {config.export_depth, line.origin("/export/depth"), ".npy"}};
  for (const auto& [property, paths] : config.export_properties) {
    const std::string origin = line.origin(pointer_step("/export/properties", property));
    for (const std::string& path : paths) outputs.push_back({path, origin, ".npy"});
  }
  check_files({{config.common.input, line.origin("/input")}, {line.config_path(), "--config"}}, outputs);
}

exit_code cull_one(const cull_config& config, const command_line& line) {
  check_files_of(config, line);
  device_session device(config.common.device, config.common.gpu_memory);
  check_runs_on(config.common.scan, device, line);
  report_file report(config.common.report);
  cull_run run(config, line, device);
  say("device   {}", device.name());
  const exit_code code = run.run();
  report.write(run.report());
  return code;
}

exit_code cull_main(int argc, const char* const* argv, process_ranks& ranks) {
  if (argc > 1 && std::string_view(argv[1]) == "generate") {
    ranks.together([&] {
      if (ranks.ranks() > 1) fail(exit_code::usage, "generate: given for {} processes; expected one", ranks.ranks());
    });
    return generate_main(argc - 1, argv + 1);
  }
  command_line line("upsweep-cull", about, cull_schema);
  add_cull_options(line);
  cull_config config;
  bool is_done = false;
  ranks.together([&] {
    is_done = !line.parse(argc, argv);
    if (is_done) return;
    config = cull_config_from(line);
    is_done = line.print_config();
    if (is_done) return print_config(to_json(config));
    if (config.common.quiet) be_quiet();
    require_path(config.common.input, "--input", "/input");
    if (ranks.ranks() > 1) check_files_of(config, line);
  });
  if (is_done) return exit_code::ok;
  if (ranks.ranks() > 1) return cull_slices(config, line, ranks);
  return config.inputs.size() > 1 ? cull_files(config, line) : cull_one(config, line);
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program_as_ranks("upsweep-cull",
                                             [&](auto& ranks) { return upsweep::apps::cull_main(argc, argv, ranks); });
}
