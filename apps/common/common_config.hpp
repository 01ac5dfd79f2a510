// What the configs of all programs have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "command_line.hpp"
#include "device_session.hpp"
#include "json_types.hpp"
#include "particle_table.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::apps {

struct common_config {
  std::string input;
  std::string output;
  std::string device = "auto";
  bool verify = false;
  bool quiet = false;  ///< only failures are reported
  std::string report;
  std::uint64_t gpu_memory = 0;  ///< bytes; 0: what is free
  scan_variant scan;
};

/// Takes the common part of a document that is valid by its schema. Fails when the scan variant was not compiled.
common_config common_config_from(const json& document, const command_line& line);

/// The character that a config's "delimiter" names, "tab" too; '\0' for none.
char delimiter_from(const json& document);
void put_delimiter(ordered_json& document, char delimiter);

/// The option of the types of CSV columns, and of where NaN and NaT are sorted to, which is `pointer` in a config.
void add_column_types(command_line& line);
void add_missing(command_line& line, const std::string& pointer);

/// The types of CSV columns that a config's "column_types" names: an object, or a text as "x:f64,t:date".
column_types column_types_from(const json& document, const command_line& line);
void put_column_types(ordered_json& document, const column_types& types);

/// The names of the columns of a two-dimensional .npy file, by a config's "columns", or the usual ones. Fails with
/// exit_code::usage where two are alike.
std::vector<std::string> npy_columns_from(const json& document, const command_line& line);

/// Where a config's "missing" puts NaN and NaT.
nan_order missing_from(const json& document);
void put_missing(ordered_json& document, nan_order missing);

/// Writes the common part as a config has it.
void put_common(ordered_json& document, const common_config& config);

ordered_json to_json(const scan_variant& v);
/// "decoupled_lookback warp_scans 256 x 16"; only the strategy where it has no tiles.
std::string variant_text(const scan_variant& v);

/// Fails with exit_code::usage when `file` is empty, naming the flag and the pointer.
void require_path(const std::string& file, const std::string& flag, const std::string& pointer);

/// Fails with exit_code::usage when a scan is named for a method that has none.
void check_has_scan(bool has_scan, std::string_view method, const scan_variant& v, const command_line& line);

/// The method of compaction of a valid document. Without one: what the order asks for, and a scan that is named belongs
/// to vote_scan_compact. Fails with exit_code::usage where method, order and scan contradict each other.
compact_method_with_scan compact_method_from(const json& document, const scan_variant& scan, bool needs_order,
                                             const command_line& line);

/// Fails with exit_code::usage when the variant cannot run there; on a device, also when the config was tuned for
/// another architecture.
void check_runs_on(const scan_variant& v, runtime::backend where, const command_line& line);
void check_runs_on(const scan_variant& v, const device_session& device, const command_line& line);

/// Fails with exit_code::usage when `count` is more than `most`, which is all that the variant takes.
void check_takes(const scan_variant& v, std::int64_t most, std::int64_t count, const command_line& line);

}  // namespace upsweep::apps
