// upsweep-cull: reads particles, keeps those that pass the rules, writes them.
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cull.hpp"
#include "cull_config.hpp"
#include "generate.hpp"
#include "json_file.hpp"
#include "named_files.hpp"
#include "particle_file.hpp"
#include "program.hpp"
#include "schemas.hpp"
#include "text.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Keeps the particles that pass every rule, in their order or in any, with all their properties.\n\n"
    "Examples:\n"
    "  upsweep-cull generate --output cloud.ply --count 1000000 --seed 1\n"
    "  upsweep-cull --input cloud.ply --output alive.ply --lifetime-above 0\n"
    "  upsweep-cull --input cloud.ply --output seen.ply --eye 0 0 20 --target 0 0 0 --fov-y 40 \\\n"
    "    --export id=ids.npy --export-depth depth.npy --verify\n"
    "  upsweep-cull --config configs/cull/demo.json --input cloud.ply --output seen.ply\n\n"
    "Reads PLY (ascii, binary little endian) and two-dimensional float .npy; writes what it read.\n"
    "Bounds belong to the inside, and are numbers of the property's type: a float 0.3 is in a box to 0.3.\n"
    "Exit status: 0 done, 1 not verified, 2 usage or config, 3 bad input, 4 cannot write, 5 GPU, 130 interrupted.\n";

/// One more file that a run writes: what goes in, and where.
struct export_job {
  export_job(std::optional<std::string> what, const std::string& path) : property(std::move(what)), file(path) {}
  std::optional<std::string> property;  ///< nothing for the depth
  output_file file;
};

/// One run of the program, from the files to the files.
class cull_run {
 public:
  cull_run(const cull_config& config, const command_line& line)
      : config_(config),
        line_(line),
        device_(config.common.device),
        report_(config.common.report),
        output_(config.common.output) {
    check_runs_on(config.common.scan, device_, line);
    for (const auto& [property, paths] : config.export_properties) {
      for (const std::string& path : paths) exports_.emplace_back(property, path);
    }
    if (!config.export_depth.empty()) exports_.emplace_back(std::nullopt, config.export_depth);
    say("device   {}", device_.name());
  }

  exit_code run() {
    read();
    check_takes(config_.common.scan, runtime::select_max_items(config_.method), input_.particles.count, line_);
    const keep_rules rules = rules_over(input_.particles, config_, config_.common.input);
    if (!config_.has_rules()) say("note     no rule is given (--lifetime-above 0 is one): every particle is kept");
    const auto note_idle = [&](const char* column, bool is_used) {
      if (is_used || config_.named_columns.count(column) == 0) return;
      say("note     {}: named, and not looked at", line_.origin(std::string("/columns/") + column));
    };
    note_idle("lifetime", config_.lifetime_above.has_value());
    note_idle("position", config_.needs_position());
    note_idle("npy", input_.npy.has_value());
    survivors_ = cull_on_device(device_, config_.method, input_.particles, rules, times_);
    const double share = input_.particles.count == 0 ? 0.0
                                                     : 100.0 * static_cast<double>(survivors_.count) /
                                                           static_cast<double>(input_.particles.count);
    moved_ = bytes_moved(config_.method, input_.particles, rules, survivors_.count);
    say("kept     {} of {} particles ({:.1f} %) in {:.3f} ms on the device, {}", count_text(survivors_),
        count_text(input_.particles), share, times_.device_ms, method_text());
    const std::string scan = moved_.scan > 0 ? bytes_text(moved_.scan) + " for their scan, " : "";
    say("moved    at least {} for the votes, {}{} of particles", bytes_text(moved_.votes), scan,
        bytes_text(moved_.elements));
    if (config_.common.verify && !verify(rules)) return exit_code::not_verified;
    write();
    report(config_.common.verify ? ordered_json(true) : ordered_json(nullptr));
    say("total    {:.0f} ms", total_.lap());
    return exit_code::ok;
  }

 private:
  static std::string count_text(const particle_table& t) { return with_commas(static_cast<std::uint64_t>(t.count)); }

  /// The method, and its scan where it has one.
  std::string method_text() const {
    const compact_method_with_scan& c = config_.method;
    if (!has_scan(c.method)) return std::string(name_of(c.method));
    return fmt::format("{}, scan {}", name_of(c.method), variant_text(c.scan));
  }

  void read() {
    stopwatch watch;
    input_ =
        read_particles(config_.common.input, config_.npy_columns, {config_.common.output, line_.origin("/output")});
    read_ms_ = watch.lap();
    for (const std::string& notice : input_.notices) say("note     {}", notice);
    for (const export_job& job : exports_) {
      if (job.property && !input_.particles.find(*job.property)) {
        std::vector<std::string> names;
        for (const table_column& c : input_.particles.columns) names.push_back(c.name);
        fail(exit_code::bad_input, "{}: no property \"{}\", which is to be exported; it has {}", config_.common.input,
             *job.property, list_text(names));
      }
    }
    say("read     {}: {} particles, {} properties, {} ({}) in {:.0f} ms", config_.common.input,
        count_text(input_.particles), input_.particles.columns.size(), bytes_text(input_.bytes), input_.format(),
        read_ms_);
  }

  bool verify(const keep_rules& rules) {
    stopwatch watch;
    const std::string difference =
        first_difference(input_.particles, rules, survivors_, is_stable(config_.method.method));
    verify_ms_ = watch.lap();
    if (difference.empty()) {
      say("checked  every byte agrees with plain CPU code ({:.0f} ms)", verify_ms_);
      return true;
    }
    say("upsweep-cull: {}: not verified, nothing was written: {}", config_.common.input, difference);
    report(false);
    return false;
  }

  void write() {
    stopwatch watch;
    write_particles(output_, input_, survivors_);
    for (export_job& job : exports_) {
      if (!job.property) {
        const keep_rules rules = rules_over(survivors_, config_, config_.common.input);
        const byte_array depths = depths_of(survivors_, rules, *config_.frustum);
        write_npy_vector(job.file, scalar_type::f32, depths.data(), survivors_.count);
      } else {
        const table_column& c = survivors_.columns[*survivors_.find(*job.property)];
        write_npy_vector(job.file, c.type, c.data.data(), survivors_.count);
      }
    }
    output_.finish();
    for (export_job& job : exports_) job.file.finish();
    output_.commit();
    say("wrote    {}: {} particles, {}", output_.name(), count_text(survivors_), bytes_text(output_.bytes_written()));
    for (export_job& job : exports_) {
      job.file.commit();
      say("wrote    {}: {} of {} particles", job.file.name(), job.property.value_or("depth"), count_text(survivors_));
    }
    write_ms_ = watch.lap();
  }

  void report(const ordered_json& verified) {
    ordered_json document;
    document["program"] = "upsweep-cull";
    document["version"] = version_string;
    document["device"] = device_.name();
    document["backend"] = device_.where() == runtime::backend::cuda ? "cuda" : "sim";
    document["method"] = name_of(config_.method.method);
    document["order"] = is_stable(config_.method.method) ? "stable" : "any";
    document["scan"] = to_json(config_.common.scan);
    document["bytes_moved"] = {{"votes", moved_.votes}, {"scan", moved_.scan}, {"particles", moved_.elements}};
    document["input"] = {{"file", config_.common.input},
                         {"format", input_.format()},
                         {"bytes", input_.bytes},
                         {"particles", input_.particles.count},
                         {"properties", input_.particles.columns.size()},
                         {"notices", input_.notices}};
    document["output"] = {
        {"file", config_.common.output}, {"bytes", output_.bytes_written()}, {"particles", survivors_.count}};
    document["exports"] = ordered_json::object();
    document["exports"].update(to_json(config_)["export"].value("properties", ordered_json::object()));
    if (!config_.export_depth.empty()) document["export_depth"] = config_.export_depth;
    document["verified"] = verified;
    document["times_ms"] = {{"read", read_ms_},
                            {"upload", times_.upload_ms},
                            {"device", times_.device_ms},
                            {"download", times_.download_ms},
                            {"verify", verify_ms_},
                            {"write", write_ms_},
                            {"total", stopwatch(total_).lap()}};
    report_.write(document);
  }

  const cull_config& config_;
  const command_line& line_;
  stopwatch total_;
  device_session device_;
  report_file report_;
  output_file output_;
  std::deque<export_job> exports_;
  particle_file input_;
  particle_table survivors_;
  cull_times times_;
  cull_bytes moved_;
  double read_ms_ = 0, verify_ms_ = 0, write_ms_ = 0;
};

exit_code cull_main(int argc, const char* const* argv) {
  if (argc > 1 && std::string_view(argv[1]) == "generate") return generate_main(argc - 1, argv + 1);
  command_line line("upsweep-cull", about, cull_schema);
  add_cull_options(line);
  if (!line.parse(argc, argv)) return exit_code::ok;
  const cull_config config = cull_config_from(line);
  if (line.print_config()) {
    print_config(to_json(config));
    return exit_code::ok;
  }
  require_path(config.common.input, "--input", "/input");
  require_path(config.common.output, "--output", "/output");
  std::vector<named_output> outputs = {{config.common.output, line.origin("/output"), "", 0},
                                       {config.common.report, line.origin("/report"), ".json"},
                                       {config.export_depth, line.origin("/export/depth"), ".npy"}};
  for (const auto& [property, paths] : config.export_properties) {
    const std::string origin = line.origin(pointer_step("/export/properties", property));
    for (const std::string& path : paths) outputs.push_back({path, origin, ".npy"});
  }
  check_files({{config.common.input, line.origin("/input")}, {line.config_path(), "--config"}}, outputs);
  return cull_run(config, line).run();
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program("upsweep-cull", [&] { return upsweep::apps::cull_main(argc, argv); });
}
