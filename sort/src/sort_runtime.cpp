#include <algorithm>
#include <array>
#include <limits>

#include "sort_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

status run(stream s, const sort_call& call) {
  if (method_of(call.method) == sort_method::upsweep_downsweep && !variant_spine{s, call.method.scan}.available()) {
    return status::not_supported;
  }
  if (s.where == backend::sim) return sort_on_sim(s.handle, call);
  return float_key_types::has(call.key_type) ? sort_floats_on_cuda(s.handle, call)
                                             : sort_integers_on_cuda(s.handle, call);
}

/// bytes_of(Key{}, method) for the key type and method.
template <class BytesOf>
std::size_t workspace_of(const sort_method_with_scan& p, scalar_type key_type, BytesOf bytes_of) {
  std::size_t bytes = 0;
  const auto use = [&]<class Key, class Digits>(Key zero, const Digits&) {
    bytes = with_method({}, p, [&](const auto& method) { return bytes_of(zero, method); });
    return status::success;
  };
  static_cast<void>(cuda_key_types<>::call(key_type, {}, use));
  return bytes;
}

}  // namespace

std::span<const scalar_type> sort_key_types() {
  using enum scalar_type;
  static constexpr std::array types = {u32, i32, u64, f32, i8, u8, i16, u16, i64, f64, f16, bf16};
  return types;
}

std::size_t sort_keys_workspace_bytes(std::int64_t n, scalar_type key_type, const sort_method_with_scan& method) {
  return workspace_of(method, key_type,
                      [&]<class Key>(Key, const auto& by) { return by.template workspace_bytes<Key, no_value>(n); });
}

std::size_t sort_pairs_workspace_bytes(std::int64_t n, scalar_type key_type, const sort_method_with_scan& method) {
  return workspace_of(method, key_type, [&]<class Key>(Key, const auto& by) {
    return by.template workspace_bytes<Key, std::uint32_t>(n);
  });
}

std::size_t argsort_workspace_bytes(std::int64_t n, scalar_type key_type, const sort_method_with_scan& method) {
  return workspace_of(method, key_type,
                      [&]<class Key>(Key, const auto& by) { return argsort_places_workspace<Key, row_place>(by, n); });
}

std::size_t sort_with_values_workspace_bytes(std::int64_t n, scalar_type key_type,
                                             const sort_method_with_scan& method) {
  return workspace_of(method, key_type,
                      [&]<class Key>(Key, const auto& by) { return sort_rows_workspace<Key>(by, n); });
}

std::int64_t sort_max_keys(const sort_method_with_scan& p) {
  if (method_of(p) == sort_method::single_block) return largest_block_sort::max_keys;
  if (method_of(p) == sort_method::cluster) return largest_cluster_sort::max_keys;
  // A tile a block, of a thousand keys or more.
  if (method_of(p) != sort_method::upsweep_downsweep) return max_grid_blocks * 1024;
  using tile = sort_tile<std::uint64_t, 8>;  // and that of all keys of at most 8 bytes
  static_assert(tile::tile_items >= tile::radix);
  constexpr std::int64_t keys_a_count = tile::tile_items / tile::radix;
  const std::int64_t counts = max_items_of(p.scan) / tile::radix * tile::radix;
  return std::min(counts, std::numeric_limits<std::int64_t>::max() / keys_a_count) * keys_a_count;
}

status sort_keys(workspace w, const void* in, void* out, std::int64_t n, scalar_type key_type, sort_order order,
                 bit_range bits, const sort_method_with_scan& method, stream stream) {
  return run(stream, {method, key_type, order, w, in, out, n, bits});
}

status sort_pairs(workspace w, const void* keys_in, void* keys_out, const std::uint32_t* values_in,
                  std::uint32_t* values_out, std::int64_t n, scalar_type key_type, sort_order order, bit_range bits,
                  const sort_method_with_scan& method, stream stream) {
  return run(stream,
             {method, key_type, order, w, keys_in, keys_out, n, bits, sort_load::values, values_in, values_out});
}

status argsort(workspace w, const void* keys, std::uint32_t* places, std::int64_t n, scalar_type key_type,
               sort_order order, bit_range bits, const sort_method_with_scan& method, stream stream) {
  return run(stream, {method, key_type, order, w, keys, nullptr, n, bits, sort_load::places, nullptr, places});
}

status sort_with_values(workspace w, const void* keys_in, void* keys_out, std::span<const value_rows> values,
                        std::int64_t n, scalar_type key_type, sort_order order, bit_range bits,
                        const sort_method_with_scan& method, stream stream) {
  return run(stream,
             {method, key_type, order, w, keys_in, keys_out, n, bits, sort_load::rows, nullptr, nullptr, values});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
