// upsweep-bench list: names that the command line takes.
#include <CLI/CLI.hpp>
#include <vector>

#include "arguments.hpp"
#include "axes.hpp"
#include "bench_config.hpp"
#include "commands.hpp"
#include "narrow_sums.hpp"
#include "output_file.hpp"
#include "primitives.hpp"
#include "text.hpp"
#include "upsweep/scan/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_list =
    "Prints what can be named, one a line, behind its kind.\n\nExamples:\n"
    "  upsweep-bench list\n"
    "  upsweep-bench list variants\n";

struct kind {
  std::string name;  ///< of the argument, in the plural
  std::string word;  ///< before each line
  std::vector<std::string> entries;
};

template <class Range>
std::vector<std::string> names_of(const Range& values) {
  std::vector<std::string> names;
  for (const auto& value : values) names.emplace_back(name_of(value));
  return names;
}

std::vector<kind> kinds() {
  std::vector<std::string> variants, methods, distributions;
  for (const scan_variant& v : runtime::scan_variants()) variants.push_back(variant_name(v));
  for (const operation what : {operation::scan, operation::compact, operation::flagged, operation::sort}) {
    for (const std::string_view name : methods_of(what)) {
      methods.push_back(fmt::format("{} {}", operation_names[static_cast<int>(what)], name));
    }
  }
  const auto add = [&](std::string_view what, auto names) {
    for (const auto name : names) distributions.push_back(fmt::format("{} {}", what, name));
  };
  add("scan", scan_distributions());
  add("compact", compact_distributions());
  add("flagged", flagged_distributions());
  add("partition", compact_distributions());
  add("split", split_distributions());
  add("sort", sort_distributions());
  add("by_key", segment_distributions());
  add("segmented", segment_distributions());
  add("axis", axis_distributions());
  for (const primitive& p : primitives()) add(operation_names[static_cast<int>(p.what)], p.distributions);
  return {{"operations", "operation", {std::begin(operation_names), std::end(operation_names)}},
          {"strategies", "strategy", {scan_strategy_names.begin(), scan_strategy_names.end()}},
          {"blocks", "block", {block_algorithm_names.begin(), block_algorithm_names.end()}},
          {"variants", "variant", variants},
          {"methods", "method", methods},
          {"types", "type", names_of(runtime::scan_types())},
          {"narrow_types", "narrow_type", names_of(narrow_types())},
          {"key_types", "key_type", names_of(measured_key_types())},
          {"distributions", "distribution", distributions},
          {"references", "reference", {std::begin(reference_names), std::end(reference_names)}}};
}

}  // namespace

exit_code list_command(int argc, const char* const* argv) {
  CLI::App app;
  describe_program(app, argv[0], about_list);
  std::string wanted;
  std::vector<std::string> known;
  for (const kind& k : kinds()) known.push_back(k.name);
  app.add_option("KIND", wanted, "Only these, without the kind in front: " + list_text(known))->type_name("");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;
  std::string text;
  for (const kind& k : kinds()) {
    for (const std::string& entry : k.entries) {
      if (wanted.empty()) text += k.word + ' ';
      if (wanted.empty() || wanted == k.name) text += entry + '\n';
    }
  }
  if (text.empty()) fail(exit_code::usage, "KIND: got \"{}\"; expected one of {}", wanted, list_text(known));
  print_text(text);
  return exit_code::ok;
}

}  // namespace upsweep::apps
