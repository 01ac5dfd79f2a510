#include "csv_column.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "csv_rows.hpp"
#include "ply_values.hpp"
#include "text_numbers.hpp"

namespace upsweep::apps {
namespace {

bool is_missing(std::string_view text) {
  return text.empty() || text == "NA" || text == "N/A" || text == "null" || text == "NULL";
}

bool is_missing_date(std::string_view text) {
  return is_missing(text) || text == "NaT" || text == "NaN" || text == "nan";
}

/// The type that holds the numbers of all parts.
scalar_type common_type(const std::vector<csv_part>& parts) {
  const auto any = [&](auto is) { return std::any_of(parts.begin(), parts.end(), is); };
  const bool has_large = any([](const csv_part& p) { return p.type() == scalar_type::u64; });
  if (any([](const csv_part& p) { return p.type() == scalar_type::f64; })) return scalar_type::f64;
  if (has_large && any([](const csv_part& p) { return p.has_negative(); })) return scalar_type::f64;
  return has_large ? scalar_type::u64 : scalar_type::i64;
}

}  // namespace

std::string csv_column::expected() const {
  if (dates_ == date_unit::nanoseconds) return "a date between the years 1678 and 2261";
  if (dates_) return "a date, as 2024-02-29 or 2024-02-29T13:05:09.123456Z";
  return type_ ? fmt::format("a number of type {}", name_of(*type_)) : "a number";
}

bool csv_column::look_at(std::string_view text) {
  if (is_missing_date(text)) return false;
  std::int64_t date = 0;
  if (type_) return true;
  if (parse_date(text, date_unit::nanoseconds, date) && date % 1000 != 0) {
    dates_ = date_unit::nanoseconds;
  } else if (parse_date(text, date_unit::microseconds, date)) {
    dates_ = date_unit::microseconds;
  }
  return true;
}

void csv_column::make_room(std::size_t rows, std::size_t in_the_end) {
  if (rows > values_.room()) values_.reserve(std::max({rows, in_the_end, values_.room() / 4 * 5}));
  values_.resize(rows);
}

void csv_column::keep(const csv_part& part) {
  parts_.push_back(part);
}

void csv_column::move_to(particle_table& table) {
  if (std::ranges::any_of(parts_, &csv_part::is_dropped)) {
    table.others.push_back(name_);
    return;
  }
  const scalar_type type = type_.value_or(dates_ ? scalar_type::i64 : common_type(parts_));
  if (!type_ && type == scalar_type::f64) {
    for (const csv_part& part : parts_) part.become_real(values_.data());
  }
  const std::size_t size = size_of(type), count = values_.size();
  byte_array values = values_.take();
  // Each value is in the first bytes of 8.
  for (std::size_t i = 1; i < count && size < sizeof(std::uint64_t); ++i) {
    std::memcpy(values.data() + i * size, values.data() + i * sizeof(std::uint64_t), size);
  }
  values.shrink(count * size);
  const std::string date = !dates_ ? "" : dates_ == date_unit::nanoseconds ? "M8[ns]" : "M8[us]";
  table.columns.push_back({name_, type, std::move(values), date});
}

bool csv_part::add(std::string_view text) {
  if (given_) return add_of_type(text);
  if (dates_) return add_date(text);
  if (type_ != scalar_type::f64) {
    const bool is_signed = type_ == scalar_type::i64;
    std::int64_t whole = 0;
    std::uint64_t natural = 0;
    if (is_signed && parse_number(text, whole) == text_number::taken) {
      *end_++ = static_cast<std::uint64_t>(whole);
      has_negative_ |= whole < 0;
      return true;
    }
    if (!has_negative_ && parse_number(text, natural) == text_number::taken) {
      type_ = scalar_type::u64;
      *end_++ = natural;
      return true;
    }
    become_real(begin_ - first_);
    type_ = scalar_type::f64;
  }
  double real = std::numeric_limits<double>::quiet_NaN();
  if (parse_number(text, real) != text_number::taken && !is_missing(text)) return false;
  *end_++ = std::bit_cast<std::uint64_t>(real);
  return true;
}

bool csv_part::add_as_it_is(std::string_view text) {
  text = without_blanks(text);
  if (dates_) return add_date(text);
  std::array<std::byte, sizeof(std::uint64_t)> value{};
  const scalar_type type = given_.value_or(type_);
  if (!take_short_value(type, text.data(), text.data() + text.size(), value.data())) {
    if (given_) return add_of_type(text);
    // All numbers are doubles; others may need another type.
    const bool is_taken = type == scalar_type::f64 || parse_ply_value(type, text, value.data()) == text_number::taken;
    return is_taken && add(text);
  }
  *end_++ = std::bit_cast<std::uint64_t>(value);
  has_negative_ |= type == scalar_type::i64 && static_cast<std::int64_t>(*(end_ - 1)) < 0;
  return true;
}

bool csv_part::add_date(std::string_view text) {
  std::int64_t date = not_a_time;
  if (!parse_date(text, *dates_, date) && !is_missing_date(text)) return false;
  *end_++ = static_cast<std::uint64_t>(date);
  return true;
}

bool csv_part::add_of_type(std::string_view text) {
  if (is_missing(text) && (given_ == scalar_type::f32 || given_ == scalar_type::f64)) text = "nan";
  std::array<std::byte, sizeof(std::uint64_t)> value{};
  if (parse_ply_value(*given_, text, value.data()) != text_number::taken) return false;
  *end_++ = std::bit_cast<std::uint64_t>(value);
  return true;
}

void csv_part::become_real(std::uint64_t* values) const {
  if (type_ == scalar_type::f64) return;
  std::uint64_t* const begin = values + first_;
  for (std::uint64_t* v = begin; v != begin + (end_ - begin_); ++v) {
    const double real =
        type_ == scalar_type::i64 ? static_cast<double>(static_cast<std::int64_t>(*v)) : static_cast<double>(*v);
    *v = std::bit_cast<std::uint64_t>(real);
  }
}

}  // namespace upsweep::apps
