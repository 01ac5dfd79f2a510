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

/// The option that was most likely meant by a wrong name: the only one that begins so, else the nearest.
std::string meant_option(const CLI::App& app, std::string_view name) {
  std::vector<std::string> known, longer;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& word : option->get_lnames()) {
      known.push_back(word);
      if (!name.empty() && word.starts_with(name)) longer.push_back(word);
    }
  }
  return longer.size() == 1 ? longer.front() : nearest_word(name, known);
}

bool is_option(std::string_view word) {
  const std::size_t name = word.find_first_not_of('-');
  return (name == 1 || name == 2) && std::string_view("0123456789.").find(word[name]) == std::string_view::npos;
}

/// Of words that were not expected, the first option, as others may belong to it; else all of them.
[[noreturn]] void refuse(const CLI::App& app, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!is_option(word)) continue;
    const std::string flag = word.substr(0, word.find('='));
    const std::string meant = meant_option(app, std::string_view(flag).substr(flag.find_first_not_of('-')));
    fail(exit_code::usage, "unknown option {}{} (--help lists the options)", flag,
         meant.empty() ? "" : fmt::format("; did you mean --{}?", meant));
  }
  std::string all;
  for (const std::string& word : words) all += " " + word;
  const bool has_files = app.get_option_no_throw("--input") != nullptr;
  fail(exit_code::usage, "unexpected argument{}{}{} (--help lists the options)", words.size() == 1 ? "" : "s", all,
       has_files ? "; files are named by --input and --output" : "");
}

/// An option was given more or fewer values than it takes; `what` begins with its name.
[[noreturn]] void refuse_values(const CLI::App& app, const std::string& what) {
  const std::string flag = what.substr(0, what.find(':'));
  const CLI::Option* const option = app.get_option_no_throw(flag);
  if (option == nullptr) fail(exit_code::usage, "{} (--help lists the options)", what);
  const std::string values = option->get_type_name();
  if (option->empty()) fail(exit_code::usage, "{}: given without a value; expected {}", flag, values);
  fail(exit_code::usage, "{}: given with {} values; expected {}: {}", flag, option->count(),
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
    fail(exit_code::usage, "{}: got \"{}\"; expected true or false", flag, value);
  }
}

}  // namespace

std::int64_t whole_number_of(const std::string& flag, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = whole_number(text);
  if (!number) {
    fail(exit_code::usage, "{}: got \"{}\"; expected a whole number, as 1000, 1e6 or 2^20", flag, text);
  }
  if (*number < least || *number > most) {
    fail(exit_code::usage, "{}: got {}; expected {} to {}", flag, *number, least, most);
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
    // First: what comes after it has not been looked at, and remains.
    if (error.get_name() == "ArgumentMismatch") refuse_values(app, error.what());
    if (!app.remaining().empty()) refuse(app, app.remaining());
    fail(exit_code::usage, "{} (--help lists the options)", error.what());
  }
  if (!app.remaining().empty()) refuse(app, app.remaining());
  return true;
}

}  // namespace upsweep::apps
