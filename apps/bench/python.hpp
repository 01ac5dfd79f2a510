// A Python script as a part of the program: what it is given goes in, what it made comes out.
#pragma once

#include <string>

namespace upsweep::apps {

/// Runs `script` with `input` on its standard input and returns its standard output; its stderr is said line by line.
/// Takes the python3 of PATH, and the system's where that has not the module that the script needs, or is not there.
/// A script that lacks a module ends with status 78; when none has it, this fails with exit_code::usage and says what
/// to install: `module`, of Debian's `package`. A script that ends with another status is an internal error.
std::string run_python(const std::string& script, const std::string& input, const std::string& module,
                       const std::string& package);

}  // namespace upsweep::apps
