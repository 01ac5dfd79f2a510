// upsweep-sort: reads keys, sorts them with what belongs to them, writes all of it.
#include <algorithm>
#include <string_view>

#include "compression.hpp"
#include "json_file.hpp"
#include "key_run.hpp"
#include "many_files.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "schemas.hpp"
#include "slices_run.hpp"
#include "sort_config.hpp"
#include "table_run.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Sorts keys, stably: numbers of 8 to 64 bits from a one-dimensional .npy file, from raw bytes or from text.\n"
    "With --by, sorts whole records of PLY, CSV, .npy and .npz files (also in .gz and .zst) by their properties.\n\n"
    "Examples:\n"
    "  seq 1000 | shuf | upsweep-sort --text\n"
    "  upsweep-sort --input keys.npy --output sorted.npy\n"
    "  upsweep-sort --input keys.npy --output order.npy --argsort --descending\n"
    "  upsweep-sort --input depth.npy --output sorted.npy --payload ids.npy --payload-output sorted_ids.npy --verify\n"
    "  upsweep-sort --input cells.npy --output sorted.npy --runs runs.npy --payload position.npy \\\n"
    "    --payload-output sorted_position.npy --payload speed.npy --payload-output sorted_speed.npy\n"
    "  upsweep-sort --input scan.csv --output sorted.csv --by time,id:descending\n"
    "  upsweep-sort --input splats.ply --output largest.ply --by opacity --descending --top 100000\n"
    "  upsweep-sort --input day*.csv --output sorted --by time\n"
    "  upsweep-sort --text --whole-lines --field 4 --delimiter , <log.csv\n"
    "  upsweep-sort --type u32 --input huge.bin --output sorted.bin --gpu-memory 2GiB\n"
    "  upsweep-sort --type u32 --begin-bit 8 --end-bit 24 --input keys.bin --output sorted.bin\n"
    "  upsweep-sort --input keys.npy --output sorted.npy --gpus all\n"
    "  mpirun -n 2 upsweep-sort --input keys.npy --output sorted.npy\n"
    "  upsweep-sort --config configs/variants/blelloch.json --input keys.npy --output sorted.npy --device sim\n\n"
    "The columns of an .npy file of floats (n, k) are x y z vx vy vz lifetime id column8 ..., unless a config names "
    "them.\n"
    "Floats: -0.0 equals +0.0. Without --missing, NaNs are ordered by their bits, beyond the infinity of their sign.\n"
    "Bits are those of a key's code, an unsigned number with the order of the keys. The code of an unsigned key is the "
    "key.\n"
    "The code of a signed key or a float has the highest bit flipped, that of a negative float all bits. With "
    "--descending\n"
    "all bits of the code are flipped. In either order the code of -0.0 and +0.0 is the highest bit alone, as in CUB.\n"
    "Data too large for the GPU go through it in pieces; data too large for the host are kept in unnamed files in "
    "$TMPDIR.\n"
    "A payload is an .npy file of any element type with a row for each key.\n"
    "Runs: row r of the .npy file, of shape (runs, 2) and type u64, has begin and end of run r: the sorted keys from "
    "begin to\n"
    "end - 1 are equal in the bits that are compared.\n"
    "Exit status: 0 done, 1 not verified, 2 usage or config, 3 bad input, 4 cannot write, 5 GPU, 130 interrupted.\n";

/// How names of files with keys end.
const char* ending_of(const sort_config& config) {
  if (sorts_records(config)) return config.argsort ? ".npy" : "";
  switch (format_of(config)) {
    case key_format::npy:
      return ".npy";
    case key_format::text:
      return ".txt";
    case key_format::raw:
      break;
  }
  return ".bin";
}

/// A table has no order before a property is named.
void check_names_property(const sort_config& config, const command_line& line) {
  if (sorts_records(config) || format_of(config) != key_format::npy) return;
  for (const std::string& input : config.inputs) {
    const std::string_view name = without_compression(input);
    if (!name.ends_with(".ply") && !name.ends_with(".csv") && !name.ends_with(".tsv")) continue;
    fail(exit_code::usage, "{}: {} has rows; expected --by PROPERTY too, which says what they are sorted by",
         line.origin("/input"), input);
  }
}

exit_code sort_one(const sort_config& config, const command_line& line, ordered_json& report) {
  if (sorts_records(config)) return sort_records(config, line, report);
  return sort_keys(config, line, report);
}

void check_files_of(const sort_config& config, const command_line& line) {
  if (config.payload_outputs.empty() && config.runs.empty()) require_path(config.common.output, "--output", "/output");
  std::vector<named_file> inputs = {{config.common.input, line.origin("/input")}, {line.config_path(), "--config"}};
  std::vector<named_output> outputs = {{config.common.output, line.origin("/output"), ending_of(config), 0},
                                       {config.runs, line.origin("/runs"), ".npy"},
                                       {config.common.report, line.origin("/report"), ".json"}};
  for (std::size_t i = 0; i < config.payloads.size(); ++i) {
    outputs.push_back({config.payload_outputs[i], line.origin("/payload_output"), ".npy", inputs.size()});
    inputs.push_back({config.payloads[i], line.origin("/payload")});
  }
  check_files(inputs, outputs);
}

exit_code sort_file(const sort_config& config, const command_line& line) {
  check_files_of(config, line);
  report_file report(config.common.report);
  ordered_json document;
  const exit_code code = sort_one(config, line, document);
  report.write(document);
  return code;
}

exit_code sort_files(const sort_config& config, const command_line& line) {
  const std::vector<std::string> outputs =
      outputs_in_folder(config.inputs, config.common.output, line,
                        {{config.common.report, line.origin("/report"), ".json"}}, config.argsort ? ".npy" : "");
  report_file report(config.common.report);
  ordered_json documents = ordered_json::array();
  const auto sort = [&](std::size_t i) {
    sort_config one = config;
    one.common.input = config.inputs[i];
    one.common.output = outputs[i];
    ordered_json document;
    const exit_code code = sort_one(one, line, document);
    documents.push_back(document);
    return code;
  };
  const exit_code worst = for_each_file("upsweep-sort", config.inputs, sort, [] { return " sorted"; });
  report.write(documents);
  return worst;
}

exit_code sort_main(int argc, const char* const* argv, process_ranks& ranks) {
  command_line line("upsweep-sort", about, sort_schema);
  add_sort_options(line);
  sort_config config;
  bool is_done = false;
  ranks.together([&] {
    is_done = !line.parse(argc, argv);
    if (is_done) return;
    config = sort_config_from(line);
    is_done = line.print_config();
    if (is_done) return print_config(to_json(config));
    if (config.common.quiet) be_quiet();
    require_path(config.common.input, "--input", "/input");
    check_names_property(config, line);
    if (ranks.ranks() > 1) check_files_of(config, line);
  });
  if (is_done) return exit_code::ok;
  if (ranks.ranks() > 1) return sort_slices(config, line, ranks);
  return config.inputs.size() > 1 ? sort_files(config, line) : sort_file(config, line);
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program_as_ranks("upsweep-sort",
                                             [&](auto& ranks) { return upsweep::apps::sort_main(argc, argv, ranks); });
}
