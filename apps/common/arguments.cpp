#include "arguments.hpp"

#include <CLI/CLI.hpp>

#include "failure.hpp"
#include "text.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {

void describe_program(CLI::App& app, const std::string& program, const std::string& about) {
  app.name(program);
  app.description(about);
  app.set_version_flag("--version", program + " " + std::string(version_string), "Print the version and stop");
  app.set_help_flag("-h,--help", "Print this text and stop");
  app.get_formatter()->column_width(34);
}

bool parse_arguments(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    static_cast<void>(app.exit(done));
    return false;
  } catch (const CLI::ParseError& error) {
    fail(exit_code::usage, "{} (--help lists the options)", one_line(error.what()));
  }
  return true;
}

}  // namespace upsweep::apps
