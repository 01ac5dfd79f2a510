// Dates in text, by ISO 8601.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace upsweep::apps {

/// What NumPy calls "not a time": where a date is missing.
inline constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

/// Dates are counted in these since 1970.
enum class date_unit : std::uint8_t { microseconds, nanoseconds };

/// Takes all of a text as a date: 2024-02-29, which may be followed, after a T or a blank, by 13:05 or 13:05:09 with up
/// to nine digits of a second, and Z, +02, +0200 or +02:00. Without one of these it is a time of UTC. False where it is
/// none, or no whole number of units that 64 bits hold.
bool parse_date(std::string_view text, date_unit unit, std::int64_t& since_1970);

}  // namespace upsweep::apps
