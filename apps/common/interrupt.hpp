// What an interrupted program leaves behind: nothing.
#pragma once

#include <sys/types.h>

#include <string>

#include "failure.hpp"

namespace upsweep::apps {

/// From here on SIGINT, SIGTERM and SIGHUP remove the registered files and end the program with exit code 130, and a
/// closed pipe or a file size limit is an error of the write, not a signal.
void handle_interrupts();

/// Kills the registered child, removes the registered files and ends the program. No destructor runs.
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

/// A child process that writes a registered file, and so might make it again after the end of this program: an
/// interrupt kills it first. 0: there is none any more. One at a time.
void doom_child(pid_t child);

}  // namespace upsweep::apps
