#include <algorithm>
#include <vector>

#include "from_host_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

constexpr std::size_t widest_row = std::size_t{1} << 16;

/// ask(columns, n, sorter) for keys and values of these sizes.
template <class Ask>
std::size_t bytes_of(std::int64_t n, scalar_type key_type, std::span<const std::size_t> value_bytes, Ask ask) {
  if (n <= 0) return 0;
  std::vector<host_column> columns{{nullptr, nullptr, nullptr, size_of(key_type)}};
  for (const std::size_t bytes : value_bytes) columns.push_back({nullptr, nullptr, nullptr, bytes});
  return ask(std::span<const host_column>(columns), n, table_sorter{key_type, {}, {}, value_bytes, {}});
}

}  // namespace

std::size_t sort_from_host_workspace_bytes(std::int64_t n, scalar_type key_type,
                                           std::span<const std::size_t> value_bytes) {
  return bytes_of(n, key_type, value_bytes, [](const auto&... a) { return one_trip_bytes(a...); });
}

std::size_t sort_from_host_least_bytes(std::int64_t n, scalar_type key_type, std::span<const std::size_t> value_bytes) {
  return bytes_of(n, key_type, value_bytes, [](const auto&... a) { return least_bytes_from_host(a...); });
}

std::size_t sort_from_host_scratch_bytes(std::int64_t n, scalar_type key_type,
                                         std::span<const std::size_t> value_bytes) {
  return bytes_of(n, key_type, value_bytes, [](const auto&, std::int64_t items, const table_sorter& sorter) {
    return static_cast<std::size_t>(items) * sorter.item_bytes();
  });
}

status sort_from_host(workspace device, host_scratch scratch, const void* keys_in, void* keys_out,
                      std::span<const value_rows> values, std::int64_t n, scalar_type key_type, sort_order order,
                      bit_range bits, const from_host_options& options, stream s) {
  const auto has_width = [](const value_rows& v) { return v.bytes > 0 && v.bytes <= widest_row; };
  if (!std::all_of(values.begin(), values.end(), has_width)) return status::invalid_value;
  const auto known = sort_key_types();
  if (std::find(known.begin(), known.end(), key_type) == known.end()) return status::not_supported;
  const from_host_call call{device, scratch, keys_in, keys_out, values, n, key_type, order, bits, options, s};
  return s.where == backend::sim ? sort_from_host_on_sim(call) : sort_from_host_on_cuda(call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
