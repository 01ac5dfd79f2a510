// What a program refuses where several processes work on slices of one file, and which slice is whose.
#pragma once

#include <cstdint>
#include <string>

#include "command_line.hpp"
#include "process_ranks.hpp"

namespace upsweep::apps {

/// Refuses, with exit_code::usage and by the option's name.
class slice_checks {
 public:
  slice_checks(const command_line& line, const process_ranks& ranks) : line_(line), ranks_(ranks) {}

  /// Refuses an option, if it was given, that is for one process alone.
  void refuse(bool came, const char* pointer) const;
  /// A stream has no slices. Of a path that does not exist, the code that opens it says so.
  void check_is_file(const std::string& path, const char* pointer) const;

 private:
  const command_line& line_;
  const process_ranks& ranks_;
};

/// So many rows from there on.
struct row_slice {
  std::int64_t begin, count;
};
/// Those of this rank, of `rows` in all.
row_slice slice_of_rank(std::int64_t rows, const process_ranks& ranks);

}  // namespace upsweep::apps
