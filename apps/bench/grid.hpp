// A table of words, laid out for a terminal or for markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upsweep::apps {

/// Columns in the order in which they were added; one that is empty in every row is not shown.
class grid {
 public:
  enum class side { left, right };

  /// Puts `text` under `header` in the current row. The first use of a header makes its column.
  void put(std::string_view header, side alignment, std::string text);
  void end_row() { ++rows_; }

  /// Columns two spaces apart, and a line of dashes under the headers.
  std::string aligned() const;
  std::string markdown() const;

 private:
  struct column {
    std::string header;
    side alignment;
    std::vector<std::string> cells;

    std::string cell(std::size_t row) const { return row < cells.size() ? cells[row] : std::string(); }
    bool shown() const;
    std::size_t width() const;
  };

  std::vector<column> shown() const;

  std::vector<column> columns_;
  std::size_t rows_ = 0;
};

}  // namespace upsweep::apps
