// upsweep-bench: measures upsweep against CUB, checks it on the user's own GPU, and shows the results.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commands.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "references.hpp"
#include "text.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Measures scan, stream compaction and radix sort against CUB, and checks them.\n\n"
    "Examples:\n"
    "  upsweep-bench scan                                     exclusive sums of some sizes, a table\n"
    "  upsweep-bench sort --n 2^10..2^28 --type u32,u64 --json sort.json\n"
    "  upsweep-bench survey --json survey.json                every scan variant over sizes\n"
    "  upsweep-bench plot sort.json survey.json -o charts     SVG charts\n"
    "  upsweep-bench report sort.json survey.json -o all.html the same as a page to read\n"
    "  upsweep-bench validate                                 every kernel on this machine, against plain CPU code\n\n"
    "Commands (each has its own --help):\n"
    "  scan, compact, sort   time one operation over sizes, types, data and variants\n"
    "  flagged               time compaction by flags over sizes and layouts of the elements\n"
    "  partition, split      time both sides of a compaction, and buckets\n"
    "  by_key, segmented     time exclusive sums of segments over sizes and lengths\n"
    "  axis                  time exclusive sums of columns and rows over sizes and widths\n"
    "  segmented_sort, top_k, merge               time other kinds of sorts\n"
    "  reduce_by_key, run_lengths, unique         time calls on runs of equal keys\n"
    "  group_by, expand      time grouping items, and repeating items\n"
    "  splats                time assigning splats to the tiles of a screen\n"
    "  from_host             time sort, scan and selection of data larger than the GPU's memory\n"
    "  across                time scan, select and sort over several GPUs beside one\n"
    "  survey                time every scan variant, beside the costs that theory gives\n"
    "  validate              prove the library on this device\n"
    "  tune                  find the fastest policy for one size and type on this device\n"
    "  list                  names that the command line takes\n"
    "  plot                  charts of records\n"
    "  report                a page of charts of records, with their numbers\n"
    "  compare               what became faster or slower from one record to another\n\n"
    "--version names the CUB that upsweep-bench was compiled with, as records and tables do.\n";

using command = std::function<exit_code(int, const char* const*)>;

command measuring(operation what) {
  return [what](int argc, const char* const* argv) { return measure_command(what, argc, argv); };
}

const std::map<std::string, command, std::less<>> commands = [] {
  std::map<std::string, command, std::less<>> all = {
      {"survey", survey_command},   {"validate", validate_command},   {"tune", tune_command},
      {"list", list_command},       {"from_host", from_host_command}, {"plot", plot_command},
      {"compare", compare_command}, {"across", across_command},       {"report", report_command}};
  int what = 0;
  for (const std::string_view name : operation_names) all.emplace(name, measuring(static_cast<operation>(what++)));
  return all;
}();

exit_code bench_main(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h") {
    print_text(about);
    return exit_code::ok;
  }
  if (first == "--version") {
    const std::string cub = cub_version();
    print_text(fmt::format("upsweep-bench {}{}\n", version_string, cub.empty() ? "" : ", CUB " + cub));
    return exit_code::ok;
  }
  const auto found = commands.find(first);
  if (found == commands.end()) {
    std::vector<std::string> names;
    for (const auto& [name, run] : commands) names.push_back(name);
    const std::string nearest = nearest_word(first, names);
    fail(exit_code::usage, "{}: expected a command: {}{} (--help tells what they do)",
         argc > 1 ? fmt::format("got \"{}\"", first) : "got no command",
         nearest.empty() ? "" : fmt::format("perhaps {}, of ", nearest), list_text(names));
  }
  const std::string name = fmt::format("upsweep-bench {}", first);
  std::vector<const char*> rest(argv + 1, argv + argc);
  rest[0] = name.c_str();
  return found->second(argc - 1, rest.data());
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program("upsweep-bench", [&] { return upsweep::apps::bench_main(argc, argv); });
}
