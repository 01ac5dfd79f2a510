// Sorting keys alone, with what belongs to them.
#pragma once

#include "command_line.hpp"
#include "failure.hpp"
#include "json_types.hpp"
#include "sort_config.hpp"

namespace upsweep::apps {

/// One run, from the files to the files; `report` becomes what was done.
exit_code sort_keys(const sort_config& config, const command_line& line, ordered_json& report);

}  // namespace upsweep::apps
