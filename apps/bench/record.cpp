#include "record.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "figures.hpp"
#include "schemas.hpp"

namespace upsweep::apps {
namespace {

/// A clock's nanosecond is the finest that a sample can mean.
double rounded(double ms) {
  return std::round(ms * 1e6) / 1e6;
}

ordered_json to_json(timing side, const bench_row& row, const bench_record& record) {
  std::transform(side.samples_ms.begin(), side.samples_ms.end(), side.samples_ms.begin(), rounded);
  ordered_json document;
  document["name"] = side.name;
  if (const std::optional<timing_figures> figures = figures_of(side, row, record)) {
    document["median_ms"] = figures->median_ms;
    document["items_per_s"] = figures->items_per_s;
    document["gb_per_s"] = figures->gb_per_s;
    if (figures->share_of_copy) document["share_of_copy"] = *figures->share_of_copy;
  }
  if (side.clock_mhz > 0) document["clock_mhz"] = side.clock_mhz;
  if (side.bytes > 0) document["bytes"] = side.bytes;
  document["samples_ms"] = side.samples_ms;
  return document;
}

ordered_json to_json(const bench_row& row, const bench_record& record) {
  ordered_json document = input_json(row);
  document["bytes"] = row.bytes;
  document["subject"] = to_json(row.subject, row, record);
  if (!row.reference.empty()) document["reference"] = row.reference;
  if (row.reference_timing) document["reference_timing"] = to_json(*row.reference_timing, row, record);
  if (row.speedup) document["speedup"] = to_json(*row.speedup);
  if (row.noise) document["noise"] = *row.noise;
  document["discarded"] = row.discarded;
  document["stable"] = row.stable;
  document["verified"] = row.verified;
  if (row.cost) {
    document["cost"] = {{"passes", row.cost->passes},
                        {"work_per_item", row.cost->work_per_item},
                        {"bytes_per_item", row.cost->bytes_per_item}};
  }
  return document;
}

ordered_json to_json(const bench_device& device) {
  return {{"name", device.name},
          {"backend", device.backend},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"l2_bytes", device.l2_bytes},
          {"memory_bytes", device.memory_bytes},
          {"max_clock_mhz", device.max_clock_mhz}};
}

// What follows reads documents that are valid by the schema.

template <class Enum, std::size_t Count>
Enum named(const std::string_view (&names)[Count], const json& name) {
  return static_cast<Enum>(std::find(names, names + Count, name.get<std::string>()) - names);
}

template <class T>
std::optional<T> optional_of(const json& document, const char* key) {
  if (!document.contains(key)) return std::nullopt;
  return document[key].get<T>();
}

scalar_type type_of(const json& name) {
  return scalar_type_named(name.get<std::string>()).value();
}

timing timing_of(const json& document) {
  return {document["name"], document["samples_ms"], document.value("clock_mhz", 0.0),
          document.value("bytes", std::uint64_t{0})};
}

bench_row row_of(const json& document) {
  bench_row row;
  row.what = named<operation>(operation_names, document["operation"]);
  row.n = document["n"];
  row.type = type_of(document["type"]);
  if (document.contains("value_type")) row.value_type = type_of(document["value_type"]);
  row.distribution = document["distribution"];
  row.kept = optional_of<double>(document, "kept");
  row.mode = named<timing_mode>(timing_mode_names, document["mode"]);
  row.bytes = document["bytes"];
  row.subject = timing_of(document["subject"]);
  row.reference = document.value("reference", "");
  if (document.contains("reference_timing")) row.reference_timing = timing_of(document["reference_timing"]);
  if (document.contains("speedup")) {
    const json& speedup = document["speedup"];
    row.speedup = interval{speedup["median"], speedup["low"], speedup["high"]};
  }
  row.noise = optional_of<double>(document, "noise");
  row.discarded = document["discarded"];
  row.stable = document["stable"];
  row.verified = document["verified"];
  if (document.contains("cost")) {
    const json& cost = document["cost"];
    row.cost = survey_cost{cost["passes"], cost["work_per_item"], cost["bytes_per_item"]};
  }
  return row;
}

bench_device device_of(const json& document) {
  return {document["name"],     document["backend"],      document["compute_capability"], document["multiprocessors"],
          document["l2_bytes"], document["memory_bytes"], document["max_clock_mhz"]};
}

/// What the schema cannot say: what must come together.
schema_violation mismatch_of(const bench_row& row) {
  if (row.reference_timing && row.reference.empty()) {
    return {"/reference", "nothing came; expected a name, as there is a reference_timing"};
  }
  if (!row.reference.empty() && !row.reference_timing) {
    return {"/reference_timing", "nothing came; expected an object, as there is a reference"};
  }
  if (row.speedup && !row.reference_timing) return {"/speedup", "came without a reference; expected both or none"};
  if (row.speedup && !(row.speedup->low <= row.speedup->median && row.speedup->median <= row.speedup->high)) {
    return {"/speedup", "came " + interval_text(*row.speedup) + "; expected a median inside of its interval"};
  }
  return {};
}

}  // namespace

ordered_json to_json(const interval& value) {
  return {{"median", value.median}, {"low", value.low}, {"high", value.high}};
}

ordered_json input_json(const bench_row& row) {
  ordered_json document;
  document["operation"] = operation_names[static_cast<int>(row.what)];
  document["n"] = row.n;
  document["type"] = name_of(row.type);
  if (row.value_type) document["value_type"] = name_of(*row.value_type);
  document["distribution"] = row.distribution;
  if (row.kept) document["kept"] = *row.kept;
  document["mode"] = timing_mode_names[static_cast<int>(row.mode)];
  return document;
}

ordered_json to_json(const bench_record& record) {
  ordered_json document;
  document["format"] = 1;
  document["program"] = "upsweep-bench";
  document["command"] = record.command;
  document["argv"] = record.argv;
  document["time"] = record.time;
  document["device"] = to_json(record.device);
  document["versions"] = record.versions;
  document["settings"] = record.settings;
  if (record.copy_gb_per_s) {
    document["copy_gb_per_s"] = *record.copy_gb_per_s;
    document["copy_bytes"] = record.copy_bytes;
  }
  document["rows"] = ordered_json::array();
  for (const bench_row& row : record.rows) document["rows"].push_back(to_json(row, record));
  return document;
}

std::string record_text(const bench_record& record) {
  ordered_json document = to_json(record);
  const ordered_json rows = std::move(document["rows"]);
  document.erase("rows");
  std::string text = document.dump(1);
  text.resize(text.rfind('\n'));
  text += ",\n \"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "\n  " : ",\n  ") + rows[i].dump();
  return text + "\n ]\n}\n";
}

bench_record record_from(const std::string& name, const json& document) {
  static const config_schema schema(record_schema);
  schema_violation violation;
  if (!schema.accepts(document, violation))
    fail(exit_code::bad_input, "{}: {}: {}", name, violation.pointer, violation.what);
  bench_record record;
  record.command = document["command"];
  record.argv = document["argv"];
  record.time = document["time"];
  record.device = device_of(document["device"]);
  record.versions = document["versions"];
  record.settings = document["settings"];
  record.copy_gb_per_s = optional_of<double>(document, "copy_gb_per_s");
  record.copy_bytes = document.value("copy_bytes", std::uint64_t{0});
  for (const json& row : document["rows"]) {
    record.rows.push_back(row_of(row));
    const schema_violation mismatch = mismatch_of(record.rows.back());
    if (mismatch.what.empty()) continue;
    fail(exit_code::bad_input, "{}: /rows/{}{}: {}", name, record.rows.size() - 1, mismatch.pointer, mismatch.what);
  }
  return record;
}

bench_record read_record(const std::string& path) {
  return record_from(path == "-" ? "standard input" : path, read_json(path, exit_code::bad_input));
}

}  // namespace upsweep::apps
