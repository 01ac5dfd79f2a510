// What a shell needs to complete the options of a program, from the same tables as --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace upsweep::apps {

/// A script for bash, zsh or fish; another shell is exit_code::usage.
std::string completion_script(const CLI::App& app, const std::string& program, const std::string& shell);

}  // namespace upsweep::apps
