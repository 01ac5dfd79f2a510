#include "man_page.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

/// A line of text, in which roff finds no request.
std::string plain(std::string_view text) {
  std::string line;
  if (text.starts_with('.') || text.starts_with('\'')) line += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      line += "\\e";
    } else if (c == '-') {
      line += "\\-";
    } else {
      line += c;
    }
  }
  return line;
}

/// The lines of a text, as they are; those of a paragraph may be filled.
std::string lines_of(std::string_view text) {
  std::string page;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    page += line.empty() ? ".PP\n" : plain(line) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return page;
}

std::string without_ends(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text);
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& program, const std::string& about) {
  constexpr std::string_view examples_begin = "\n\nExamples:\n";
  const std::size_t begin = std::min(about.find(examples_begin), about.size());
  const std::size_t from = std::min(begin + examples_begin.size(), about.size());
  const std::size_t end = std::min(about.find("\n\n", from), about.size());
  const std::string what = about.substr(0, begin), examples = about.substr(from, end - from), notes = about.substr(end);
  std::string title = program;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string first = what.substr(0, what.find_first_of(",:."));
  first[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(first[0])));

  std::string page = fmt::format(".TH {} 1 \"\" \"upsweep {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", title,
                                 version_string, plain(program), plain(first));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n[OPTIONS]\n", plain(program));
  page += ".SH DESCRIPTION\n" + lines_of(what);
  page += ".SH EXAMPLES\n.nf\n" + lines_of(examples) + ".fi\n.SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string value = option->get_expected_max() == 0 ? "" : " " + option->get_type_name();
    page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain("--" + option->get_lnames().front()), plain(value),
                        plain(option->get_description()));
  }
  page += ".SH NOTES\n.nf\n" + lines_of(without_ends(notes)) + ".fi\n";
  return page;
}

}  // namespace upsweep::apps
