// Many files, one after the other, by the same rules.
#pragma once

#include "command_line.hpp"
#include "cull_config.hpp"
#include "failure.hpp"

namespace upsweep::apps {

/// Culls each input into a file of its name in the folder that is the output. One that fails is reported, and again at
/// the end; the others go on. Returns the worst code of all.
exit_code cull_files(const cull_config& config, const command_line& line);

}  // namespace upsweep::apps
