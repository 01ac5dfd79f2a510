#include "text.hpp"

#include <fmt/core.h>

namespace upsweep::apps {

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

std::string list_text(const std::vector<std::string>& words) {
  constexpr std::size_t most = 24;
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == most) return fmt::format("{} and {} more", text, words.size() - most);
    if (i > 0) text += ", ";
    text += words[i];
  }
  return text;
}

}  // namespace upsweep::apps
