#include "slices.hpp"

#include <filesystem>

#include "failure.hpp"
#include "upsweep/simt/communicator.hpp"

namespace upsweep::apps {

void slice_checks::refuse(bool came, const char* pointer) const {
  if (!came) return;
  fail(exit_code::usage, "{}: given for {} processes; expected it with one process", line_.origin(pointer),
       ranks_.ranks());
}

void slice_checks::check_is_file(const std::string& path, const char* pointer) const {
  std::error_code error;
  if (path != "-" && (!std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error))) return;
  fail(exit_code::usage, "{}: {} is a stream; expected a file, from which {} processes read slices",
       line_.origin(pointer), path, ranks_.ranks());
}

row_slice slice_of_rank(std::int64_t rows, const process_ranks& ranks) {
  row_slice slice{0, balanced_share(rows, ranks.rank(), ranks.ranks())};
  for (int r = 0; r < ranks.rank(); ++r) slice.begin += balanced_share(rows, r, ranks.ranks());
  return slice;
}

}  // namespace upsweep::apps
