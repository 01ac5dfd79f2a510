// A CLI11 parser that talks like the other programs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace upsweep::apps {

/// Names the program, and adds --help and --version.
void describe_program(CLI::App& app, const std::string& program, const std::string& about);

/// Parses the command line. False when --help or --version was all there was to do; what is wrong is exit_code::usage.
bool parse_arguments(CLI::App& app, int argc, const char* const* argv);

}  // namespace upsweep::apps
