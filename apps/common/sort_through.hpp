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

/// Whether a sort that takes so much device memory is to be done in pieces: where there is no room, by the default
/// method. Fails with exit_code::usage if another method was asked for and the room is that of --gpu-memory.
bool goes_in_pieces(device_session& device, std::size_t bytes, const runtime::sort_method_with_scan& method);

/// Sorts by as much of the device's memory as there is room; returns how much was taken. Needs host memory for as many
/// bytes as there are in keys and values. Draws a bar.
std::uint64_t sort_through(device_session& device, const sort_through_call& call);

}  // namespace upsweep::apps
