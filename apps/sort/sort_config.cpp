#include "sort_config.hpp"
#include "json_file.hpp"

namespace upsweep::apps {
namespace {

void check_payloads(const sort_config& config, const command_line& line) {
  const std::size_t from = config.payloads.size(), to = config.payload_outputs.size();
  if (config.argsort && from > 0) {
    fail(exit_code::usage, "{}: came with a payload; expected one of the two, as the permutation is a payload itself",
         line.origin("/argsort"));
  }
  if (config.argsort && config.common.output.empty()) {
    fail(exit_code::usage, "{}: came without a place to go; expected --output too", line.origin("/argsort"));
  }
  if (from == 0 && to > 0) {
    fail(exit_code::usage, "{}: came without a payload; expected --payload too", line.origin("/payload_output"));
  }
  if (from > 0 && to == 0) {
    fail(exit_code::usage, "{}: came without a place to go; expected --payload-output too", line.origin("/payload"));
  }
  if (from != to) {
    fail(exit_code::usage, "{}: came {} times, and --payload {} times; expected one for each payload, in their order",
         line.origin("/payload_output"), to, from);
  }
}

}  // namespace

void add_sort_options(command_line& line) {
  line.add_common();
  line.add_text("--method NAME", "/method",
                "default, onesweep, upsweep_downsweep (by the scan that is named), single_block or cluster");
  line.add_switch("--descending", "/descending", "The largest key first; equal keys keep their order");
  line.add_integer("--begin-bit BIT", "/begin_bit", "The lowest bit of a key's code that is compared; 0");
  line.add_integer("--end-bit BIT", "/end_bit",
                   "The bit behind the highest one that is compared; the width of the keys");
  line.add_switch("--argsort", "/argsort", "Write the sorting permutation (u32), not the keys");
  line.add_list("--payload FILE.npy", "/payload", "A row a key, moved with the keys; up to 8 times");
  line.add_list("--payload-output FILE.npy", "/payload_output", "Where the moved payload goes; once for each");
  line.add_text("--runs FILE.npy", "/runs", "Begin and end (u64) of every run of equal keys, one run a row");
  line.add_switch("--text", "/text", "Keys are text, a number a line; from and to pipes where no file is named");
  line.add_text("--type TYPE", "/type",
                "i8, u8, .. f64, f16, bf16: keys are bare numbers of that type; with --text, else i64");
}

sort_config sort_config_from(const command_line& line) {
  const json& document = line.document();
  sort_config config;
  config.common = common_config_from(document, line);
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
  config.runs = document.value("runs", config.runs);
  if (config.text) {
    if (config.common.input.empty()) config.common.input = "-";
    const bool writes_nothing = config.common.output.empty() && config.payload_outputs.empty() && config.runs.empty();
    if (writes_nothing) config.common.output = "-";
  }
  if (config.text && (config.type == scalar_type::f16 || config.type == scalar_type::bf16)) {
    fail(exit_code::usage, "{}: came {}; expected an integer or a float of 32 or 64 bits with --text",
         line.origin("/type"), name_of(*config.type));
  }
  check_payloads(config, line);
  return config;
}

ordered_json to_json(const sort_config& config) {
  ordered_json document;
  put_common(document, config.common);
  document["method"] = name_of(config.method);
  document["descending"] = config.descending;
  document["begin_bit"] = config.bits.begin;
  if (config.bits.end != bit_range::full_width) document["end_bit"] = config.bits.end;
  document["argsort"] = config.argsort;
  if (!config.payloads.empty()) document["payload"] = config.payloads;
  if (!config.payload_outputs.empty()) document["payload_output"] = config.payload_outputs;
  if (!config.runs.empty()) document["runs"] = config.runs;
  document["text"] = config.text;
  if (config.type) document["type"] = name_of(*config.type);
  return document;
}

key_format format_of(const sort_config& config) {
  return config.text ? key_format::text : config.type ? key_format::raw : key_format::npy;
}

}  // namespace upsweep::apps
