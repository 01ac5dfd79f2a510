// Columns of numbers in text, of which several threads read the rows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "csv_date.hpp"
#include "growing_array.hpp"
#include "particle_table.hpp"
#include "share_rows.hpp"
#include "short_number.hpp"

namespace upsweep::apps {

/// The rows of a column from `first` on, in turn.
class csv_part {
 public:
  /// They go to `values`, from the place `first` on.
  csv_part(std::uint64_t* values, std::size_t first, std::optional<scalar_type> given, std::optional<date_unit> dates)
      : begin_(values + first), end_(begin_), first_(first), given_(given), dates_(dates) {}

  /// False if the text is not a number, or not one of the given type, or not a date.
  bool add(std::string_view text);
  /// Adds the fields of so many rows, of which field(row, begin, end) says where; returns how many, from the first one
  /// on, could be added to those before without another type. It also reads short_number_room bytes before each.
  template <class Field>
  std::size_t add_fields(std::size_t rows, const Field& field);
  /// Forgets the rows from there on, of the column.
  void keep_first(std::size_t rows) { end_ = begin_ + (rows - first_); }
  /// Some text was none: the column is not one of numbers.
  void drop() { is_dropped_ = true; }
  bool is_dropped() const { return is_dropped_; }

  scalar_type type() const { return type_; }
  bool has_negative() const { return has_negative_; }
  /// Whole numbers become the nearest doubles, in values that may have moved.
  void become_real(std::uint64_t* values) const;

 private:
  bool add_date(std::string_view text);
  bool add_of_type(std::string_view text);
  bool add_as_it_is(std::string_view text);
  template <class Number, class Field>
  std::size_t add_numbers(std::size_t rows, const Field& field);

  std::uint64_t *begin_, *end_;
  std::size_t first_;
  std::optional<scalar_type> given_;
  std::optional<date_unit> dates_;
  scalar_type type_ = scalar_type::i64;
  bool has_negative_ = false, is_dropped_ = false;
};

template <class Number, class Field>
std::size_t csv_part::add_numbers(std::size_t rows, const Field& field) {
  std::uint64_t* values = end_;
  bool has_negative = false;
  std::size_t row = 0;
  for (; row < rows; ++row) {
    const char *begin = nullptr, *end = nullptr;
    field(row, begin, end);
    short_decimal decimal;
    if (take_plain_decimal<sixteen_bytes>(begin, end, decimal)) {
      if constexpr (std::is_floating_point_v<Number>) {
        *values++ = std::bit_cast<std::uint64_t>(plain_double(decimal));
        continue;
      } else if (Number number{}; number_of(decimal, number)) {
        has_negative |= number < 0;
        *values++ = std::bit_cast<std::uint64_t>(number);
        continue;
      }
    }
    end_ = values;
    has_negative_ |= has_negative;
    if (!add_as_it_is({begin, end})) break;
    values = end_;
  }
  end_ = values;
  has_negative_ |= has_negative;
  return row;
}

template <class Field>
std::size_t csv_part::add_fields(std::size_t rows, const Field& field) {
  if (is_dropped_) return rows;
  if (!given_ && !dates_ && type_ == scalar_type::f64) return add_numbers<double>(rows, field);
  if (!given_ && !dates_ && type_ == scalar_type::i64) return add_numbers<std::int64_t>(rows, field);
  for (std::size_t row = 0; row < rows; ++row) {
    const char *begin = nullptr, *end = nullptr;
    field(row, begin, end);
    if (!add_as_it_is({begin, end})) return row;
  }
  return rows;
}

/// The numbers of a column, of the narrowest of i64, u64 and f64 that holds all of them, or of a type that is given; or
/// its dates.
class csv_column {
 public:
  csv_column(std::string name, std::size_t field, std::optional<column_type> given = {})
      : name_(std::move(name)), field_(field), is_given_(given) {
    if (given && given->is_date) dates_ = date_unit::microseconds;
    if (given && !given->is_date) type_ = given->type;
  }

  const std::string& name() const { return name_; }
  std::size_t field() const { return field_; }
  bool has_given_type() const { return is_given_; }
  /// Takes a text from the beginning of the column, that is not missing, as a sign of whether it has dates, and in what
  /// they are counted. False where the text is missing.
  bool look_at(std::string_view text);
  /// What is expected of every text.
  std::string expected() const;

  /// Makes room for so many rows, 8 bytes each, and about so many in the end.
  void make_room(std::size_t rows, std::size_t in_the_end);
  /// The rows from there on, which have room.
  csv_part part_from(std::size_t row) { return {values_.data(), row, type_, dates_}; }
  /// Keeps what read_rows has read.
  void keep(const csv_part& part);
  /// Makes it the next column of a table, once all rows have been read; where it is none of numbers, an other.
  void move_to(particle_table& table);

 private:
  std::string name_;
  std::size_t field_;
  bool is_given_;
  std::optional<scalar_type> type_;  ///< of numbers, where it was given
  std::optional<date_unit> dates_;
  growing_array<std::uint64_t> values_;
  std::vector<csv_part> parts_;
};

/// Reads the rows from `first` to `count` by read(first, last, parts) of shares of them, with a part for each column.
///   part  of all rows, which those up to `count` are about
///   busy  cores that have other work
template <class Read>
void read_rows(std::vector<csv_column>& columns, std::size_t first, std::size_t count, double part, const Read& read,
               std::size_t busy = 0) {
  if (columns.empty()) return;
  for (csv_column& c : columns) c.make_room(count, static_cast<std::size_t>(static_cast<double>(count) / part));
  std::mutex mutex;
  const auto read_share = [&](std::size_t begin, std::size_t end) {
    std::vector<csv_part> parts;
    for (csv_column& c : columns) parts.push_back(c.part_from(first + begin));
    read(first + begin, first + end, parts);
    const std::lock_guard lock(mutex);
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].keep(parts[c]);
  };
  share_rows(count - first, read_share, least_rows, busy);
}

}  // namespace upsweep::apps
