#include "sorting.hpp"

namespace upsweep::apps {

key_table sort_on_device(device_session& device, const runtime::sort_policy& policy, sort_order order,
                         const key_table& input, sort_times& times) {
  stopwatch watch;
  const std::int64_t n = input.keys.count;
  const std::size_t key_bytes = input.keys.data.bytes();
  const std::size_t value_bytes = input.has_values ? input.values.bytes() : 0;

  const runtime::buffer keys_in = device.allocate(key_bytes, "the keys");
  const runtime::buffer keys_out = device.allocate(key_bytes, "the sorted keys");
  const runtime::buffer values_in = device.allocate(value_bytes, "the payload");
  const runtime::buffer values_out = device.allocate(value_bytes, "the sorted payload");
  const std::size_t bytes = runtime::sort_workspace_bytes(policy, input.keys.type, input.has_values, n);
  const runtime::buffer workspace = device.allocate(bytes, "the workspace");
  device.copy(keys_in.data(), input.keys.data.data(), key_bytes);
  if (input.has_values) device.copy(values_in.data(), input.values.data(), value_bytes);
  times.upload_ms = watch.lap();

  times.device_ms = device.time("sorting", [&] {
    if (!input.has_values) {
      return runtime::sort_keys(device.stream(), policy, input.keys.type, order, workspace.as_workspace(),
                                keys_in.data(), keys_out.data(), n);
    }
    return runtime::sort_pairs(device.stream(), policy, input.keys.type, order, workspace.as_workspace(),
                               keys_in.data(), keys_out.data(), values_in.as<std::uint32_t>(),
                               values_out.as<std::uint32_t>(), n);
  });
  watch.lap();

  key_table sorted;
  sorted.keys = {input.keys.type, n, byte_array(key_bytes)};
  sorted.has_values = input.has_values;
  sorted.value_type = input.value_type;
  sorted.values = byte_array(value_bytes);
  device.copy(sorted.keys.data.data(), keys_out.data(), key_bytes);
  if (input.has_values) device.copy(sorted.values.data(), values_out.data(), value_bytes);
  times.download_ms = watch.lap();
  return sorted;
}

}  // namespace upsweep::apps
