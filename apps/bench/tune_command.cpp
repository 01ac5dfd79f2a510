// upsweep-bench tune: the fastest policy for one size and type on the user's own device.
#include <CLI/CLI.hpp>
#include <array>

#include "arguments.hpp"
#include "axes.hpp"
#include "bench_config.hpp"
#include "commands.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "tuning.hpp"
#include "upsweep/scan/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_tune =
    "Times every policy of an operation at one size, and says whether one is faster than the default on this "
    "device.\n\n"
    "Examples:\n"
    "  upsweep-bench tune scan --n 2^20 --type f32\n"
    "  upsweep-bench tune sort --n 1000000 --type u64 --values u32 --json sort_here.json\n"
    "  upsweep-sort --config sort_here.json --input keys.npy --output sorted.npy\n"
    "  upsweep-bench tune compact --n 2^16 --header tuned_compact.hpp\n\n"
    "The JSON is a config of upsweep-sort (of a sort) or upsweep-cull (of a compaction), which refuse it on another\n"
    "architecture. The header names the policy for a C++ call, and does not compile for another architecture.\n"
    "Exit status: 0 done, 1 a result was wrong, 2 usage, 4 cannot write, 5 GPU, 130 interrupted.\n";

constexpr std::array<std::string_view, 3> tuned_operations = {"scan", "compact", "sort"};

template <class Values>
auto only(const std::string& flag, const std::string& text, const Values& values) {
  if (values.size() != 1) fail(exit_code::usage, "{}: got \"{}\"; expected one of them at a time", flag, text);
  return values[0];
}

}  // namespace

exit_code tune_command(int argc, const char* const* argv) {
  CLI::App app;
  describe_program(app, argv[0], about_tune);
  std::string what, size, type = "u32", values, which = "auto", json_file, header_file;
  double max_seconds = 60;
  app.add_option("OPERATION", what, "scan, compact or sort")->type_name("");
  app.add_option("--n", size, "How many items: 1000, 2^20 (default: 2^24, on the sim 2^14)")->type_name("N");
  app.add_option("--type", type, "Their type (default: u32): see upsweep-bench list types, or list key_types")
      ->type_name("TYPE");
  app.add_option("--values", values, "Values of a sort: none, or u32 with each key")->type_name("TYPE");
  app.add_option("--device", which, "auto (a GPU, else the sim), cuda, cuda:N or sim")->type_name("DEVICE");
  app.add_option("--max-seconds", max_seconds, "Start no more policies after this many seconds (default: 60)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--json", json_file, "Write a config that the programs take; - is standard output")->type_name("FILE");
  app.add_option("--header", header_file, "Write a C++ header with the policy")->type_name("FILE");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;

  if (what.empty()) fail(exit_code::usage, "OPERATION: got nothing; expected scan, compact or sort");
  const std::string name = only("OPERATION", what, word_axis("OPERATION", what, tuned_operations));
  problem_shape shape;
  shape.what = name == "scan" ? operation::scan : name == "sort" ? operation::sort : operation::compact;
  const bool sorts = shape.what == operation::sort;
  shape.distribution = sorts                           ? sort_distributions()[0]
                       : shape.what == operation::scan ? scan_distributions()[0]
                                                       : compact_distributions()[0];
  shape.type = only("--type", type, type_axis("--type", type, sorts ? measured_key_types() : runtime::scan_types()));
  if (!values.empty()) {
    if (!sorts) fail(exit_code::usage, "--values: given for {}; expected only with sort", name);
    constexpr std::array<std::string_view, 2> known = {"none", "u32"};
    shape.value_type = scalar_type_named(only("--values", values, word_axis("--values", values, known)));
  }
  check_files({}, {{json_file, "--json", ".json"}, {header_file, "--header", ""}});
  device_session device(which);
  const bool gpu = device.where() == runtime::backend::cuda;
  if (size.empty()) size = gpu ? "2^24" : "2^14";
  shape.n = only("--n", size, size_axis("--n", size));
  report_file json(json_file), header(header_file);
  say("device   {}", device.name());
  const tuning found = tune(device, shape, max_seconds);
  const gpu_facts facts = gpu ? facts_of_gpu() : gpu_facts{};
  if (json_file != "-" && header_file != "-") print_text(tuning_text(found));
  json.write(tuning_json(found, device, facts));
  header.write_text(tuning_header(found, device, facts));
  return found.verified ? exit_code::ok : exit_code::not_verified;
}

}  // namespace upsweep::apps
