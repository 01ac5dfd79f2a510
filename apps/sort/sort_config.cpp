#include "sort_config.hpp"

namespace upsweep::apps {

void add_sort_options(command_line& line) {
  line.add_common();
  line.add_text("--method", "/method", "default, upsweep_downsweep (by the scan that is named) or onesweep");
  line.add_switch("--descending", "/descending", "The largest key first; equal keys keep their order");
  line.add_switch("--argsort", "/argsort", "Write the sorting permutation (u32), not the keys");
  line.add_text("--payload", "/payload", "FILE.npy: one 32-bit value a key, moved with the keys");
  line.add_text("--payload-output", "/payload_output", "FILE.npy: where the moved payload goes");
}

sort_config sort_config_from(const command_line& line) {
  const json& document = line.document();
  sort_config config;
  config.common = common_config_from(document, line);
  // The schema has checked the name.
  if (document.contains("method")) config.method = sort_method_named(document["method"].get<std::string>()).value();
  config.descending = document.value("descending", config.descending);
  config.argsort = document.value("argsort", config.argsort);
  config.payload = document.value("payload", config.payload);
  config.payload_output = document.value("payload_output", config.payload_output);
  if (config.argsort && !config.payload.empty()) {
    fail(exit_code::usage, "{}: came with a payload; expected one of the two, as the permutation is a payload itself",
         line.origin("/argsort"));
  }
  if (config.payload.empty() && !config.payload_output.empty()) {
    fail(exit_code::usage, "{}: came without a payload; expected --payload too", line.origin("/payload_output"));
  }
  if (!config.payload.empty() && config.payload_output.empty()) {
    fail(exit_code::usage, "{}: came without a place to go; expected --payload-output too", line.origin("/payload"));
  }
  return config;
}

ordered_json to_json(const sort_config& config) {
  ordered_json document;
  put_common(document, config.common);
  document["method"] = name_of(config.method);
  document["descending"] = config.descending;
  document["argsort"] = config.argsort;
  if (!config.payload.empty()) document["payload"] = config.payload;
  if (!config.payload_output.empty()) document["payload_output"] = config.payload_output;
  return document;
}

}  // namespace upsweep::apps
