// A record as a table: for a terminal, for a README, for a spreadsheet.
#pragma once

#include <string>

#include "grid.hpp"
#include "record.hpp"

namespace upsweep::apps {

/// Aligned columns under two lines that tell where it was measured; on the sim under a banner too. Columns that are
/// empty in every row are left out.
std::string table_text(const bench_record& record);

/// The same as markdown.
std::string markdown_text(const bench_record& record);

/// All figures but the samples, as RFC 4180 has it: a header, then one line a row, each with every column.
std::string csv_text(const bench_record& record);

/// Puts what tells a row from others in a grid: operation, n, types, distribution, share kept, mode and subject.
void put_identity(grid& table, const bench_row& row);

}  // namespace upsweep::apps
