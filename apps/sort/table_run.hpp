// Sorting whole records: of PLY, CSV and .npy by some of their properties, and lines of text by a field.
#pragma once

#include "command_line.hpp"
#include "failure.hpp"
#include "json_types.hpp"
#include "sort_config.hpp"

namespace upsweep::apps {

/// Whether the config asks for records, not for keys alone.
inline bool sorts_records(const sort_config& config) {
  return !config.by.empty() || config.whole_lines;
}

/// One run, from the files to the files; `report` becomes what was done.
exit_code sort_records(const sort_config& config, const command_line& line, ordered_json& report);

}  // namespace upsweep::apps
