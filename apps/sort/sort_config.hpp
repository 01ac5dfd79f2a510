// The config of upsweep-sort.
#pragma once

#include <string>

#include "common_config.hpp"
#include "upsweep/sort/method.hpp"

namespace upsweep::apps {

struct sort_config {
  common_config common;
  sort_method method = sort_method::default_sort;
  bool descending = false;
  bool argsort = false;
  std::string payload;         ///< empty for none
  std::string payload_output;  ///< empty exactly when `payload` is
};

/// Adds the options of upsweep-sort to those that all programs share.
void add_sort_options(command_line& line);

/// Takes the config of a parsed command line; fails with exit_code::usage where its values contradict each other.
sort_config sort_config_from(const command_line& line);

/// The whole config, valid as a config file.
ordered_json to_json(const sort_config& config);

}  // namespace upsweep::apps
