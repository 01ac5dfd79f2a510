// What upsweep-bench measured: the document that --json writes and that plot and compare read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json_file.hpp"
#include "operation.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::apps {

/// How a sample was taken: one call with a flushed L2, one call without the flush, or many calls in one captured graph.
enum class timing_mode { cold, warm, graph };
inline constexpr std::string_view timing_mode_names[] = {"cold", "warm", "graph"};

/// A median and its confidence interval.
struct interval {
  double median = 0, low = 0, high = 0;
};

/// What one side took.
struct timing {
  std::string name;          ///< "decoupled_lookback/warp_scans/256x16", "cub 64-bit", "copy", ...
  interval ms;               ///< of one call; of no meaning without samples
  std::int64_t samples = 0;  ///< that were taken
  double clock_mhz = 0;      ///< median of the SM clock; 0 where it is not known
  std::uint64_t bytes = 0;   ///< that it must move at least, where that is not what the row says; else 0
};

/// What an algorithm does to n items (docs/how_it_works.md): of the survey.
struct survey_cost {
  double passes = 0;          ///< kernels that touch all items
  double work_per_item = 0;   ///< operator applications
  double bytes_per_item = 0;  ///< global memory read and written
};

/// One line of the table: a subject at one size, against a reference or alone.
struct bench_row {
  operation what = operation::scan;
  std::int64_t n = 0;
  scalar_type type = scalar_type::u32;
  std::optional<scalar_type> value_type;  ///< of a sort of pairs
  std::string distribution;               ///< "uniform", "entropy_3", "random", "clustered", ...
  std::optional<double> kept;             ///< of a compaction: the share of elements kept, 0 to 1
  timing_mode mode = timing_mode::cold;
  std::uint64_t bytes = 0;  ///< the fewest bytes that the operation must read and write

  timing subject;
  std::string reference;                   ///< "cub", "thrust", "copy", "serial", or empty
  std::optional<timing> reference_timing;  ///< exactly when there is a reference
  std::optional<interval> speedup;         ///< reference time over subject time, of neighbouring samples
  std::optional<double> noise;             ///< A against A: what `speedup.median` would be for two equal sides
  std::int64_t discarded = 0;              ///< samples dropped because one of their group was throttled
  bool stable = true;                      ///< false when time was up before the median of ratios was stable
  bool verified = false;                   ///< both sides gave the right result
  std::optional<survey_cost> cost;
};

struct bench_device {
  std::string name;
  std::string backend;  ///< "cuda" or "sim"
  std::string compute_capability;
  std::int64_t multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t max_clock_mhz = 0;
};

/// One run of the program.
struct bench_record {
  std::string command;  ///< one of operation_names, or "survey"
  std::vector<std::string> argv;
  std::string time;  ///< UTC, ISO 8601
  bench_device device;
  ordered_json versions = ordered_json::object();  ///< upsweep, cub, thrust, cuda_runtime, cuda_driver, compiler
  ordered_json settings = ordered_json::object();  ///< the values that the options resulted in
  std::optional<double> copy_gb_per_s;             ///< of a device-to-device copy of `copy_bytes` in this run
  std::uint64_t copy_bytes = 0;
  std::vector<bench_row> rows;
};

ordered_json to_json(const interval& value);

/// The version of the reference "cub" or "thrust" that the rows were measured against; "" where the record has none.
std::string reference_version(const bench_record& record, const std::string& reference);

/// "CUB 3.0.1" of "cub" and so on; "" where no row was measured against it, too.
inline constexpr const char* versioned_references[] = {"cub", "thrust"};
std::string versioned_text(const bench_record& record, const std::string& reference);

/// What was measured, without by whom: operation, n, types, distribution, share kept and mode.
ordered_json input_json(const bench_row& row);

/// The document, with medians, rates and shares beside what they are made of.
ordered_json to_json(const bench_record& record);

/// The same as text: a row on each line, as there are many of them.
std::string record_text(const bench_record& record);

/// The record of such a document (configs/schema/record.schema.json), or of one of format 1, which has the samples
/// instead of what they come to; derived figures are not read back. Fails with exit_code::bad_input, naming `name` and
/// the JSON path, where something is missing or of another kind.
bench_record record_from(const std::string& name, const json& document);

/// The same from a file; "-" is standard input.
bench_record read_record(const std::string& path);

}  // namespace upsweep::apps
