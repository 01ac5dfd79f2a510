// Sorting: from keys and payload on the host to both sorted, by way of a device.
#pragma once

#include <cstdint>
#include <string>

#include "byte_array.hpp"
#include "device_session.hpp"
#include "npy.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::apps {

/// Keys, and a 32-bit value each when `has_values`.
struct key_table {
  npy_vector keys;
  bool has_values = false;
  scalar_type value_type = scalar_type::u32;  ///< of 4 bytes
  byte_array values;
};

struct sort_times {
  double upload_ms = 0;
  double device_ms = 0;
  double download_ms = 0;
};

/// Sorts on the device.
key_table sort_on_device(device_session& device, const runtime::sort_policy& policy, sort_order order,
                         const key_table& input, sort_times& times);

/// Sorts again with std::stable_sort and compares every byte of keys and values. Empty when all agree, else the first
/// difference in words. Needs memory for two copies of the input.
std::string first_difference(const key_table& input, sort_order order, const key_table& sorted);

}  // namespace upsweep::apps
