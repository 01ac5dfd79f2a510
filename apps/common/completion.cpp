#include "completion.hpp"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

struct completed_option {
  std::string name;  ///< without its dashes
  std::string value;
  std::string help;
};

std::vector<completed_option> options_of(const CLI::App& app) {
  std::vector<completed_option> all;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const bool is_switch = option->get_expected_max() == 0;
    all.push_back({option->get_lnames().front(), is_switch ? "" : option->get_type_name(), option->get_description()});
  }
  return all;
}

/// `text` with a backslash before each of these.
std::string escaped(const std::string& text, std::string_view which) {
  std::string result;
  for (const char c : text) {
    if (which.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// In single quotes, of a shell in which a quote ends them.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string for_bash(const std::vector<completed_option>& options, const std::string& program) {
  std::string flags;
  for (const completed_option& o : options) flags += " --" + o.name;
  return fmt::format(
      "_{0}() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}}\n  if [[ $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{1}' -- \"$word\")\n  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}}\n"
      "complete -o filenames -F _{0} {2}\n",
      std::string(program).replace(program.find('-'), 1, "_"), flags.substr(1), program);
}

std::string for_zsh(const std::vector<completed_option>& options, const std::string& program) {
  std::string script = "#compdef " + program + "\n_arguments \\\n";
  for (const completed_option& o : options) {
    const std::string value = o.value.empty() ? "" : ":" + escaped(o.value, ":\\") + ":_files";
    script += "  " + quoted("*--" + o.name + "[" + escaped(o.help, "[]:\\") + "]" + value) + " \\\n";
  }
  return script + "  '*:file:_files'\n";
}

std::string for_fish(const std::vector<completed_option>& options, const std::string& program) {
  std::string script;
  for (const completed_option& o : options) {
    script += fmt::format("complete -c {} -l {}{} -d '{}'\n", program, o.name, o.value.empty() ? "" : " -r",
                          escaped(o.help, "'\\"));
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& program, const std::string& shell) {
  const std::vector<completed_option> options = options_of(app);
  if (shell == "bash") return for_bash(options, program);
  if (shell == "zsh") return for_zsh(options, program);
  if (shell == "fish") return for_fish(options, program);
  fail(exit_code::usage, "--completion: got \"{}\"; expected bash, zsh or fish", shell);
}

}  // namespace upsweep::apps
