#include "sort_config.hpp"
#include "json_file.hpp"

namespace upsweep::apps {
namespace {

void check_payloads(const sort_config& config, const command_line& line) {
  const std::size_t from = config.payloads.size(), to = config.payload_outputs.size();
  if (config.argsort && from > 0) {
    fail(exit_code::usage, "{}: given with a payload; expected one of the two, as the permutation is a payload itself",
         line.origin("/argsort"));
  }
  if (config.argsort && config.common.output.empty()) {
    fail(exit_code::usage, "{}: given without a place to go; expected --output too", line.origin("/argsort"));
  }
  if (from == 0 && to > 0) {
    fail(exit_code::usage, "{}: given without a payload; expected --payload too", line.origin("/payload_output"));
  }
  if (from > 0 && to == 0) {
    fail(exit_code::usage, "{}: given without a place to go; expected --payload-output too", line.origin("/payload"));
  }
  if (from != to) {
    fail(exit_code::usage, "{}: got {} times, and --payload {} times; expected one for each payload, in their order",
         line.origin("/payload_output"), to, from);
  }
}

/// "x,y:descending" in its parts. A name may have commas where an array has it alone.
std::vector<sort_by> by_from(const json& by) {
  std::vector<std::string> words;
  if (by.is_array()) {
    words = names_of(by);
  } else {
    std::string rest = by.get<std::string>();
    for (std::size_t comma; (comma = rest.find(',')) != rest.npos; rest.erase(0, comma + 1)) {
      words.push_back(rest.substr(0, comma));
    }
    words.push_back(rest);
  }
  std::vector<sort_by> all;
  for (std::string& word : words) {
    sort_by one;
    for (const bool descending : {true, false}) {
      const std::string_view ending = descending ? ":descending" : ":ascending";
      if (!word.ends_with(ending)) continue;
      word.resize(word.size() - ending.size());
      one.descending = descending;
    }
    one.property = word;
    all.push_back(std::move(one));
  }
  return all;
}

/// What belongs to keys alone does not go with records, and the other way around.
void check_records(const sort_config& config, const json& document, const command_line& line) {
  const bool are_records = !config.by.empty() || config.whole_lines;
  if (config.whole_lines && !config.by.empty()) {
    fail(exit_code::usage, "{}: given with --whole-lines; expected --field there", line.origin("/by"));
  }
  if (config.whole_lines && !config.text) {
    fail(exit_code::usage, "{}: given without --text; expected both", line.origin("/whole_lines"));
  }
  for (const sort_by& by : config.by) {
    if (by.property.empty()) {
      fail(exit_code::usage, "{}: got an empty name; expected PROPERTY or PROPERTY:descending, and commas",
           line.origin("/by"));
    }
  }
  if (document.contains("field") && !config.whole_lines) {
    fail(exit_code::usage, "{}: given without --whole-lines; expected both", line.origin("/field"));
  }
  if (document.contains("delimiter") && !are_records) {
    fail(exit_code::usage, "{}: given for keys alone; expected --by or --whole-lines too", line.origin("/delimiter"));
  }
  if (document.contains("columns") && config.by.empty()) {
    fail(exit_code::usage, "{}: given without --by; expected both", line.origin("/columns"));
  }
  if (!config.types.empty() && config.by.empty()) {
    fail(exit_code::usage, "{}: given without --by; expected both", line.origin("/column_types"));
  }
  for (const char* key : {"payload", "payload_output", "runs", "type", "begin_bit", "end_bit"}) {
    if (are_records && document.contains(key)) {
      fail(exit_code::usage, "{}: given for whole records; expected keys alone, without --by and --whole-lines",
           line.origin(pointer_step("", key)));
    }
  }
  if (config.text && !config.by.empty()) {
    fail(exit_code::usage, "{}: given with --by; expected one of the two", line.origin("/text"));
  }
  if (config.top && !config.runs.empty()) {
    fail(exit_code::usage, "{}: given with runs, which are those of all keys; expected one of the two",
         line.origin("/top"));
  }
}

/// Of several files each has one output.
void check_inputs(const sort_config& config, const command_line& line) {
  if (config.inputs.size() < 2 || (config.payloads.empty() && config.runs.empty())) return;
  fail(exit_code::usage, "{}: got several files, and {} too; expected one file", line.origin("/input"),
       config.payloads.empty() ? "runs to write" : "payloads");
}

/// Several GPUs have one method, for keys alone.
void check_gpus(const sort_config& config, const command_line& line) {
  if (config.gpus.empty()) return;
  if (!config.by.empty() || config.whole_lines) {
    fail(exit_code::usage, "{}: given for whole records; expected keys alone, without --by and --whole-lines",
         line.origin("/gpus"));
  }
  if (config.method != sort_method::default_sort || config.common.scan != scan_variant{}) {
    fail(exit_code::usage, "{}: given with a method or a scan; expected neither", line.origin("/gpus"));
  }
  if (config.common.gpu_memory > 0) {
    fail(exit_code::usage, "{}: given with {}; expected one of the two, as several GPUs hold all keys at once",
         line.origin("/gpus"), line.origin("/gpu_memory"));
  }
  if (config.common.device.starts_with("cuda:")) {
    fail(exit_code::usage, "{}: got {} with --gpus; expected cuda, auto or sim", line.origin("/device"),
         config.common.device);
  }
}

}  // namespace

std::string text_of(const sort_by& by) {
  return by.descending ? by.property + (*by.descending ? ":descending" : ":ascending") : by.property;
}

void add_sort_options(command_line& line) {
  line.add_common(true);
  line.add_text("--method NAME", "/method",
                "default, onesweep, upsweep_downsweep (with the scan that is named), single_block or cluster");
  line.add_switch("--descending", "/descending", "The largest key first; equal keys keep their order");
  line.add_integer("--begin-bit BIT", "/begin_bit", "The lowest bit of a key's code that is compared (default: 0)");
  line.add_integer("--end-bit BIT", "/end_bit",
                   "The bit after the highest one that is compared (default: the width of the keys)");
  add_missing(line, "/missing");
  line.add_switch("--argsort", "/argsort", "Write the sorting permutation (u32), not the keys");
  line.add_list("--payload FILE.npy", "/payload", "A row for each key, moved with the keys; up to 8 times");
  line.add_list("--payload-output FILE.npy", "/payload_output",
                "Where the moved payload is written; once for each payload");
  line.add_text(
      "--by PROPERTY[,...]", "/by",
      "Sort whole records of a PLY, CSV, .npy or .npz file: x,id:descending sorts by x, then the largest id first");
  line.add_integer("--top K", "/top", "Write only the first K of the result; of 0, a file without any");
  line.add_switch("--whole-lines", "/whole_lines", "With --text: sort whole lines by a number in them");
  line.add_integer("--field N", "/field",
                   "With --whole-lines: the number is in this field, from 1 (default: the whole line is the number)");
  line.add_text(
      "--delimiter CHARACTER", "/delimiter",
      "The separator of fields: one character, or tab (default: of CSV, found in the first line; of lines, blanks)");
  add_column_types(line);
  line.add_text("--runs FILE.npy", "/runs",
                "Also write begin and end (u64) of every run of equal keys, a row for each run");
  line.add_text("--gpus N|all", "/gpus", "Sort on this many GPUs together; with --device sim, on ranks of the sim");
  line.add_switch("--text", "/text", "Keys are text, one number per line; reads and writes pipes if no file is named");
  line.add_text("--type TYPE", "/type",
                "i8, u8, .. f64, f16, bf16: keys are raw numbers of that type; with --text the default is i64");
}

sort_config sort_config_from(const command_line& line) {
  const json& document = line.document();
  sort_config config;
  config.common = common_config_from(document, line);
  if (document.contains("input")) config.inputs = names_of(document["input"]);
  // The schema has checked the names.
  if (document.contains("method")) config.method = sort_method_named(document["method"].get<std::string>()).value();
  check_has_scan(has_scan(config.method), name_of(config.method), config.common.scan, line);
  if (document.contains("type")) config.type = scalar_type_named(document["type"].get<std::string>()).value();
  config.descending = document.value("descending", config.descending);
  config.argsort = document.value("argsort", config.argsort);
  config.text = document.value("text", config.text);
  config.bits.begin = document.value("begin_bit", config.bits.begin);
  config.bits.end = document.value("end_bit", config.bits.end);
  if (document.contains("payload")) config.payloads = names_of(document["payload"]);
  if (document.contains("payload_output")) config.payload_outputs = names_of(document["payload_output"]);
  config.missing = missing_from(document);
  if (config.missing != nan_order::by_bits) {
    if (document.contains("begin_bit") || document.contains("end_bit")) {
      fail(exit_code::usage, "{}: given with some bits of the keys; expected one of the two", line.origin("/missing"));
    }
  }
  config.runs = document.value("runs", config.runs);
  config.gpus = document.value("gpus", config.gpus);
  if (config.text) {
    if (config.common.input.empty()) config.common.input = "-";
    const bool writes_nothing = config.common.output.empty() && config.payload_outputs.empty() && config.runs.empty();
    if (writes_nothing) config.common.output = "-";
  }
  if (config.text && (config.type == scalar_type::f16 || config.type == scalar_type::bf16)) {
    fail(exit_code::usage, "{}: got {}; expected an integer or a float of 32 or 64 bits with --text",
         line.origin("/type"), name_of(*config.type));
  }
  if (document.contains("by")) config.by = by_from(document["by"]);
  if (document.contains("top")) config.top = document["top"].get<std::int64_t>();
  config.whole_lines = document.value("whole_lines", config.whole_lines);
  config.field = document.value("field", config.field);
  config.delimiter = delimiter_from(document);
  config.types = column_types_from(document, line);
  config.npy_columns = npy_columns_from(document, line);
  check_records(config, document, line);
  check_payloads(config, line);
  check_gpus(config, line);
  check_inputs(config, line);
  return config;
}

ordered_json to_json(const sort_config& config) {
  ordered_json document;
  put_common(document, config.common);
  if (config.inputs.size() > 1) document["input"] = config.inputs;
  document["method"] = name_of(config.method);
  document["descending"] = config.descending;
  const bool compares_bits = config.missing == nan_order::by_bits && config.by.empty() && !config.whole_lines;
  put_missing(document, config.missing);
  if (compares_bits) document["begin_bit"] = config.bits.begin;
  if (config.bits.end != bit_range::full_width) document["end_bit"] = config.bits.end;
  document["argsort"] = config.argsort;
  if (!config.payloads.empty()) document["payload"] = config.payloads;
  if (!config.payload_outputs.empty()) document["payload_output"] = config.payload_outputs;
  if (!config.runs.empty()) document["runs"] = config.runs;
  if (!config.gpus.empty()) document["gpus"] = config.gpus;
  if (!config.by.empty()) {
    document["by"] = ordered_json::array();
    for (const sort_by& by : config.by) document["by"].push_back(text_of(by));
  }
  if (config.top) document["top"] = *config.top;
  if (config.whole_lines) document["whole_lines"] = true;
  if (config.field > 0) document["field"] = config.field;
  put_delimiter(document, config.delimiter);
  put_column_types(document, config.types);
  if (config.npy_columns != usual_npy_columns()) document["columns"] = {{"npy", config.npy_columns}};
  document["text"] = config.text;
  if (config.type) document["type"] = name_of(*config.type);
  return document;
}

key_format format_of(const sort_config& config) {
  return config.text ? key_format::text : config.type ? key_format::raw : key_format::npy;
}

}  // namespace upsweep::apps
