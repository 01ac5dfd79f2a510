#include "tables.hpp"

#include "figures.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

using enum grid::side;

void put_rates(grid& table, const timing_figures& figures) {
  table.put("time", right, time_text(figures.median_ms));
  table.put("items/s", right, rate_text(figures.items_per_s));
  table.put("GB/s", right, digits_text(figures.gb_per_s));
  table.put("of copy", right, figures.share_of_copy ? percent_text(*figures.share_of_copy) : "");
}

/// "cub 64-bit" of the reference "cub", "thrust: sort" of "thrust".
std::string reference_text(const bench_row& row) {
  const std::string& name = row.reference_timing->name;
  return name.starts_with(row.reference) ? name : row.reference + ": " + name;
}

std::string remarks_of(const bench_row& row) {
  std::vector<std::string> remarks;
  if (!row.verified) remarks.push_back("unverified!");
  if (row.subject.samples == 0) remarks.push_back("no samples");
  if (!row.stable) remarks.push_back("not stable");
  if (row.discarded > 0) remarks.push_back(fmt::format("{} throttled samples dropped", row.discarded));
  return list_text(remarks);
}

void put_row(grid& table, const bench_row& row, const bench_record& record) {
  put_identity(table, row);
  if (const auto figures = figures_of(row.subject, row, record)) put_rates(table, *figures);
  if (row.reference_timing) {
    table.put("reference", left, reference_text(row));
    const auto figures = figures_of(*row.reference_timing, row, record);
    table.put("its time", right, figures ? time_text(figures->median_ms) : "");
  }
  table.put("speedup", right, row.speedup ? interval_text(*row.speedup) : "");
  table.put("noise", right, row.noise ? noise_text(*row.noise) : "");
  if (row.cost) {
    table.put("passes", right, digits_text(row.cost->passes));
    table.put("work/item", right, digits_text(row.cost->work_per_item));
    table.put("bytes/item", right, digits_text(row.cost->bytes_per_item));
  }
  table.put("remarks", left, remarks_of(row));
  table.end_row();
}

grid grid_of(const bench_record& record) {
  grid table;
  for (const bench_row& row : record.rows) put_row(table, row, record);
  return table;
}

/// Where, when and against which version it was measured, in one line.
std::string origin_text(const bench_record& record) {
  std::string text = fmt::format("{} on {}, {}", record.command, record.device.name, record.time);
  for (const char* reference : versioned_references) {
    const std::string versioned = versioned_text(record, reference);
    if (!versioned.empty()) text += "; " + versioned;
  }
  if (record.copy_gb_per_s && !on_sim(record)) {
    text += fmt::format("; a copy of {}: {} GB/s", bytes_text(record.copy_bytes), digits_text(*record.copy_gb_per_s));
  }
  return one_line(text);
}

}  // namespace

void put_identity(grid& table, const bench_row& row) {
  table.put("operation", left, std::string(operation_names[static_cast<int>(row.what)]));
  table.put("n", right, count_text(row.n));
  table.put("type", left, types_text(row));
  table.put("distribution", left, row.distribution);
  table.put("kept", right, row.kept ? percent_text(*row.kept) : "");
  table.put("mode", left, std::string(timing_mode_names[static_cast<int>(row.mode)]));
  table.put("subject", left, row.subject.name);
}

std::string table_text(const bench_record& record) {
  const std::string banner = on_sim(record) ? std::string(sim_banner) + "\n" : "";
  return banner + origin_text(record) + "\n\n" + grid_of(record).aligned();
}

std::string markdown_text(const bench_record& record) {
  const std::string banner = on_sim(record) ? "**" + std::string(sim_banner) + "**\n\n" : "";
  return banner + origin_text(record) + "\n\n" + grid_of(record).markdown();
}

}  // namespace upsweep::apps
