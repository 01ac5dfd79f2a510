#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

/// What was not expected, in its order, and what may have been meant.
[[noreturn]] void refuse(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  std::string all, meant;
  for (const std::string& word : words) {
    all += (all.empty() ? "" : " ") + word;
    const std::string flag = word.substr(0, word.find('='));
    const std::size_t name = flag.find_first_not_of('-');
    const std::string nearest = name == 1 || name == 2 ? nearest_word(flag.substr(name), known) : "";
    if (meant.empty() && !nearest.empty()) meant = fmt::format("; perhaps --{} for {}", nearest, flag);
  }
  fail(exit_code::usage, "came {}, not expected{} (--help lists the options)", all, meant);
}

/// An option came with more or fewer values than it takes; `what` begins with its name.
[[noreturn]] void refuse_values(const CLI::App& app, const std::string& what) {
  const std::string flag = what.substr(0, what.find(':'));
  const CLI::Option* const option = app.get_option_no_throw(flag);
  if (option == nullptr) fail(exit_code::usage, "{} (--help lists the options)", what);
  const std::string values = option->get_type_name();
  if (option->empty()) fail(exit_code::usage, "{}: came without a value; expected {}", flag, values);
  fail(exit_code::usage, "{}: came with {} values; expected {}: {}", flag, option->count(),
       option->get_items_expected_min(), values);
}

/// A switch may come with true or false.
void check_switches(const CLI::App& app, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view flag = word.substr(0, word.find('='));
    if (flag == word || flag.size() < 3) continue;
    const std::string_view value = word.substr(flag.size() + 1);
    const CLI::Option* const option = app.get_option_no_throw(std::string(flag));
    const bool is_switch = option != nullptr && option->get_expected_max() == 0;
    if (!is_switch || value == "true" || value == "false") continue;
    fail(exit_code::usage, "{}: came \"{}\"; expected true or false", flag, value);
  }
}

}  // namespace

std::int64_t whole_number_of(const std::string& flag, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = whole_number(text);
  if (!number) {
    fail(exit_code::usage, "{}: came \"{}\"; expected a whole number, as 1000, 1e6 or 2^20", flag, text);
  }
  if (*number < least || *number > most) {
    fail(exit_code::usage, "{}: came {}; expected {} to {}", flag, *number, least, most);
  }
  return *number;
}

bool parse_arguments(CLI::App& app, int argc, const char* const* argv) {
  check_switches(app, argc, argv);
  try {
    app.allow_extras();
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    static_cast<void>(app.exit(done));
    return false;
  } catch (const CLI::ParseError& error) {
    // First: what comes behind has not been looked at, and remains.
    if (error.get_name() == "ArgumentMismatch") refuse_values(app, error.what());
    if (!app.remaining().empty()) refuse(app, app.remaining());
    fail(exit_code::usage, "{} (--help lists the options)", error.what());
  }
  if (!app.remaining().empty()) refuse(app, app.remaining());
  return true;
}

}  // namespace upsweep::apps
