#include <fmt/format.h>

#include <utility>

#include "figures.hpp"
#include "tables.hpp"

namespace upsweep::apps {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

/// The names and values of one line.
class csv_fields {
 public:
  void put(const std::string& name, const std::string& value) {
    names_.push_back(name);
    values_.push_back(quoted(value));
  }

  void put_side(const std::string& prefix, const timing& side, const bench_row& row, const bench_record& record) {
    const std::optional<timing_figures> figures = figures_of(side, row, record);
    const auto figure = [&](double timing_figures::*member) { return figures ? number((*figures).*member) : ""; };
    put(prefix, side.name);
    put(prefix + "_ms", figure(&timing_figures::median_ms));
    put(prefix + "_items_per_s", figure(&timing_figures::items_per_s));
    put(prefix + "_gb_per_s", figure(&timing_figures::gb_per_s));
    put(prefix + "_share_of_copy", figures ? number(figures->share_of_copy) : "");
    put(prefix + "_clock_mhz", side.clock_mhz > 0 ? number(side.clock_mhz) : "");
    put(prefix + "_samples", fmt::format("{}", side.samples));
  }

  std::string names() const { return fmt::format("{}\r\n", fmt::join(names_, ",")); }
  std::string values() const { return fmt::format("{}\r\n", fmt::join(values_, ",")); }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> values_;
};

csv_fields fields_of(const bench_row& row, const bench_record& record) {
  csv_fields line;
  line.put("device", record.device.name);
  line.put("backend", record.device.backend);
  line.put("operation", std::string(operation_names[static_cast<int>(row.what)]));
  line.put("n", fmt::format("{}", row.n));
  line.put("type", std::string(name_of(row.type)));
  line.put("value_type", row.value_type ? std::string(name_of(*row.value_type)) : "");
  line.put("distribution", row.distribution);
  line.put("kept", number(row.kept));
  line.put("mode", std::string(timing_mode_names[static_cast<int>(row.mode)]));
  line.put("bytes", fmt::format("{}", row.bytes));
  line.put_side("subject", row.subject, row, record);
  line.put("reference_kind", row.reference);
  line.put_side("reference", row.reference_timing.value_or(timing{}), row, record);
  line.put("speedup", row.speedup ? number(row.speedup->median) : "");
  line.put("speedup_low", row.speedup ? number(row.speedup->low) : "");
  line.put("speedup_high", row.speedup ? number(row.speedup->high) : "");
  line.put("noise", number(row.noise));
  line.put("discarded", fmt::format("{}", row.discarded));
  line.put("stable", row.stable ? "true" : "false");
  line.put("verified", row.verified ? "true" : "false");
  line.put("passes", row.cost ? number(row.cost->passes) : "");
  line.put("work_per_item", row.cost ? number(row.cost->work_per_item) : "");
  line.put("bytes_per_item", row.cost ? number(row.cost->bytes_per_item) : "");
  line.put("reference_version", reference_version(record, row.reference));
  return line;
}

}  // namespace

std::string csv_text(const bench_record& record) {
  std::string text = fields_of({}, record).names();
  for (const bench_row& row : record.rows) text += fields_of(row, record).values();
  return text;
}

}  // namespace upsweep::apps
