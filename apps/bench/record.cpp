#include "record.hpp"

#include <algorithm>
#include <iterator>

#include "figures.hpp"
#include "schemas.hpp"
#include "statistics.hpp"

namespace upsweep::apps {
namespace {

ordered_json to_json(const timing& side, const bench_row& row, const bench_record& record) {
  ordered_json document;
  document["name"] = side.name;
  document["samples"] = side.samples;
  if (const std::optional<timing_figures> figures = figures_of(side, row, record)) {
    document["median_ms"] = side.ms.median;
    document["low_ms"] = side.ms.low;
    document["high_ms"] = side.ms.high;
    document["items_per_s"] = figures->items_per_s;
    document["gb_per_s"] = figures->gb_per_s;
    if (figures->share_of_copy) document["share_of_copy"] = *figures->share_of_copy;
  }
  if (side.clock_mhz > 0) document["clock_mhz"] = side.clock_mhz;
  if (side.bytes > 0) document["bytes"] = side.bytes;
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
  timing side;
  if (document.contains("samples_ms")) {
    side = timing_of_samples(document["name"], document["samples_ms"].get<std::vector<double>>());
  } else {
    const std::int64_t samples = document.value("samples", std::int64_t{0});
    const auto figure = [&](const char* key) { return document.value(key, 0.0); };
    side = {document["name"], {figure("median_ms"), figure("low_ms"), figure("high_ms")}, samples};
  }
  side.clock_mhz = document.value("clock_mhz", 0.0);
  side.bytes = document.value("bytes", std::uint64_t{0});
  return side;
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

bool has_median_inside(const interval& value) {
  return value.low <= value.median && value.median <= value.high;
}

/// What the schema cannot say of a side: what must come together.
schema_violation mismatch_of_side(const json& document, const timing& side) {
  if (document.contains("samples_ms")) return {};
  if (!document.contains("samples")) return {"/samples", "got nothing; expected how many were taken"};
  for (const std::string key : {"median_ms", "low_ms", "high_ms"}) {
    if (side.samples > 0 && !document.contains(key)) {
      return {"/" + key, "got nothing; expected a number above 0, as there are samples"};
    }
  }
  if (has_median_inside(side.ms)) return {};
  return {"/median_ms", "got " + interval_text(side.ms) + "; expected a median inside of its interval"};
}

/// The same of a row.
schema_violation mismatch_of(const json& document, const bench_row& row) {
  for (const char* key : {"subject", "reference_timing"}) {
    if (!document.contains(key)) continue;
    const timing& side = key == std::string("subject") ? row.subject : *row.reference_timing;
    const schema_violation mismatch = mismatch_of_side(document[key], side);
    if (!mismatch.what.empty()) return {"/" + (key + mismatch.pointer), mismatch.what};
  }
  if (row.reference_timing && row.reference.empty()) {
    return {"/reference", "got nothing; expected a name, as there is a reference_timing"};
  }
  if (!row.reference.empty() && !row.reference_timing) {
    return {"/reference_timing", "got nothing; expected an object, as there is a reference"};
  }
  if (row.speedup && !row.reference_timing) return {"/speedup", "given without a reference; expected both or none"};
  if (row.speedup && !has_median_inside(*row.speedup)) {
    return {"/speedup", "got " + interval_text(*row.speedup) + "; expected a median inside of its interval"};
  }
  return {};
}

}  // namespace

ordered_json to_json(const interval& value) {
  return {{"median", value.median}, {"low", value.low}, {"high", value.high}};
}

std::string reference_version(const bench_record& record, const std::string& reference) {
  if (!std::ranges::count(versioned_references, reference)) return "";
  const auto found = record.versions.find(reference);
  return found != record.versions.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string versioned_text(const bench_record& record, const std::string& reference) {
  const std::string version = reference_version(record, reference);
  if (version.empty() || !std::ranges::count(record.rows, reference, &bench_row::reference)) return "";
  return (reference == "cub" ? "CUB " : "Thrust ") + version;
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
  document["format"] = 2;
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
  constexpr auto replace = ordered_json::error_handler_t::replace;  // of names of files, which may be any bytes
  std::string text = document.dump(1, ' ', false, replace);
  text.resize(text.rfind('\n'));
  text += ",\n \"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + rows[i].dump(-1, ' ', false, replace);
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
    const schema_violation mismatch = mismatch_of(row, record.rows.back());
    if (mismatch.what.empty()) continue;
    fail(exit_code::bad_input, "{}: /rows/{}{}: {}", name, record.rows.size() - 1, mismatch.pointer, mismatch.what);
  }
  return record;
}

bench_record read_record(const std::string& path) {
  return record_from(path == "-" ? "standard input" : path, read_json(path, exit_code::bad_input));
}

}  // namespace upsweep::apps
