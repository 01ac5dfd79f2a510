#include "json_file.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "input_file.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// Fails at a key that its object already has, at a level too deep, and at values that would not be taken as they are
/// written. What is not JSON is left to the parser that comes after it.
class strict_check : public json::json_sax_t {
 public:
  strict_check(const std::string& name, exit_code wrong) : name_(name), wrong_(wrong) {}

  bool null() override { return next_item(); }
  bool boolean(bool) override { return next_item(); }
  bool binary(json::binary_t&) override { return next_item(); }
  bool number_integer(std::int64_t value) override {
    return next_item() && check_integer(0 - static_cast<std::uint64_t>(value), std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) override {
    return next_item() && check_integer(value, std::to_string(value));
  }
  bool number_float(double number, const std::string& text) override {
    // Integers of more than 64 bits come here too, and those with a point.
    const bool has_exponent = text.find_first_of("eE") != std::string::npos;
    next_item();
    return has_exponent || std::fabs(number) < 0x1p53 || check_integer(~std::uint64_t{0}, text);
  }
  bool string(std::string& text) override {
    next_item();
    if (text.find('\0') == std::string::npos) return true;
    fail(wrong_, "{}: {}: a text with a NUL in it; expected one without", name_, place());
  }
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& key) override {
    level& object = levels_.back();
    object.last_key.clear();
    if (key.find('\0') != std::string::npos) {
      fail(wrong_, "{}: {}: a key with a NUL in it; expected one without", name_, place());
    }
    object.last_key = key;
    if (object.keys.insert(key).second) return true;
    fail(wrong_, "{}: {}: the key \"{}\" appears twice; expected it once", name_, place(), key);
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  static constexpr std::size_t most_levels = 128;

  struct level {
    bool is_object;
    std::set<std::string> keys;
    std::string last_key;
    std::size_t items = 0;
  };

  bool open(bool is_object) {
    if (levels_.size() == most_levels) {
      fail(wrong_, "{}: {}: nested deeper than {} levels; expected fewer", name_, place(), most_levels);
    }
    next_item();
    levels_.push_back({is_object, {}, {}, 0});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  bool next_item() {
    if (!levels_.empty()) ++levels_.back().items;
    return true;
  }

  /// Where the key or the value is that was just read.
  std::string place() const {
    std::string pointer;
    for (const level& parent : levels_) {
      const std::size_t item = parent.items > 0 ? parent.items - 1 : 0;
      pointer = pointer_step(pointer, parent.is_object ? parent.last_key : std::to_string(item));
    }
    return pointer.empty() ? "/" : pointer;
  }

  bool check_integer(std::uint64_t size, const std::string& text) const {
    constexpr std::uint64_t largest = std::uint64_t{1} << 53;  // beyond it, other readers of JSON round
    if (wrong_ != exit_code::usage || size <= largest) return true;
    fail(wrong_, "{}: {}: got {}; expected at most 2^53", name_, place(), text);
  }

  const std::string& name_;
  exit_code wrong_;
  std::vector<level> levels_;
};

/// With integers instead of numbers such as 1e6, which mean the same.
json with_whole_numbers_as_integers(json value) {
  if (value.is_structured()) {
    for (json& child : value) child = with_whole_numbers_as_integers(std::move(child));
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::fabs(number) <= 0x1p53 && number == std::floor(number)) value = static_cast<std::int64_t>(number);
  }
  return value;
}

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
    strict_check check(name, wrong);
    static_cast<void>(json::sax_parse(text.begin(), text.end(), &check));
    return json::parse(text.begin(), text.end());
  } catch (const json::exception& error) {
    fail(wrong, "{}: expected JSON; {}", name, plain_message(error.what()));
  }
}

json read_json(const std::string& path, exit_code wrong) {
  constexpr std::uint64_t largest = std::uint64_t{256} << 20;
  std::string name;
  std::string text;
  try {
    input_file file(path);
    file.expect_at_most(largest);
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
  return with_whole_numbers_as_integers(parse_json(name, text, exit_code::usage));
}

json read_config(const std::string& path) {
  return with_whole_numbers_as_integers(read_json(path, exit_code::usage));
}

}  // namespace upsweep::apps
