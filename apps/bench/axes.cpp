#include "axes.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "failure.hpp"
#include "text.hpp"
#include "text_numbers.hpp"

namespace upsweep::apps {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 40;

[[noreturn]] void unexpected(const std::string& origin, std::string_view came, std::string_view expected) {
  fail(exit_code::usage, "{}: got \"{}\"; expected {}", origin, came, expected);
}

std::int64_t size_from(const std::string& origin, std::string_view text) {
  const auto size = whole_number(text);
  if (!size || *size < 1 || *size > largest_size) {
    unexpected(origin, text, "a number from 1 to 2^40, as 1000, 1e6 or 2^20");
  }
  return *size;
}

template <class T>
void add_once(std::vector<T>& to, const T& value) {
  if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

/// True when `name` is `start`, or goes on after it with a slash, which may be the end of `start` too.
bool begins_with(std::string_view name, std::string_view start) {
  if (start.ends_with('/')) return name.starts_with(start);
  return name.starts_with(start) && (name.size() == start.size() || name[start.size()] == '/');
}

std::string list_of(std::span<const std::string_view> words) {
  return list_text({words.begin(), words.end()});
}

/// What could replace a part that is not a name: names as far as the slash after what the part has right.
std::vector<std::string> nearest_names(std::string_view part, std::span<const scan_variant> known) {
  std::string_view right = part;
  const auto has_it = [&](const scan_variant& v) { return right.empty() || begins_with(variant_name(v), right); };
  while (!right.empty() && std::ranges::none_of(known, has_it)) {
    const std::size_t slash = right.rfind('/');
    right = right.substr(0, slash == right.npos ? 0 : slash);
  }
  std::vector<std::string> names;
  if (right.empty()) names = {"all"};
  for (const scan_variant& v : known) {
    const std::string name = variant_name(v);
    if (has_it(v)) add_once(names, name.substr(0, name.find('/', right.empty() ? 0 : right.size() + 1)));
  }
  return names;
}

}  // namespace

std::vector<std::string> list_axis(const std::string& origin, std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) unexpected(origin, text, "a list with commas and nothing empty in it");
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::int64_t> size_axis(const std::string& origin, std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (const std::string& part : list_axis(origin, text)) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      add_once(sizes, size_from(origin, part));
      continue;
    }
    const std::int64_t first = size_from(origin, std::string_view(part).substr(0, dots));
    const std::int64_t last = size_from(origin, std::string_view(part).substr(dots + 2));
    if (first > last) unexpected(origin, part, "a range that does not fall");
    for (std::int64_t n = first; n <= last; n *= 2) add_once(sizes, n);
  }
  return sizes;
}

std::vector<scalar_type> type_axis(const std::string& origin, std::string_view text,
                                   std::span<const scalar_type> known) {
  std::vector<std::string_view> names;
  for (const scalar_type type : known) names.push_back(name_of(type));
  std::vector<scalar_type> types;
  for (const std::string& part : word_axis(origin, text, names)) add_once(types, *scalar_type_named(part));
  return types;
}

std::vector<std::string> word_axis(const std::string& origin, std::string_view text,
                                   std::span<const std::string_view> known) {
  std::vector<std::string> words;
  for (const std::string& part : list_axis(origin, text)) {
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      unexpected(origin, part, "one of " + list_of(known));
    }
    add_once(words, part);
  }
  return words;
}

std::vector<scan_variant> variant_axis(const std::string& origin, std::string_view text,
                                       std::span<const scan_variant> known) {
  const std::vector<std::string> parts = list_axis(origin, text);
  std::vector<scan_variant> variants;
  for (const std::string& part : parts) {
    bool found = false;
    for (const scan_variant& v : known) {
      if (part != "all" && !begins_with(variant_name(v), part)) continue;
      found = true;
      add_once(variants, v);
    }
    if (found) continue;
    unexpected(origin, part, "one of " + list_text(nearest_names(part, known)));
  }
  return variants;
}

std::vector<double> percent_axis(const std::string& origin, std::string_view text) {
  std::vector<double> shares;
  for (const std::string& part : list_axis(origin, text)) {
    double percent = 0;
    const bool is_one = parse_number(part, percent) == text_number::taken;
    if (!is_one || !(percent >= 0 && percent <= 100)) unexpected(origin, part, "a percentage from 0 to 100");
    add_once(shares, percent / 100);
  }
  return shares;
}

std::string variant_name(const scan_variant& v) {
  if (!has_tiles(v.strategy)) return std::string(name_of(v.strategy));
  return fmt::format("{}/{}/{}x{}", name_of(v.strategy), name_of(v.block), v.block_threads, v.items_per_thread);
}

}  // namespace upsweep::apps
