// Orders of the rows of a table, by one column or several.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byte_array.hpp"
#include "device_session.hpp"
#include "key_types.hpp"
#include "particle_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::apps {

/// Keys of `n` rows on the host, and how they are ordered.
struct row_key {
  const void* data = nullptr;
  scalar_type type = scalar_type::u32;
  key_order how;
};

/// The most rows that can be ordered: their places have 32 bits.
inline constexpr std::int64_t most_ordered_rows = (std::int64_t{1} << 32) - 1;

/// Where the row that comes to each place was, u32: by the first key, equal ones by the next, and so on, stably. Each
/// key is sorted on the device; adds the time that took there to `device_ms`.
byte_array sorted_places(device_session& device, const runtime::sort_method_with_scan& method,
                         std::span<const row_key> keys, std::int64_t n, double& device_ms);

/// Sorts again with plain CPU code. Empty when every place agrees, else the first difference in words.
std::string first_wrong_place(std::span<const row_key> keys, std::int64_t n, const byte_array& places);

/// Rows of so many bytes in that order.
byte_array rows_at(const byte_array& rows, std::size_t row_bytes, const byte_array& places);

/// The first `count` rows of `table` in that order. Each of its columns goes when it has been moved.
particle_table take_rows_at(particle_table& table, const byte_array& places, std::int64_t count);

}  // namespace upsweep::apps
