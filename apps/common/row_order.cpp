#include "row_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "failure.hpp"
#include "missing_keys.hpp"
#include "sort_through.hpp"

namespace upsweep::apps {
namespace {

void gather(const std::byte* from, std::size_t size, const std::uint32_t* places, std::size_t count, std::byte* to) {
  const auto by = [&]<std::size_t Bytes>() {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * Bytes, from + places[i] * Bytes, Bytes);
  };
  switch (size) {
    case 1:
      return by.template operator()<1>();
    case 2:
      return by.template operator()<2>();
    case 4:
      return by.template operator()<4>();
    default:
      return by.template operator()<8>();
  }
}

/// The places of the sorted keys, where the device has no room for all; returns milliseconds.
double order_in_pieces(device_session& device, const void* keys, const row_key& how, std::int64_t n,
                       byte_array& places) {
  byte_array numbers(places.bytes()), sorted(static_cast<std::size_t>(n) * size_of(how.type));
  std::iota(numbers.as<std::uint32_t>(), numbers.as<std::uint32_t>() + n, 0u);
  const runtime::value_rows rows{numbers.data(), places.data(), sizeof(std::uint32_t)};
  stopwatch watch;
  sort_through(device, {keys, sorted.data(), {&rows, 1}, n, how.type, how.how});
  return watch.lap();
}

}  // namespace

byte_array sorted_places(device_session& device, const runtime::sort_method_with_scan& method,
                         std::span<const row_key> keys, std::int64_t n, double& device_ms) {
  const auto count = static_cast<std::size_t>(n);
  byte_array places;
  // From the last key to the first: a stable sort keeps what the ones before have made.
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    const std::size_t bytes = count * size_of(key->type);
    byte_array moved;
    const void* from = key->data;
    byte_array without_missing;
    if (key->how.missing != nan_order::by_bits) {
      without_missing = with_missing_moved(key->data, key->type, count, key->how);
      from = without_missing.data();
    }
    if (places.bytes() > 0) {
      moved = byte_array(bytes);
      gather(static_cast<const std::byte*>(from), size_of(key->type), places.as<std::uint32_t>(), count, moved.data());
      from = moved.data();
    }
    byte_array sorted(count * sizeof(std::uint32_t));
    const std::size_t workspace_bytes = runtime::argsort_workspace_bytes(n, key->type, method);
    if (goes_in_pieces(device, bytes + sorted.bytes() + workspace_bytes, method)) {
      device_ms += order_in_pieces(device, from, *key, n, sorted);
    } else {
      const runtime::buffer keys_in = device.allocate(bytes, "the keys");
      const runtime::buffer to = device.allocate(sorted.bytes(), "the permutation");
      const runtime::buffer workspace = device.allocate(workspace_bytes, "the workspace");
      device.copy(keys_in.data(), from, bytes);
      device_ms += device.time("sorting", [&] {
        return runtime::argsort(workspace.as_workspace(), keys_in.data(), to.as<std::uint32_t>(), n, key->type,
                                key->how.order, key->how.bits, method, device.stream());
      });
      device.copy(sorted.data(), to.data(), sorted.bytes());
    }
    if (places.bytes() > 0) {
      byte_array through(sorted.bytes());
      gather(places.data(), sizeof(std::uint32_t), sorted.as<std::uint32_t>(), count, through.data());
      sorted = std::move(through);
    }
    places = std::move(sorted);
  }
  return places;
}

std::string first_wrong_place(std::span<const row_key> keys, std::int64_t n, const byte_array& places) {
  const auto count = static_cast<std::size_t>(n);
  std::vector<std::vector<std::uint64_t>> codes;
  for (const row_key& key : keys) {
    std::vector<std::uint64_t>& of_key = codes.emplace_back(count);
    visit_key_type(key.type, [&]<class Key>(Key) {
      for (std::size_t i = 0; i < count; ++i) of_key[i] = compared_bits(static_cast<const Key*>(key.data)[i], key.how);
    });
  }
  std::vector<std::uint32_t> expected(count);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& of_key : codes) {
      if (of_key[a] != of_key[b]) return of_key[a] < of_key[b];
    }
    return false;
  });
  const auto* const got = places.as<std::uint32_t>();
  for (std::size_t i = 0; i < count; ++i) {
    if (got[i] != expected[i]) return fmt::format("row {} of the result is {}; expected {}", i, got[i], expected[i]);
  }
  return {};
}

byte_array rows_at(const byte_array& rows, std::size_t row_bytes, const byte_array& places) {
  const std::size_t count = places.bytes() / sizeof(std::uint32_t);
  byte_array result(count * row_bytes);
  const auto* const place = places.as<std::uint32_t>();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(result.data() + i * row_bytes, rows.data() + place[i] * row_bytes, row_bytes);
  }
  return result;
}

particle_table take_rows_at(particle_table& table, const byte_array& places, std::int64_t count) {
  particle_table result;
  result.count = count;
  for (table_column& c : table.columns) {
    table_column& to = result.add(c.name, c.type);
    gather(c.data.data(), size_of(c.type), places.as<std::uint32_t>(), static_cast<std::size_t>(count), to.data.data());
    c.data = {};
  }
  return result;
}

}  // namespace upsweep::apps
