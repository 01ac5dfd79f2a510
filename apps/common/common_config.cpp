#include "common_config.hpp"

#include <algorithm>
#include <set>

#include "json_file.hpp"
#include "npy.hpp"
#include "text.hpp"

#include "upsweep/scan/runtime.hpp"

namespace upsweep::apps {
namespace {

/// The schema has checked the names; one that the library does not know is an error of the schema. A block or a tile
/// alone is one of decoupled_lookback.
scan_variant scan_from(const json& scan, const command_line& line) {
  scan_variant v;
  if (!scan.empty()) v.strategy = scan_strategy::decoupled_lookback;
  if (scan.contains("strategy")) v.strategy = scan_strategy_named(scan["strategy"].get<std::string>()).value();
  if (scan.contains("block")) v.block = block_algorithm_named(scan["block"].get<std::string>()).value();
  v.block_threads = scan.value("block_threads", v.block_threads);
  v.items_per_thread = scan.value("items_per_thread", v.items_per_thread);
  for (const char* part : {"block", "block_threads", "items_per_thread"}) {
    if (has_tiles(v.strategy) || !scan.contains(part)) continue;
    fail(exit_code::usage, "{}: given for {}, which has no tiles; expected none, or another strategy",
         line.origin(pointer_step("/scan", part)), name_of(v.strategy));
  }
  const std::string why = runtime::why_not_supported(v);
  if (!why.empty()) fail(exit_code::usage, "{}: {}", line.origin("/scan"), why);
  return v;
}

}  // namespace

common_config common_config_from(const json& document, const command_line& line) {
  common_config config;
  // Of several inputs, the program makes a config each.
  if (document.contains("input")) config.input = names_of(document["input"]).front();
  config.output = document.value("output", config.output);
  config.device = document.value("device", config.device);
  config.verify = document.value("verify", config.verify);
  config.quiet = document.value("quiet", config.quiet);
  config.report = document.value("report", config.report);
  // The schema has checked the text, but for its size.
  if (document.contains("gpu_memory")) {
    const std::string text = document["gpu_memory"].get<std::string>();
    const auto bytes = bytes_of(text);
    if (!bytes || *bytes == 0) {
      fail(exit_code::usage, "{}: got {}; expected bytes, as 2GiB or 500MB", line.origin("/gpu_memory"), text);
    }
    config.gpu_memory = *bytes;
  }
  config.scan = scan_from(document.value("scan", json::object()), line);
  return config;
}

char delimiter_from(const json& document) {
  const std::string text = document.value("delimiter", "");
  return text == "tab" ? '\t' : text.empty() ? '\0' : text[0];
}

void put_delimiter(ordered_json& document, char delimiter) {
  if (delimiter != '\0') document["delimiter"] = delimiter == '\t' ? "tab" : std::string(1, delimiter);
}

void add_column_types(command_line& line) {
  line.add_text("--column-types COLUMN:TYPE[,...]", "/column_types",
                "Types of CSV columns, such as x:f32,t:date (default: date, i64, u64 or f64, the first that holds all "
                "of a column)");
}

column_types column_types_from(const json& document, const command_line& line) {
  column_types types;
  if (!document.contains("column_types")) return types;
  const json& given = document["column_types"];
  const auto add = [&](const std::string& name, std::string_view word) {
    const bool is_date = word == "date";
    const auto type = is_date ? scalar_type::i64 : scalar_type_named(word);
    if (!type || *type == scalar_type::f16 || *type == scalar_type::bf16) {
      fail(exit_code::usage, "{}: got \"{}\" for {}; expected i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 or date",
           line.origin("/column_types"), word, name);
    }
    if (!types.emplace(name, column_type{*type, is_date}).second) {
      fail(exit_code::usage, "{}: given with {} twice; expected each column once", line.origin("/column_types"), name);
    }
  };
  if (given.is_object()) {
    for (const auto& [name, word] : given.items()) add(name, word.get<std::string>());
    return types;
  }
  const std::string text = given.get<std::string>();
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::size_t colon = word.rfind(':');
    if (colon == word.npos || colon == 0) {
      fail(exit_code::usage, "{}: got \"{}\"; expected COLUMN:TYPE, and commas", line.origin("/column_types"), word);
    }
    add(word.substr(0, colon), std::string_view(word).substr(colon + 1));
  }
  return types;
}

void put_column_types(ordered_json& document, const column_types& types) {
  for (const auto& [name, type] : types) document["column_types"][name] = type.is_date ? "date" : name_of(type.type);
}

void add_missing(command_line& line, const std::string& pointer) {
  line.add_text("--missing WHERE", pointer,
                "first or last: where NaN and NaT go, ascending or descending (default: NaN by its bits, NaT as the "
                "least)");
}

std::vector<std::string> npy_columns_from(const json& document, const command_line& line) {
  const auto names = document.value("columns", json::object()).value("npy", usual_npy_columns());
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
    fail(exit_code::usage, "{}: a name is given twice; expected an array of names, no two alike",
         line.origin("/columns/npy"));
  }
  return names;
}

nan_order missing_from(const json& document) {
  if (!document.contains("missing")) return nan_order::by_bits;
  return document["missing"] == "first" ? nan_order::first : nan_order::last;
}

void put_missing(ordered_json& document, nan_order missing) {
  if (missing != nan_order::by_bits) document["missing"] = missing == nan_order::first ? "first" : "last";
}

void put_common(ordered_json& document, const common_config& config) {
  if (!config.input.empty()) document["input"] = config.input;
  if (!config.output.empty()) document["output"] = config.output;
  document["device"] = config.device;
  document["verify"] = config.verify;
  if (config.quiet) document["quiet"] = true;
  if (!config.report.empty()) document["report"] = config.report;
  if (config.gpu_memory > 0) document["gpu_memory"] = fmt::format("{}B", config.gpu_memory);
  document["scan"] = to_json(config.scan);
}

ordered_json to_json(const scan_variant& v) {
  ordered_json scan;
  scan["strategy"] = name_of(v.strategy);
  if (!has_tiles(v.strategy)) return scan;
  scan["block"] = name_of(v.block);
  scan["block_threads"] = v.block_threads;
  scan["items_per_thread"] = v.items_per_thread;
  return scan;
}

std::string variant_text(const scan_variant& v) {
  if (!has_tiles(v.strategy)) return std::string(name_of(v.strategy));
  return fmt::format("{} {} {} x {}", name_of(v.strategy), name_of(v.block), v.block_threads, v.items_per_thread);
}

void require_path(const std::string& file, const std::string& flag, const std::string& pointer) {
  if (file.empty()) {
    fail(exit_code::usage, "{} is missing; expected a file name (or \"{}\" in the config)", flag, pointer);
  }
}

void check_has_scan(bool has_scan, std::string_view method, const scan_variant& v, const command_line& line) {
  if (has_scan || v == scan_variant{}) return;
  fail(exit_code::usage, "{}: {} has no scan; expected no scan, or another method", line.origin("/scan"), method);
}

compact_method_with_scan compact_method_from(const json& document, const scan_variant& scan, bool needs_order,
                                             const command_line& line) {
  if (!document.contains("method")) {
    return needs_order ? compact_method_with_scan(scan) : compact_method_with_scan(compact_method::hole_filling, scan);
  }
  const compact_method_with_scan method(compact_method_named(document["method"].get<std::string>()).value(), scan);
  if (needs_order && !is_stable(method.method)) {
    fail(exit_code::usage, "{}: {} does not keep the order; expected \"order\": \"any\", or another method",
         line.origin("/method"), name_of(method.method));
  }
  check_has_scan(has_scan(method.method), name_of(method.method), scan, line);
  return method;
}

void check_runs_on(const scan_variant& v, runtime::backend where, const command_line& line) {
  if (!UPSWEEP_HAS_ALL_SCANS && v != scan_variant{}) {
    fail(exit_code::usage,
         "{}: this program was built with the default scan only; ./run build upsweep-cull upsweep-sort builds it with "
         "all",
         line.origin("/scan"));
  }
  if (runtime::runs_on(v, where)) return;
  fail(exit_code::usage, "{}: the scan strategy serial is a loop on the CPU; expected --device sim or another strategy",
       line.origin("/scan/strategy"));
}

void check_runs_on(const scan_variant& v, const device_session& device, const command_line& line) {
  const json tuned = line.document().value("tuned", json::object());
  if (tuned.value("architecture", device.architecture()) != device.architecture()) {
    fail(exit_code::usage, "{}: got {}, and the device is {}; expected a config that upsweep-bench tune made there",
         line.origin("/tuned/architecture"), tuned["architecture"].get<std::string>(), device.architecture());
  }
  check_runs_on(v, device.where(), line);
  if (device.runs(v)) return;
  fail(
      exit_code::usage,
      "{}: the scan strategy {} needs a GPU of sm_90 or later, and kernels compiled for one; expected another strategy",
      line.origin("/scan/strategy"), name_of(v.strategy));
}

void check_takes(const scan_variant& v, std::int64_t most, std::int64_t count, const command_line& line) {
  if (count <= most) return;
  fail(exit_code::usage, "{}: the scan strategy {} takes {} elements here, but got {}; expected another strategy",
       line.origin("/scan/strategy"), name_of(v.strategy), most, count);
}

}  // namespace upsweep::apps
