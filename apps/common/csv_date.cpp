#include "csv_date.hpp"

#include <chrono>
#include <cstddef>

namespace upsweep::apps {
namespace {

class date_parser {
 public:
  explicit date_parser(std::string_view text) : text_(text) {}

  bool is_at_end() const { return text_.empty(); }
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// A number of so many digits, not more than `most`.
  bool take_number(std::size_t digits, unsigned most, unsigned& number) {
    std::size_t count = 0;
    number = take_digits(digits, count);
    return count == digits && number <= most;
  }
  /// The digits after a point, as billionths; false where there are none, or more than nine.
  bool take_fraction(std::int64_t& billionths) {
    std::size_t count = 0;
    constexpr std::size_t most = 9;
    billionths = take_digits(most, count);
    for (std::size_t i = count; i < most; ++i) billionths *= 10;
    return count > 0 && (text_.empty() || text_[0] < '0' || text_[0] > '9');
  }

 private:
  unsigned take_digits(std::size_t most, std::size_t& count) {
    unsigned number = 0;
    for (count = 0; count < most && !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; ++count) {
      number = 10 * number + static_cast<unsigned>(text_[0] - '0');
      text_.remove_prefix(1);
    }
    return number;
  }

  std::string_view text_;
};

/// Seconds since 1970 and billionths of one.
bool take_time(date_parser& rest, std::int64_t& seconds, std::int64_t& billionths) {
  unsigned hour = 0, minute = 0, second = 0;
  if (!rest.take_number(2, 23, hour) || !rest.take(':') || !rest.take_number(2, 59, minute)) return false;
  if (rest.take(':')) {
    if (!rest.take_number(2, 59, second)) return false;
    if ((rest.take('.') || rest.take(',')) && !rest.take_fraction(billionths)) return false;
  }
  seconds += (std::int64_t{hour} * 60 + minute) * 60 + second;
  if (rest.is_at_end() || rest.take('Z')) return rest.is_at_end();
  const bool is_behind = rest.take('-');
  unsigned hours = 0, minutes = 0;
  if (!is_behind && !rest.take('+')) return false;
  if (!rest.take_number(2, 23, hours)) return false;
  if (!rest.is_at_end()) {
    static_cast<void>(rest.take(':'));
    if (!rest.take_number(2, 59, minutes)) return false;
  }
  const std::int64_t offset = (std::int64_t{hours} * 60 + minutes) * 60;
  seconds += is_behind ? offset : -offset;
  return rest.is_at_end();
}

}  // namespace

bool parse_date(std::string_view text, date_unit unit, std::int64_t& since_1970) {
  date_parser rest(text);
  unsigned year = 0, month = 0, day = 0;
  if (!rest.take_number(4, 9999, year) || !rest.take('-') || !rest.take_number(2, 12, month) || !rest.take('-') ||
      !rest.take_number(2, 31, day)) {
    return false;
  }
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(day));
  if (!date.ok()) return false;
  std::int64_t seconds = std::chrono::seconds(std::chrono::sys_days(date).time_since_epoch()).count(), billionths = 0;
  if (!rest.is_at_end()) {
    if (!rest.take('T') && !rest.take(' ')) return false;
    if (!take_time(rest, seconds, billionths)) return false;
  }
  const std::int64_t billionths_of_unit = unit == date_unit::microseconds ? 1000 : 1;
  const std::int64_t units = std::int64_t{1000000000} / billionths_of_unit;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / units - 1;
  if (billionths % billionths_of_unit != 0 || seconds > most || seconds < -most) return false;
  since_1970 = seconds * units + billionths / billionths_of_unit;
  return true;
}

}  // namespace upsweep::apps
