// upsweep-cull under mpirun: every process culls a slice of one file.
#pragma once

#include "command_line.hpp"
#include "cull_config.hpp"
#include "process_ranks.hpp"

namespace upsweep::apps {

/// Reads, culls, checks and writes an .npy file, as all ranks together: each its slice of the particles. Everything but
/// ok is a failure. Rank 0 writes the report.
exit_code cull_slices(const cull_config& config, const command_line& line, process_ranks& ranks);

}  // namespace upsweep::apps
