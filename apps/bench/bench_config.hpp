// The options of the commands of upsweep-bench that measure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "measure.hpp"
#include "record.hpp"
#include "upsweep/scan/variant.hpp"

namespace upsweep::apps {

/// What --reference takes.
inline constexpr std::string_view reference_names[] = {"none", "cub", "thrust", "copy", "serial", "stable"};

/// What --method takes, what is done without it first.
std::span<const std::string_view> methods_of(operation what);
/// Whether the scan variant means something to the method of that name.
bool takes_scan(operation what, std::string_view method);

struct bench_config {
  std::string device = "auto";
  // Lists as axes.hpp takes them. An empty one stands for what suits the operation and the device.
  std::string sizes, types, values, methods, variants, distributions, shares, references, graph = "auto";
  std::int64_t seed = 1;
  measure_settings measuring;
  std::string json_file, csv_file, markdown_file;
};

/// The options of the command; a survey, which is of scans, has no references to choose.
void add_bench_options(command_line& line, operation what, bool survey);
/// Fails where the config says what the command does not know.
bench_config bench_config_from(const command_line& line, operation what, bool survey);
ordered_json to_json(const bench_config& config);

/// What the lists mean on a device.
struct bench_axes {
  std::vector<std::int64_t> sizes;
  std::vector<scalar_type> types;
  std::vector<std::optional<scalar_type>> values;  ///< nothing: keys alone
  std::vector<std::string> methods;
  std::vector<scan_variant> variants;
  std::vector<std::string> distributions;
  std::vector<double> shares;
  std::vector<std::string> references;  ///< "" : none
};

ordered_json to_json(const bench_axes& axes);

/// Fails with exit_code::usage, naming the flag or JSON path, where a list names something that does not exist or
/// cannot run on that device.
bench_axes axes_from(const bench_config& config, operation what, bool survey, runtime::backend where,
                     const command_line& line);

/// The key types of sort that are measured and checked, of those that the library sorts.
std::span<const scalar_type> measured_key_types();

/// True when calls of n elements are timed in a graph too.
bool times_graph(const bench_config& config, std::int64_t n, runtime::backend where);

}  // namespace upsweep::apps
