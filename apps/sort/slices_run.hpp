// upsweep-sort under mpirun: every process sorts a slice of one file with the others.
#pragma once

#include "command_line.hpp"
#include "process_ranks.hpp"
#include "sort_config.hpp"

namespace upsweep::apps {

/// Reads, sorts, checks and writes keys, as all ranks together: each reads its slice of the files and writes its slice
/// of the sorted ones. Everything but ok is a failure. Rank 0 writes the report.
exit_code sort_slices(const sort_config& config, const command_line& line, process_ranks& ranks);

}  // namespace upsweep::apps
