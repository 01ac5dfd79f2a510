#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "arguments.hpp"
#include "completion.hpp"
#include "json_file.hpp"
#include "man_page.hpp"
#include "output_file.hpp"
#include "text.hpp"
#include "text_numbers.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {

namespace {

/// "--flag VALUE" in its parts.
std::pair<std::string, std::string> flag_and_value(const std::string& option) {
  const std::size_t blank = option.find(' ');
  return {option.substr(0, blank), option.substr(blank + 1)};
}

/// A number that is taken for what was written.
double number_from(const std::string& flag, const std::string& text) {
  double number = 0;
  const text_number how = parse_number(text, number);
  if (how != text_number::taken || !std::isfinite(number)) {
    fail(exit_code::usage, "{}: got \"{}\"; expected a finite number", flag, text);
  }
  std::string digits = text.substr(std::min(text.find_first_not_of("+-0"), text.size()));
  if (const std::size_t point = digits.find('.'); digits.find_first_not_of('0', point + 1) == std::string::npos) {
    digits.resize(std::min(point, digits.size()));
  }
  const bool is_whole = digits.find_first_not_of("0123456789") == std::string::npos;
  if (is_whole && !digits.empty() && digits != fmt::format("{:.0f}", std::fabs(number))) {
    fail(exit_code::usage, "{}: got {}; expected a number that a double holds exactly, such as {:.0f}", flag, text,
         number);
  }
  return number;
}

}  // namespace

struct command_line::parser {
  explicit parser(std::string_view text) : schema(text) {}
  CLI::App app;
  config_schema schema;
  json overrides = json::object(), document = json::object();
};

command_line::command_line(const std::string& program, const std::string& about, std::string_view schema)
    : parser_(std::make_unique<parser>(schema)) {
  describe_program(parser_->app, program, about);
  // A mode of a program has none of its own.
  if (program.find(' ') != program.npos) return;
  const auto print = [this, program](const std::string& shell) {
    print_text(completion_script(parser_->app, program, shell));
    throw CLI::Success();
  };
  parser_->app
      .add_option_function<std::string>("--completion", print,
                                        "Print a completion script for bash, zsh or fish, and stop")
      ->type_name("SHELL");
  const auto print_page = [this, program, about](std::int64_t) {
    print_text(man_page(parser_->app, program, about));
    throw CLI::Success();
  };
  parser_->app.add_flag_function("--man-page", print_page, "Print the man page, as roff, and stop");
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

void command_line::add_text(const std::string& option, const std::string& pointer, const std::string& help) {
  const auto [flag, value_name] = flag_and_value(option);
  knows(flag, pointer);
  const auto take = [this, flag = flag, pointer](const std::string& value) { set(flag, pointer, value); };
  parser_->app.add_option_function<std::string>(flag, take, help)->type_name(value_name);
}

void command_line::add_integer(const std::string& option, const std::string& pointer, const std::string& help) {
  const auto [flag, value_name] = flag_and_value(option);
  knows(flag, pointer);
  const auto take = [this, flag = flag, pointer](const std::string& text) {
    constexpr std::int64_t largest = std::int64_t{1} << 53;  // as in a config
    set(flag, pointer, whole_number_of(flag, text, -largest, largest));
  };
  parser_->app.add_option_function<std::string>(flag, take, help)->type_name(value_name);
}

void command_line::add_numbers(const std::string& option, std::vector<std::pair<std::string, int>> targets,
                               const std::string& help) {
  const auto [flag, value_names] = flag_and_value(option);
  int total = 0;
  for (const auto& [pointer, count] : targets) {
    knows(flag, pointer);
    total += count;
  }
  const auto take = [this, flag = flag, targets = std::move(targets)](const std::vector<std::string>& values) {
    std::size_t next = 0;
    for (const auto& [pointer, count] : targets) {
      json numbers = json::array();
      for (int i = 0; i < count; ++i) numbers.push_back(number_from(flag, values[next++]));
      set(flag, pointer, count == 1 ? numbers[0] : numbers);
    }
  };
  parser_->app.add_option_function<std::vector<std::string>>(flag, take, help)
      ->expected(total)
      ->type_name(value_names)
      ->option_text(value_names);
}

void command_line::add_switch(const std::string& flag, const std::string& pointer, const std::string& help) {
  knows(flag, pointer);
  parser_->app.add_flag_function(
      flag, [this, flag, pointer](std::int64_t count) { set(flag, pointer, count > 0); }, help);
}

template <class Take>
void command_line::add_repeatable(const std::string& flag, const std::string& value_name, const Take& take,
                                  const std::string& help) {
  parser_->app.add_option_function<std::vector<std::string>>(flag, take, help)
      ->expected(1, -1)
      ->allow_extra_args(false)
      ->type_name(value_name);
}

void command_line::add_list(const std::string& option, const std::string& pointer, const std::string& help) {
  const auto [flag, value_name] = flag_and_value(option);
  knows(flag, pointer);
  const auto take = [this, flag = flag, pointer](const std::vector<std::string>& values) {
    set(flag, pointer, values);
  };
  add_repeatable(flag, value_name, take, help);
}

void command_line::add_texts(const std::string& option, const std::string& pointer, const std::string& help) {
  const auto [flag, value_name] = flag_and_value(option);
  knows(flag, pointer);
  const auto take = [this, flag = flag, pointer](const std::vector<std::string>& values) {
    if (values.size() == 1) {
      set(flag, pointer, values.front());
    } else {
      set(flag, pointer, values);
    }
  };
  parser_->app.add_option_function<std::vector<std::string>>(flag, take, help)
      ->expected(1, -1)
      ->type_name(value_name)
      ->option_text(value_name);
}

void command_line::add_assignment(const std::string& option, const std::string& pointer, const std::string& help) {
  const auto [flag, value_name] = flag_and_value(option);
  const auto take = [this, flag = flag, pointer](const std::vector<std::string>& values) {
    std::map<std::string, json> given;
    for (const std::string& value : values) {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos || equals == 0) {
        fail(exit_code::usage, "{}: got \"{}\"; expected KEY=FILE", flag, value);
      }
      json& files = given[value.substr(0, equals)];
      if (files.is_null()) files = json::array();
      files.push_back(value.substr(equals + 1));
    }
    for (const auto& [key, files] : given) {
      set(flag, pointer_step(pointer, key), files.size() == 1 ? files[0] : files);
    }
  };
  add_repeatable(flag, value_name, take, help);
}

void command_line::add_config() {
  CLI::App& app = parser_->app;
  app.add_option("--config", config_path_, "JSON config (configs/ has examples); the flags override it")
      ->type_name("FILE");
  app.add_flag("--print-config", print_config_, "Print the config that would be used and stop");
}

void command_line::add_common(bool several_inputs) {
  add_config();
  if (several_inputs) {
    add_texts("--input FILE ...", "/input", "File to read, or several; - is standard input");
    add_text("--output FILE", "/output", "File to write; - is standard output; for several files, a folder");
  } else {
    add_text("--input FILE", "/input", "File to read; - is standard input");
    add_text("--output FILE", "/output", "File to write; - is standard output");
  }
  add_text("--device DEVICE", "/device", "auto (a GPU, else the sim), cuda, cuda:N or sim");
  add_text("--gpu-memory SIZE", "/gpu_memory",
           "Use at most this much of the GPU's memory, such as 2GiB; data that do not fit go through it in pieces "
           "(default: what is free)");
  add_switch("--verify", "/verify", "Check the result against plain CPU code before it is written");
  add_switch("--quiet", "/quiet", "Print errors only");
  add_text("--report FILE", "/report", "Write a JSON report of what was done");
  add_text("--strategy NAME", "/scan/strategy",
           "Scan variant: the device strategy (default if only a tile is given: decoupled_lookback)");
  add_text("--block NAME", "/scan/block", "Scan variant: the block algorithm");
  add_integer("--block-threads N", "/scan/block_threads", "Scan variant: threads of a block");
  add_integer("--items-per-thread N", "/scan/items_per_thread", "Scan variant: items of a thread");
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
