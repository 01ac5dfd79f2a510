// The sort of host memory by the run-time calls: chunks are sorted by the table of compiled sorts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends.hpp"
#include "upsweep/sort/device/from_host.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Sorts chunks as sort_keys, sort_pairs or sort_with_values does, by what values there are.
struct table_sorter {
  scalar_type key_type;
  sort_order order_of_keys;
  bit_range bits;
  std::span<const std::size_t> value_bytes;
  stream of_call;

  bool has_pairs() const { return value_bytes.size() == 1 && value_bytes[0] == sizeof(std::uint32_t); }
  std::size_t key_bytes() const { return size_of(key_type); }
  std::size_t item_bytes() const {
    std::size_t bytes = key_bytes();
    for (const std::size_t b : value_bytes) bytes += b;
    return bytes;
  }
  std::size_t workspace_bytes(std::int64_t n) const {
    if (value_bytes.empty()) return sort_keys_workspace_bytes(n, key_type, {});
    if (has_pairs()) return sort_pairs_workspace_bytes(n, key_type, {});
    return sort_with_values_workspace_bytes(n, key_type, {});
  }
  std::size_t order_workspace_bytes(std::int64_t n) const { return argsort_workspace_bytes(n, key_type, {}); }

  template <class Side>
  stream stream_for(const Side& side) const {
    return {of_call.where, detail::stream_of_side(side, of_call.handle)};
  }
  template <class Side>
  status sort(const Side& side, workspace w, void* const* in, void* const* out, std::int64_t n) const {
    const stream s = stream_for(side);
    if (value_bytes.empty()) return sort_keys(w, in[0], out[0], n, key_type, order_of_keys, bits, {}, s);
    if (has_pairs()) {
      return sort_pairs(w, in[0], out[0], static_cast<const std::uint32_t*>(in[1]), static_cast<std::uint32_t*>(out[1]),
                        n, key_type, order_of_keys, bits, {}, s);
    }
    std::vector<value_rows> rows;
    for (std::size_t v = 0; v < value_bytes.size(); ++v) rows.push_back({in[v + 1], out[v + 1], value_bytes[v]});
    return sort_with_values(w, in[0], out[0], rows, n, key_type, order_of_keys, bits, {}, s);
  }
  template <class Side>
  status order(const Side& side, workspace w, const void* keys, std::uint32_t* places, std::int64_t n) const {
    return argsort(w, keys, places, n, key_type, order_of_keys, bits, {}, stream_for(side));
  }
};

template <class Executor>
status sort_from_host_by_table(Executor executor, const from_host_call& c) {
  const status idle = executor.synchronize();
  if (idle != status::success) return idle;
  status sorted = status::success;
  const status ran = without_exceptions([&] {
    std::vector<host_column> columns;
    std::vector<std::size_t> value_bytes;
    const auto add = [&](const void* in, void* out, std::size_t bytes) {
      columns.push_back({static_cast<const char*>(in), static_cast<char*>(out), nullptr, bytes});
    };
    add(c.keys_in, c.keys_out, size_of(c.key_type));
    for (const value_rows& v : c.values) {
      add(v.in, v.out, v.bytes);
      value_bytes.push_back(v.bytes);
    }
    const table_sorter sorter{c.key_type, c.order, c.bits, value_bytes, c.of_call};
    sorted = sort_from_host(executor, c.device, c.scratch, std::span<host_column>(columns), c.n, sorter, c.options);
  });
  return ran != status::success ? ran : sorted;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
