#include "grid.hpp"

#include <algorithm>
#include <iterator>

#include "text.hpp"

namespace upsweep::apps {
namespace {

/// A cell of a markdown table ends at '|'.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string padded(const std::string& text, std::size_t width, grid::side alignment) {
  const std::string space(width - text.size(), ' ');
  return alignment == grid::side::left ? text + space : space + text;
}

}  // namespace

bool grid::column::shown() const {
  return std::any_of(cells.begin(), cells.end(), [](const std::string& cell) { return !cell.empty(); });
}

std::size_t grid::column::width() const {
  std::size_t widest = header.size();
  for (const std::string& cell : cells) widest = std::max(widest, cell.size());
  return widest;
}

void grid::put(std::string_view header, side alignment, std::string text) {
  auto at = std::find_if(columns_.begin(), columns_.end(), [&](const column& c) { return c.header == header; });
  if (at == columns_.end()) at = columns_.insert(at, {std::string(header), alignment, {}});
  at->cells.resize(rows_ + 1);
  at->cells[rows_] = one_line(text);
}

std::vector<grid::column> grid::shown() const {
  std::vector<column> some;
  std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(some), [](const column& c) { return c.shown(); });
  return some;
}

std::string grid::aligned() const {
  const std::vector<column> columns = shown();
  std::string text;
  const auto add_line = [&](auto word) {
    std::string line;
    for (const column& c : columns) line += padded(word(c), c.width(), c.alignment) + "  ";
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_line([](const column& c) { return c.header; });
  add_line([](const column& c) { return std::string(c.width(), '-'); });
  for (std::size_t row = 0; row < rows_; ++row) add_line([row](const column& c) { return c.cell(row); });
  return text;
}

std::string grid::markdown() const {
  const std::vector<column> columns = shown();
  std::string text;
  const auto add_line = [&](auto word) {
    text += '|';
    for (const column& c : columns) text += ' ' + word(c) + " |";
    text += '\n';
  };
  add_line([](const column& c) { return escaped(c.header); });
  add_line([](const column& c) { return std::string(c.alignment == side::left ? "---" : "---:"); });
  for (std::size_t row = 0; row < rows_; ++row) add_line([row](const column& c) { return escaped(c.cell(row)); });
  return text;
}

}  // namespace upsweep::apps
