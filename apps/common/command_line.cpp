#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>

#include "arguments.hpp"
#include "json_file.hpp"
#include "output_file.hpp"
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

struct command_line::parser {
  explicit parser(std::string_view text) : schema(text) {}
  CLI::App app;
  config_schema schema;
  json overrides = json::object(), document = json::object();
};

command_line::command_line(const std::string& program, const std::string& about, std::string_view schema)
    : parser_(std::make_unique<parser>(schema)) {
  describe_program(parser_->app, program, about);
}

command_line::~command_line() = default;

const json& command_line::document() const {
  return parser_->document;
}

template <class Value>
void command_line::set(const std::string& flag, const std::string& pointer, const Value& value) {
  std::vector<std::string> steps;
  for (json::json_pointer rest(pointer); !rest.empty(); rest.pop_back()) steps.push_back(rest.back());
  json* at = &parser_->overrides;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) at = &(*at)[*step];
  *at = value;
  flags_.emplace_back(pointer, flag);
}

void command_line::add_text(const std::string& flag, const std::string& pointer, const std::string& help) {
  knows(flag, pointer);
  parser_->app.add_option_function<std::string>(
      flag, [this, flag, pointer](const std::string& value) { set(flag, pointer, value); }, help);
}

void command_line::add_integer(const std::string& flag, const std::string& pointer, const std::string& help) {
  knows(flag, pointer);
  parser_->app.add_option_function<std::int64_t>(
      flag, [this, flag, pointer](std::int64_t value) { set(flag, pointer, value); }, help);
}

void command_line::add_numbers(const std::string& flag, std::vector<std::pair<std::string, int>> targets,
                               const std::string& help) {
  int total = 0;
  for (const auto& [pointer, count] : targets) {
    knows(flag, pointer);
    total += count;
  }
  const auto take = [this, flag, targets = std::move(targets)](const std::vector<double>& values) {
    std::size_t next = 0;
    for (const auto& [pointer, count] : targets) {
      json numbers = json::array();
      for (int i = 0; i < count; ++i) {
        const double value = values[next++];
        if (!std::isfinite(value)) fail(exit_code::usage, "{}: came {}; expected a finite number", flag, value);
        numbers.push_back(value);
      }
      set(flag, pointer, count == 1 ? numbers[0] : numbers);
    }
  };
  parser_->app.add_option_function<std::vector<double>>(flag, take, help)->expected(total);
}

void command_line::add_switch(const std::string& flag, const std::string& pointer, const std::string& help) {
  knows(flag, pointer);
  parser_->app.add_flag_function(
      flag, [this, flag, pointer](std::int64_t count) { set(flag, pointer, count > 0); }, help);
}

void command_line::add_list(const std::string& flag, const std::string& pointer, const std::string& help) {
  knows(flag, pointer);
  parser_->app
      .add_option_function<std::vector<std::string>>(
          flag, [this, flag, pointer](const std::vector<std::string>& values) { set(flag, pointer, values); }, help)
      ->expected(1, -1)
      ->allow_extra_args(false);
}

void command_line::add_assignment(const std::string& flag, const std::string& pointer, const std::string& help) {
  const auto take = [this, flag, pointer](const std::vector<std::string>& values) {
    std::map<std::string, json> given;
    for (const std::string& value : values) {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos || equals == 0) {
        fail(exit_code::usage, "{}: came \"{}\"; expected KEY=FILE", flag, value);
      }
      json& files = given[value.substr(0, equals)];
      if (files.is_null()) files = json::array();
      files.push_back(value.substr(equals + 1));
    }
    for (const auto& [key, files] : given) {
      set(flag, pointer_step(pointer, key), files.size() == 1 ? files[0] : files);
    }
  };
  parser_->app.add_option_function<std::vector<std::string>>(flag, take, help)
      ->expected(1, -1)
      ->allow_extra_args(false);
}

void command_line::add_config() {
  CLI::App& app = parser_->app;
  app.add_option("--config", config_path_, "JSON config (configs/ has examples); the flags override it");
  app.add_flag("--print-config", print_config_, "Print the config that would be used and stop");
}

void command_line::add_common() {
  add_config();
  add_text("--input", "/input", "File to read; - is standard input");
  add_text("--output", "/output", "File to write; - is standard output");
  add_text("--device", "/device", "auto (a GPU, else the sim), cuda, cuda:N or sim");
  add_switch("--verify", "/verify", "Check the result against plain CPU code before it is written");
  add_text("--report", "/report", "Write what was done as JSON");
  add_text("--strategy", "/scan/strategy", "Scan variant: the device strategy; with a tile alone, decoupled_lookback");
  add_text("--block", "/scan/block", "Scan variant: the block algorithm");
  add_integer("--block-threads", "/scan/block_threads", "Scan variant: threads of a block");
  add_integer("--items-per-thread", "/scan/items_per_thread", "Scan variant: items of a thread");
}

void command_line::check(const json& document, const std::function<std::string(const std::string&)>& origin) const {
  schema_violation violation;
  if (parser_->schema.accepts(document, violation)) return;
  fail(exit_code::usage, "{}: {}", origin(violation.pointer), violation.what);
}

bool command_line::parse(int argc, const char* const* argv) {
  if (!parse_arguments(parser_->app, argc, argv)) return false;
  if (!config_path_.empty()) {
    parser_->document = read_config(config_path_);
    check(parser_->document, [&](const std::string& pointer) { return config_path_ + ": " + pointer; });
  }
  parser_->document.merge_patch(parser_->overrides);
  check(parser_->document, [&](const std::string& pointer) { return origin(pointer); });
  return true;
}

std::string command_line::origin(const std::string& pointer) const {
  const auto inside = [](const std::string& outer, const std::string& inner) {
    return inner == outer || (inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '/');
  };
  for (const auto& [set_pointer, flag] : flags_) {
    if (inside(set_pointer, pointer) || inside(pointer, set_pointer)) return flag;
  }
  if (!config_path_.empty()) return config_path_ + ": " + pointer;
  for (const auto& [known_pointer, flag] : known_) {
    if (known_pointer == pointer) return flag;
  }
  return pointer;
}

void print_config(const ordered_json& config) {
  print_text(config.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace upsweep::apps
