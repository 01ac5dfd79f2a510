// Columns of numbers in text, of which several threads read the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "byte_array.hpp"
#include "particle_table.hpp"
#include "short_number.hpp"

namespace upsweep::apps {

/// The text between the blanks around it.
inline std::string_view without_blanks(std::string_view field) {
  constexpr std::string_view blank = " \t\r";
  while (!field.empty() && blank.find(field.front()) != blank.npos) field.remove_prefix(1);
  while (!field.empty() && blank.find(field.back()) != blank.npos) field.remove_suffix(1);
  return field;
}

class csv_part;

/// The numbers of a column, of the narrowest of i64, u64 and f64 that holds all of them, or of a type that is given.
class csv_column {
 public:
  csv_column(std::string name, std::size_t field, std::optional<scalar_type> type = {})
      : name_(std::move(name)), field_(field), type_(type) {}

  const std::string& name() const { return name_; }
  std::size_t field() const { return field_; }
  std::optional<scalar_type> given_type() const { return type_; }
  /// What is expected of every text.
  std::string expected() const;

  /// Makes room for all rows: 8 bytes each.
  void make_room(std::size_t rows) { values_ = byte_array(rows * sizeof(std::uint64_t)); }
  std::uint64_t* values() { return values_.as<std::uint64_t>(); }
  /// Makes it the next column of a table, once `parts` have read all of its rows.
  void move_to(particle_table& table, std::span<const csv_part> parts);

 private:
  std::string name_;
  std::size_t field_;
  std::optional<scalar_type> type_;
  byte_array values_;
};

/// The rows of a column from `first` on, in turn.
class csv_part {
 public:
  csv_part(csv_column& column, std::size_t first)
      : begin_(column.values() + first), end_(begin_), given_(column.given_type()) {}

  /// False where the text is no number, or none of the type that was given.
  bool add(std::string_view text);
  /// Also where the text must be looked at again.
  bool add(const short_decimal& number);
  /// Some text was none: the column is not one of numbers.
  void drop() { is_dropped_ = true; }
  bool is_dropped() const { return is_dropped_; }

  scalar_type type() const { return type_; }
  bool has_negative() const { return has_negative_; }
  /// Whole numbers become the nearest doubles.
  void become_real() const;

 private:
  bool add_of_type(std::string_view text);

  std::uint64_t *begin_, *end_;
  std::optional<scalar_type> given_;
  scalar_type type_ = scalar_type::i64;
  bool has_negative_ = false, is_dropped_ = false;
};

}  // namespace upsweep::apps
