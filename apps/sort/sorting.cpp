#include "sorting.hpp"

#include <numeric>

#include "sort_through.hpp"

namespace upsweep::apps {
namespace {

/// One array of 32-bit values moves with the keys themselves.
bool goes_as_pairs(const key_table& input) {
  return input.values.size() == 1 && input.values[0].row_bytes == sizeof(std::uint32_t);
}

/// Bytes of device memory for all of it at once.
std::size_t bytes_at_once(const key_table& input, bool argsort, std::size_t workspace_bytes) {
  std::size_t bytes = input.keys.data.bytes() + workspace_bytes;
  if (argsort) return bytes + static_cast<std::size_t>(input.keys.count) * sizeof(std::uint32_t);
  bytes += input.keys.data.bytes();
  for (const value_table& v : input.values) bytes += 2 * v.data.bytes();
  return bytes;
}

key_table sort_in_pieces(device_session& device, const key_order& how, const key_table& input, bool argsort,
                         sort_times& times) {
  const auto n = static_cast<std::size_t>(input.keys.count);
  key_table sorted;
  sorted.keys.type = input.keys.type;
  sorted.keys.count = input.keys.count;
  sorted.keys.data = byte_array(input.keys.data.bytes());
  std::vector<runtime::value_rows> rows;
  byte_array numbers;
  if (argsort) {
    numbers = byte_array(n * sizeof(std::uint32_t));
    std::iota(numbers.as<std::uint32_t>(), numbers.as<std::uint32_t>() + n, 0u);
    sorted.places = byte_array(numbers.bytes());
    rows.push_back({numbers.data(), sorted.places.data(), sizeof(std::uint32_t)});
  }
  for (const value_table& v : input.values) {
    byte_array& to = sorted.values.emplace_back(value_table{v.row_bytes, byte_array(v.data.bytes())}).data;
    rows.push_back({v.data.data(), to.data(), v.row_bytes});
  }
  stopwatch watch;
  times.by_bytes = sort_through(
      device, {input.keys.data.data(), sorted.keys.data.data(), rows, input.keys.count, input.keys.type, how});
  times.device_ms = watch.lap();
  if (argsort) sorted.keys.data = {};
  return sorted;
}

}  // namespace

bool goes_by_places(const key_table& input, bool argsort) {
  return argsort || (!input.values.empty() && !goes_as_pairs(input));
}

key_table sort_on_device(device_session& device, const runtime::sort_method_with_scan& method, const key_order& how,
                         const key_table& input, bool argsort, sort_times& times) {
  stopwatch watch;
  const std::int64_t n = input.keys.count;
  const scalar_type type = input.keys.type;
  const std::size_t key_bytes = input.keys.data.bytes();
  const std::size_t place_bytes = argsort ? static_cast<std::size_t>(n) * sizeof(std::uint32_t) : 0;
  const bool pairs = goes_as_pairs(input);

  const std::size_t bytes = argsort                ? runtime::argsort_workspace_bytes(n, type, method)
                            : input.values.empty() ? runtime::sort_keys_workspace_bytes(n, type, method)
                            : pairs                ? runtime::sort_pairs_workspace_bytes(n, type, method)
                                                   : runtime::sort_with_values_workspace_bytes(n, type, method);
  if (goes_in_pieces(device, bytes_at_once(input, argsort, bytes), method)) {
    return sort_in_pieces(device, how, input, argsort, times);
  }
  const runtime::buffer keys_in = device.allocate(key_bytes, "the keys");
  const runtime::buffer keys_out = device.allocate(argsort ? 0 : key_bytes, "the sorted keys");
  const runtime::buffer places = device.allocate(place_bytes, "the permutation");
  std::vector<runtime::buffer> values;  // of each array in and out, in turn
  std::vector<runtime::value_rows> rows;
  for (const value_table& v : input.values) {
    values.push_back(device.allocate(v.data.bytes(), "the payload"));
    values.push_back(device.allocate(v.data.bytes(), "the sorted payload"));
    rows.push_back({values[values.size() - 2].data(), values.back().data(), v.row_bytes});
  }
  const runtime::buffer workspace = device.allocate(bytes, "the workspace");
  device.copy(keys_in.data(), input.keys.data.data(), key_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    device.copy(values[2 * i].data(), input.values[i].data.data(), input.values[i].data.bytes());
  }
  times.upload_ms = watch.lap();

  times.device_ms = device.time("sorting", [&] {
    const runtime::stream s = device.stream();
    const upsweep::workspace w = workspace.as_workspace();
    if (argsort) {
      return runtime::argsort(w, keys_in.data(), places.as<std::uint32_t>(), n, type, how.order, how.bits, method, s);
    }
    if (rows.empty()) {
      return runtime::sort_keys(w, keys_in.data(), keys_out.data(), n, type, how.order, how.bits, method, s);
    }
    if (pairs) {
      return runtime::sort_pairs(w, keys_in.data(), keys_out.data(), values[0].as<std::uint32_t>(),
                                 values[1].as<std::uint32_t>(), n, type, how.order, how.bits, method, s);
    }
    return runtime::sort_with_values(w, keys_in.data(), keys_out.data(), rows, n, type, how.order, how.bits, method, s);
  });
  watch.lap();

  key_table sorted;
  sorted.places = byte_array(place_bytes);
  device.copy(sorted.places.data(), places.data(), place_bytes);
  sorted.keys.type = type;
  sorted.keys.count = n;
  if (!argsort) {
    sorted.keys.data = byte_array(key_bytes);
    device.copy(sorted.keys.data.data(), keys_out.data(), key_bytes);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sorted.values.push_back({rows[i].bytes, byte_array(input.values[i].data.bytes())});
    device.copy(sorted.values[i].data.data(), values[2 * i + 1].data(), sorted.values[i].data.bytes());
  }
  times.download_ms = watch.lap();
  return sorted;
}

std::vector<key_run> runs_of(const key_table& input, const key_order& how, const key_table& sorted) {
  std::vector<key_run> runs;
  visit_key_type(input.keys.type, [&]<class Key>(Key) {
    const bool by_places = sorted.places.bytes() > 0;
    const auto* const keys = (by_places ? input : sorted).keys.data.as<Key>();
    const auto* const places = sorted.places.as<std::uint32_t>();
    std::uint64_t before = 0;
    for (std::int64_t i = 0; i < input.keys.count; ++i) {
      const std::uint64_t code = compared_bits(keys[by_places ? places[i] : i], how);
      const auto at = static_cast<std::uint64_t>(i);
      if (i == 0 || code != before) runs.push_back({at, at});
      runs.back().end = at + 1;
      before = code;
    }
  });
  return runs;
}

}  // namespace upsweep::apps
