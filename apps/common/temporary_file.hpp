// Files for the time of a run, where the user wants them: in $TMPDIR, else in /tmp.
#pragma once

#include <string>

namespace upsweep::apps {

/// The descriptor of a new file without a name, to read and write; the caller closes it. `what` says what it is for: if
/// there can be no such file, the failure names it and the folder (exit_code::cannot_write).
int unnamed_file(const std::string& what);

/// That failure, of errno.
[[noreturn]] void cannot_use_temporary_folder(const std::string& what);

}  // namespace upsweep::apps
