// What an interrupted program leaves behind: nothing.
#pragma once

#include <string>

#include "failure.hpp"

namespace upsweep::apps {

/// From here on SIGINT, SIGTERM and SIGHUP remove the registered files and end the program with exit code 130, and a
/// closed pipe or a file size limit is an error of the write, not a signal.
void handle_interrupts();

/// Removes the registered files and ends the program. No destructor runs.
[[noreturn]] void leave_at_once(exit_code code);

/// A file that an interrupt removes while this object lives. A handful at a time.
class doomed_file {
 public:
  explicit doomed_file(const std::string& path);
  ~doomed_file() { spare(); }
  doomed_file(const doomed_file&) = delete;
  doomed_file& operator=(const doomed_file&) = delete;

  /// The file is to stay (or is gone already).
  void spare();

 private:
  int slot_ = -1;
};

}  // namespace upsweep::apps
