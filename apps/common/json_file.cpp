#include "json_file.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include "input_file.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// Follows nlohmann's parser and fails at a key that its object already has, at a level too deep, and at values that
/// would not be taken as they are written.
class strict_watch {
 public:
  strict_watch(const std::string& name, exit_code wrong) : name_(name), wrong_(wrong) {}

  bool operator()(int, json::parse_event_t event, const json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        open(true);
        break;
      case json::parse_event_t::array_start:
        open(false);
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        levels_.pop_back();
        break;
      case json::parse_event_t::key:
        take_key(parsed.get<std::string>());
        break;
      case json::parse_event_t::value:
        next_item();
        check_value(parsed);
        break;
    }
    return true;
  }

 private:
  static constexpr std::size_t most_levels = 128;

  struct level {
    bool is_object;
    std::string pointer;
    std::set<std::string> keys;
    std::string last_key;
    std::size_t items = 0;
  };

  void open(bool is_object) {
    if (levels_.size() == most_levels) {
      fail(wrong_, "{}: {}: nested deeper than {} levels; expected fewer", name_, levels_.back().pointer, most_levels);
    }
    next_item();
    std::string pointer;
    if (!levels_.empty()) {
      const level& parent = levels_.back();
      pointer = pointer_step(parent.pointer, parent.is_object ? parent.last_key : std::to_string(parent.items - 1));
    }
    levels_.push_back({is_object, std::move(pointer), {}, {}, 0});
  }

  void next_item() {
    if (!levels_.empty()) ++levels_.back().items;
  }

  /// Where a value stands that has just come.
  std::string place() const {
    if (levels_.empty()) return "/";
    const level& parent = levels_.back();
    return pointer_step(parent.pointer, parent.is_object ? parent.last_key : std::to_string(parent.items - 1));
  }

  void check_value(const json& value) const {
    constexpr std::uint64_t largest = std::uint64_t{1} << 53;  // beyond it, other readers of JSON round
    if (value.is_string() && value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      fail(wrong_, "{}: {}: a text with a NUL in it; expected one without", name_, place());
    }
    if (wrong_ != exit_code::usage || !value.is_number_integer()) return;
    const bool is_negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    const std::uint64_t size = is_negative ? 0 - value.get<std::uint64_t>() : value.get<std::uint64_t>();
    if (size > largest) fail(wrong_, "{}: {}: came {}; expected at most 2^53", name_, place(), value.dump());
  }

  void take_key(const std::string& key) {
    level& object = levels_.back();
    if (key.find('\0') != std::string::npos) {
      fail(wrong_, "{}: {}: a key with a NUL in it; expected one without", name_, object.pointer + "/");
    }
    object.last_key = key;
    if (object.keys.insert(key).second) return;
    fail(wrong_, "{}: {}: the key \"{}\" appears twice; expected it once", name_, pointer_step(object.pointer, key),
         key);
  }

  const std::string& name_;
  exit_code wrong_;
  std::vector<level> levels_;
};

/// nlohmann's message without its "[json.exception...]" tag.
std::string_view plain_message(std::string_view what) {
  const std::size_t end = what.find("] ");
  return end == std::string_view::npos ? what : what.substr(end + 2);
}

}  // namespace

std::vector<std::string> names_of(const json& names) {
  return names.is_string() ? std::vector{names.get<std::string>()} : names.get<std::vector<std::string>>();
}

std::string pointer_step(const std::string& pointer, const std::string& key) {
  std::string step = pointer + '/';
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

json parse_json(const std::string& name, std::string_view text, exit_code wrong) {
  try {
    return json::parse(text.begin(), text.end(), strict_watch(name, wrong));
  } catch (const json::exception& error) {
    fail(wrong, "{}: expected JSON; {}", name, one_line(plain_message(error.what())));
  }
}

json read_json(const std::string& path, exit_code wrong) {
  constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  std::string name;
  std::string text;
  try {
    input_file file(path);
    if (file.size() > largest) fail(wrong, "{}: {} bytes; expected at most {}", file.name(), file.size(), largest);
    name = file.name();
    text.resize(static_cast<std::size_t>(file.size()));
    file.read(text.data(), text.size());
  } catch (const failure& error) {
    throw failure(wrong, error.what());
  }
  return parse_json(name, text, wrong);
}

json parse_config(const std::string& name, std::string_view text) {
  return parse_json(name, text, exit_code::usage);
}

json read_config(const std::string& path) {
  return read_json(path, exit_code::usage);
}

}  // namespace upsweep::apps
