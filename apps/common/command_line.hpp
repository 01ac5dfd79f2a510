// The command line that the programs share, laid over a JSON config.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_types.hpp"

namespace upsweep::apps {

/// Turns options into a JSON document: the config file's values, then the command line's over them. Each option sets
/// the value at one JSON pointer, so the schema checks both alike; a message names the flag, or file and
/// pointer.
class command_line {
 public:
  /// `about` and the examples open the help.
  command_line(const std::string& program, const std::string& about, std::string_view schema);
  ~command_line();

  /// `option`: the flag and, after a blank, what the help calls its value: "--output FILE".
  void add_text(const std::string& option, const std::string& pointer, const std::string& help);
  /// A whole number, as 1000, 1e6 or 2^20.
  void add_integer(const std::string& option, const std::string& pointer, const std::string& help);
  /// `targets`: a pointer and how many numbers it takes from the option, in order; 1 is a plain number, more an array.
  void add_numbers(const std::string& option, std::vector<std::pair<std::string, int>> targets,
                   const std::string& help);
  void add_switch(const std::string& flag, const std::string& pointer, const std::string& help);
  /// Repeatable; the texts become an array.
  void add_list(const std::string& option, const std::string& pointer, const std::string& help);
  /// KEY=TEXT, repeatable; sets the value of that key in the object at `pointer`; those of one key become an array.
  void add_assignment(const std::string& option, const std::string& pointer, const std::string& help);
  /// One text or several after the flag, which may also be repeated; more than one become an array.
  void add_texts(const std::string& option, const std::string& pointer, const std::string& help);
  /// --config and --print-config.
  void add_config();
  /// Those, --input, of one file or several, --output, --device, --verify, --quiet, --report and the scan variant.
  void add_common(bool several_inputs = false);

  /// Reads the command line and the config file that it names. False when --help or --version was all there was to do.
  bool parse(int argc, const char* const* argv);

  /// The merged document, valid by the schema.
  const json& document() const;
  bool print_config() const { return print_config_; }
  /// "" when none was named.
  const std::string& config_path() const { return config_path_; }
  /// To name in an error: the flag, or file and JSON pointer, that set what is at `pointer` or in it; for what nothing
  /// has set, the flag that could.
  std::string origin(const std::string& pointer) const;

 private:
  struct parser;

  void knows(const std::string& flag, const std::string& pointer) { known_.emplace_back(pointer, flag); }
  template <class Take>
  void add_repeatable(const std::string& flag, const std::string& value_name, const Take& take,
                      const std::string& help);
  template <class Value>
  void set(const std::string& flag, const std::string& pointer, const Value& value);
  void check(const json& document, const std::function<std::string(const std::string&)>& origin) const;

  std::unique_ptr<parser> parser_;
  std::string config_path_;
  bool print_config_ = false;
  std::vector<std::pair<std::string, std::string>> flags_;  ///< pointer and the flag that set it
  std::vector<std::pair<std::string, std::string>> known_;  ///< pointer and the flag that could set it
};

/// Writes a config as --print-config does: to standard output, as JSON that --config takes.
void print_config(const ordered_json& config);

}  // namespace upsweep::apps
