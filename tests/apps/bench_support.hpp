// A record to test with, and what a command said.
#pragma once

#include <string>
#include <vector>

#include "record.hpp"
#include "support.hpp"

namespace upsweep::test {

/// A row of 2^20 u32 with four samples a side of `ms` milliseconds, 8 MiB to move, verified, without a reference.
apps::bench_row plain_row(const std::string& subject, double ms);

/// On a GPU, with a copy of 1000 GB/s: a scan against cub with everything that a row can have but pairs and a share
/// kept, a compaction alone, and a sort of pairs that went wrong in every way.
apps::bench_record full_record();

/// The same device, and these rows.
apps::bench_record record_of(std::vector<apps::bench_row> rows);

}  // namespace upsweep::test
