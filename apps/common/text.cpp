#include "text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text_numbers.hpp"

namespace upsweep::apps {
namespace {

/// How many letters are to be put in, left out, replaced, or swapped with the next, to make one word of the other.
std::size_t changes_between(std::string_view from, std::string_view to) {
  // changes[i][k] is that of the first i letters of the one and the first k of the other.
  std::vector<std::vector<std::size_t>> changes(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t k = 0; k <= to.size(); ++k) {
      std::size_t& fewest = changes[i][k];
      if (i == 0 || k == 0) {
        fewest = i + k;
        continue;
      }
      const bool same = from[i - 1] == to[k - 1];
      fewest = std::min({changes[i - 1][k] + 1, changes[i][k - 1] + 1, changes[i - 1][k - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && k > 1 && from[i - 1] == to[k - 2] && from[i - 2] == to[k - 1];
      if (swapped) fewest = std::min(fewest, changes[i - 2][k - 2] + 1);
    }
  }
  return changes.back().back();
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 1200;
  std::string line(text);
  if (line.size() > longest) line = line.substr(0, longest / 2) + " ... " + line.substr(line.size() - longest / 2);
  for (char& c : line) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) c = '?';
  }
  return line;
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::string_view units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(units)) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

std::optional<std::uint64_t> bytes_of(std::string_view text) {
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc{} || !(amount >= 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.ends_with('B')) {
    unit.remove_suffix(1);
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  const double thousand = unit.ends_with('i') ? 1024 : 1000;
  if (unit.ends_with('i')) unit.remove_suffix(1);
  constexpr std::string_view prefixes = "KMGT";
  const std::size_t power = unit == "k" ? 0 : unit.size() == 1 ? prefixes.find(unit[0]) : prefixes.npos;
  if (!unit.empty() && power == prefixes.npos) return std::nullopt;
  if (!unit.empty()) amount *= std::pow(thousand, static_cast<double>(power + 1));
  if (amount >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(amount);
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blank); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(blank, at);
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blank, end);
  }
  return words;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  constexpr std::string_view power = "2^";
  std::int64_t number = 0;
  if (text.starts_with(power)) {
    int exponent = 0;
    const bool is_one = parse_number(text.substr(power.size()), exponent) == text_number::taken;
    if (!is_one || exponent < 0 || exponent > 62) return std::nullopt;
    return std::int64_t{1} << exponent;
  }
  if (parse_number(text, number) == text_number::taken) return number;
  constexpr double largest = 0x1p53;  // up to it, doubles are as many as the whole numbers
  double real = 0;
  const bool is_whole =
      parse_number(text, real) == text_number::taken && std::fabs(real) <= largest && real == std::floor(real);
  return is_whole ? std::optional(static_cast<std::int64_t>(real)) : std::nullopt;
}

std::string nearest_word(std::string_view wrong, const std::vector<std::string>& words) {
  std::string nearest;
  if (wrong.size() < 3) return nearest;  // of so few letters every other word is near
  std::size_t fewest = wrong.size() / 3 + 1;
  for (const std::string& word : words) {
    const std::size_t changes = changes_between(wrong, word);
    if (changes >= fewest) continue;
    fewest = changes;
    nearest = word;
  }
  return nearest;
}

std::string list_text(const std::vector<std::string>& words) {
  constexpr std::size_t most = 32;
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == most) return fmt::format("{} and {} more", text, words.size() - most);
    if (i > 0) text += ", ";
    text += words[i];
  }
  return text;
}

}  // namespace upsweep::apps
