// Sorting: from keys and payloads on the host to all of them sorted, by way of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "byte_array.hpp"
#include "device_session.hpp"
#include "key_types.hpp"
#include "npy.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::apps {

/// Values that belong to the keys: as many rows of so many bytes.
struct value_table {
  std::size_t row_bytes = 0;
  byte_array data;
};

/// Keys with what belongs to them.
struct key_table {
  npy_vector keys;
  std::vector<value_table> values;
  /// Of a sorted table whose places were asked for: where each key was in the input, u32. Then it has nothing else.
  byte_array places;
};

struct sort_times {
  double upload_ms = 0;
  double device_ms = 0;  ///< of what went in pieces, all of it
  double download_ms = 0;
  std::uint64_t by_bytes = 0;  ///< of device memory, where all went through so much in pieces
};

/// True when the values go by the places of the keys, and so do fewer than 2^32 keys alone.
bool goes_by_places(const key_table& input, bool argsort);

/// Sorts on the device, in pieces where it has no room for all. `argsort`: the places alone.
key_table sort_on_device(device_session& device, const runtime::sort_method_with_scan& policy, const key_order& how,
                         const key_table& input, bool argsort, sort_times& times);

/// Keys from `begin` on, before `end`, that a sort does not tell apart.
struct key_run {
  std::uint64_t begin, end;
};

/// The runs of a sorted table, which has keys, or places of those of the input.
std::vector<key_run> runs_of(const key_table& input, const key_order& how, const key_table& sorted);

/// Sorts again with std::stable_sort and compares every byte of keys, values and places, and the runs unless they
/// are null. Empty when all agree, else the first difference in words. Needs memory for two codes and places a key.
std::string first_difference(const key_table& input, const key_order& how, const key_table& sorted,
                             const std::vector<key_run>* runs = nullptr);

}  // namespace upsweep::apps
