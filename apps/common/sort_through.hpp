// Sorts of host memory through a device that has no room for all of it.
#pragma once

#include <cstdint>
#include <span>

#include "device_session.hpp"
#include "key_types.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::apps {

/// Keys of the host, and what goes with them.
struct sort_through_call {
  const void* keys_in;
  void* keys_out;
  std::span<const runtime::value_rows> values;
  std::int64_t n;
  scalar_type type;
  key_order how;
};

/// Whether what does not fit is sorted in pieces by that method: the default does, one that was asked for does not.
bool goes_in_pieces(const runtime::sort_method_with_scan& method);

/// Sorts by as much of the device's memory as there is room; returns how much was taken. Needs host memory for as many
/// bytes as there are in keys and values. Draws a bar.
std::uint64_t sort_through(device_session& device, const sort_through_call& call);

}  // namespace upsweep::apps
