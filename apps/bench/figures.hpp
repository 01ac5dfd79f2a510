// What is derived from samples, and how people read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record.hpp"

namespace upsweep::apps {

/// What one side's samples come to.
struct timing_figures {
  double median_ms = 0;
  double items_per_s = 0;
  double gb_per_s = 0;                  ///< of the bytes that the operation must move
  std::optional<double> share_of_copy;  ///< of the rate of a plain copy, 0 to 1; not on the sim, where it says nothing
};

/// Nothing when the side has no samples.
std::optional<timing_figures> figures_of(const timing& side, const bench_row& row, const bench_record& record);

bool on_sim(const bench_record& record);
/// The line to print above anything that was measured on the sim.
extern const char* const sim_banner;

/// Four digits, without an exponent: "0.001234", "12.34", "1234".
std::string digits_text(double value);
/// "12.34 us", "1.234 ms", "2.000 s".
std::string time_text(double ms);
/// "12.34 G", "1.234 M".
std::string rate_text(double per_second);
/// 0.123 as "12.3 %".
std::string percent_text(double share);
/// How far A against A is from 1: 1.003 and 0.997 as "0.30 %".
std::string noise_text(double noise);
/// "1.234 [1.230, 1.240]".
std::string interval_text(const interval& value);
/// "2^20"; "1,000" if it is not a power of two.
std::string count_text(std::int64_t n);
/// "u32", or "u64 + u32" for pairs.
std::string types_text(const bench_row& row);

}  // namespace upsweep::apps
