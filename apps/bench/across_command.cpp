// upsweep-bench across: several GPUs beside one.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "across.hpp"
#include "arguments.hpp"
#include "axes.hpp"
#include "commands.hpp"
#include "figures.hpp"
#include "grid.hpp"
#include "json_file.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_across =
    "Times scan, select and sort over several GPUs of this host beside one of them that has all items, of type u32.\n\n"
    "Examples:\n"
    "  upsweep-bench across\n"
    "  upsweep-bench across --gpus 2 --n 2^29..2^31 --json across.json\n\n"
    "The time of several GPUs is that of the slowest. Their results are compared with those of one GPU. The row "
    "exchange\n"
    "sends half of the items to the next GPU, and is compared with the same copies by cudaMemcpyPeerAsync.\n"
    "Exit status: 0 done, 1 not verified, 2 usage, 4 cannot write, 5 no GPUs or no NCCL.\n";

struct options {
  std::string gpus = "all", n = "2^24..2^28", json_path;
  int samples = 7;
};

bool parse(int argc, const char* const* argv, options& chosen) {
  CLI::App app;
  describe_program(app, "upsweep-bench across", about_across);
  app.add_option("--gpus", chosen.gpus, "How many GPUs, or all")->capture_default_str()->type_name("N|all");
  app.add_option("--n", chosen.n, "Items of all GPUs together; a range doubles")->capture_default_str()->type_name("N");
  app.add_option("--samples", chosen.samples, "Runs of each; the median counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--json", chosen.json_path, "Write the times as JSON")->type_name("FILE");
  return parse_arguments(app, argc, argv);
}

}  // namespace

exit_code across_command(int argc, const char* const* argv) {
  options chosen;
  if (!parse(argc, argv, chosen)) return exit_code::ok;
  const std::vector<std::int64_t> sizes = size_axis("--n", chosen.n);
  constexpr std::int64_t most = 128;
  const std::int64_t asked = chosen.gpus == "all" ? 0 : whole_number_of("--gpus", chosen.gpus, 1, most);
  const int here = gpus_for_across();
  if (here == 0) fail(exit_code::device, "across: no GPU here, or this upsweep-bench was built without NCCL");
  if (asked > here) fail(exit_code::device, "--gpus: got {}; this machine has {}", asked, here);
  const int gpus = asked == 0 ? here : static_cast<int>(asked);

  std::string why;
  const std::vector<across_row> rows = measure_across(gpus, sizes, chosen.samples, why);
  using enum grid::side;
  grid table;
  ordered_json document{{"gpus", gpus}, {"rows", ordered_json::array()}};
  for (const across_row& row : rows) {
    table.put("operation", left, row.operation);
    table.put("n", right, count_text(row.n));
    table.put("one GPU", right, time_text(row.one_ms));
    table.put(fmt::format("{} GPUs", gpus), right, time_text(row.all_ms));
    table.put("faster", right, fmt::format("{:.2f}x", row.one_ms / row.all_ms));
    table.end_row();
    document["rows"].push_back(
        {{"operation", row.operation}, {"n", row.n}, {"one_ms", row.one_ms}, {"all_ms", row.all_ms}});
  }
  print_text(table.aligned());
  if (!why.empty()) {
    complain("upsweep-bench: across: {}", why);
    return exit_code::not_verified;
  }
  if (!chosen.json_path.empty()) {
    output_file file(chosen.json_path);
    file.write(document.dump(2) + "\n");
    file.finish();
    file.commit();
  }
  return exit_code::ok;
}

}  // namespace upsweep::apps
