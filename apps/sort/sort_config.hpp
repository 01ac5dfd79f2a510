// The config of upsweep-sort.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common_config.hpp"
#include "key_file.hpp"
#include "npy.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::apps {

/// A property of records, and which of its values comes first where that is said.
struct sort_by {
  std::string property;
  std::optional<bool> descending;
};
/// "x" or "x:descending", as it was given.
std::string text_of(const sort_by& by);

struct sort_config {
  common_config common;             ///< with the first input
  std::vector<std::string> inputs;  ///< all of them
  sort_method method = sort_method::default_sort;
  bool descending = false;
  bool argsort = false;
  bool text = false;
  std::optional<scalar_type> type;  ///< of keys that are not in an .npy file
  bit_range bits;
  nan_order missing = nan_order::by_bits;
  std::vector<std::string> payloads;
  std::vector<std::string> payload_outputs;  ///< one for each payload
  std::vector<sort_by> by;                   ///< records are sorted by these; empty: keys alone
  std::optional<std::int64_t> top;           ///< only so many are written
  bool whole_lines = false;                  ///< records are lines of text
  std::size_t field = 0;                     ///< of a line, from 1; 0 for all of it
  char delimiter = '\0';                     ///< of fields; '\0': what the first line has, or blanks in lines
  column_types types;                        ///< of CSV columns, where they were given
  std::vector<std::string> npy_columns = usual_npy_columns();
  std::string runs;  ///< empty for none
  std::string gpus;  ///< a number of ranks, or "all"; empty: one device
};

/// Adds the options of upsweep-sort to those that all programs share.
void add_sort_options(command_line& line);

/// Takes the config of a parsed command line; fails with exit_code::usage where its values contradict each other.
sort_config sort_config_from(const command_line& line);

/// The whole config, valid as a config file.
ordered_json to_json(const sort_config& config);

/// How the keys, or what is written instead of them, are stored in their files.
key_format format_of(const sort_config& config);

}  // namespace upsweep::apps
