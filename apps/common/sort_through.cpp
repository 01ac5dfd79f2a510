#include "sort_through.hpp"

#include <algorithm>
#include <vector>

#include "byte_array.hpp"
#include "failure.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace upsweep::apps {

bool goes_in_pieces(device_session& device, std::size_t bytes, const runtime::sort_method_with_scan& method) {
  const std::size_t room = device.room();
  if (bytes <= room) return false;
  if (runtime::method_of(method) == sort_method::default_sort) return true;
  if (!device.is_bounded()) return false;
  fail(exit_code::usage, "--gpu-memory: got {}; expected at least {}, or the default method, which sorts in pieces",
       bytes_text(room), bytes_text(bytes));
}

std::uint64_t sort_through(device_session& device, const sort_through_call& call) {
  std::vector<std::size_t> value_bytes;
  std::size_t row_bytes = size_of(call.type);
  for (const runtime::value_rows& v : call.values) {
    value_bytes.push_back(v.bytes);
    row_bytes += v.bytes;
  }
  const std::size_t room = device.room();
  const std::size_t enough = runtime::sort_from_host_workspace_bytes(call.n, call.type, value_bytes);
  const std::size_t least = runtime::sort_from_host_least_bytes(call.n, call.type, value_bytes);
  if (room < least) {
    if (!device.is_bounded()) {
      throw out_of_memory(fmt::format("{}: out of device memory: {} to sort in pieces; there is room for {}",
                                      device.name(), bytes_text(least), bytes_text(room)));
    }
    fail(exit_code::usage, "--gpu-memory: got {}; expected at least {} for {} keys with what goes with them",
         bytes_text(room), bytes_text(least), with_commas(static_cast<std::uint64_t>(call.n)));
  }
  const runtime::buffer memory = device.allocate(std::min(room, enough), "what is sorted in pieces");
  byte_array scratch;
  if (room < enough) scratch = byte_array(runtime::sort_from_host_scratch_bytes(call.n, call.type, value_bytes));
  const std::uint64_t trips = room < enough ? 2 : 1;
  progress bar("sorting", trips * static_cast<std::uint64_t>(call.n) * row_bytes);
  from_host_options options;
  options.progress = [](void* drawn, std::uint64_t done, std::uint64_t) { static_cast<progress*>(drawn)->reach(done); };
  options.progress_context = &bar;
  const status s =
      runtime::sort_from_host(memory.as_workspace(), {scratch.data(), scratch.bytes()}, call.keys_in, call.keys_out,
                              call.values, call.n, call.type, call.how.order, call.how.bits, options, device.stream());
  bar.done();
  device.check(s, "sorting in pieces");
  return memory.bytes();
}

}  // namespace upsweep::apps
