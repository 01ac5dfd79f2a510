// A CLI11 parser that talks like the other programs.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace upsweep::apps {

/// Names the program, and adds --help and --version.
void describe_program(CLI::App& app, const std::string& program, const std::string& about);

/// The whole number that an option was given, as 1000, 1e6 or 2^20. Outside of the range is exit_code::usage.
std::int64_t whole_number_of(const std::string& flag, const std::string& text, std::int64_t least, std::int64_t most);

/// Parses the command line. False when --help or --version was all there was to do; what is wrong is exit_code::usage.
bool parse_arguments(CLI::App& app, int argc, const char* const* argv);

}  // namespace upsweep::apps
