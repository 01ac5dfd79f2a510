#include "figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "text.hpp"

namespace upsweep::apps {

const char* const sim_banner =
    "SIM: measured on the simulator; all times are this machine's CPU's and say nothing about a GPU";

bool on_sim(const bench_record& record) {
  return record.device.backend == "sim";
}

std::optional<timing_figures> figures_of(const timing& side, const bench_row& row, const bench_record& record) {
  if (side.samples == 0) return std::nullopt;
  timing_figures figures;
  figures.median_ms = side.ms.median;
  figures.items_per_s = static_cast<double>(row.n) / figures.median_ms * 1e3;
  const std::uint64_t bytes = side.bytes > 0 ? side.bytes : row.bytes;
  figures.gb_per_s = static_cast<double>(bytes) / figures.median_ms * 1e-6;
  if (record.copy_gb_per_s && !on_sim(record)) figures.share_of_copy = figures.gb_per_s / *record.copy_gb_per_s;
  return figures;
}

std::string digits_text(double value) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(3 - magnitude, 0, 12));
}

std::string time_text(double ms) {
  if (ms < 1) return digits_text(ms * 1e3) + " us";
  return ms < 1e3 ? digits_text(ms) + " ms" : digits_text(ms / 1e3) + " s";
}

std::string rate_text(double per_second) {
  if (per_second >= 1e9) return digits_text(per_second / 1e9) + " G";
  return per_second >= 1e6 ? digits_text(per_second / 1e6) + " M" : digits_text(per_second / 1e3) + " k";
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string noise_text(double noise) {
  return fmt::format("{:.2f} %", std::abs(noise - 1) * 100);
}

std::string interval_text(const interval& value) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value.median, value.low, value.high);
}

std::string count_text(std::int64_t n) {
  const auto count = static_cast<std::uint64_t>(n);
  return std::has_single_bit(count) ? fmt::format("2^{}", std::countr_zero(count)) : with_commas(count);
}

std::string types_text(const bench_row& row) {
  std::string text(name_of(row.type));
  if (row.value_type) text += fmt::format(" + {}", name_of(*row.value_type));
  return text;
}

}  // namespace upsweep::apps
