#include <algorithm>
#include <limits>

#include "sort_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime {
namespace {

bool is_coded(scalar_type t) {
  const auto& coded = coded_key_types::values;
  return std::find(coded.begin(), coded.end(), t) != coded.end();
}

status run(stream s, const sort_call& call) {
  if (method_of(call.policy) == sort_method::upsweep_downsweep && !variant_spine{s, call.policy.scan}.available()) {
    return status::not_supported;
  }
  if (is_coded(call.key_type)) {
    return s.where == backend::sim ? sort_coded_on_sim(s.handle, call) : sort_coded_on_cuda(s.handle, call);
  }
  return s.where == backend::sim ? sort_on_sim(s.handle, call) : sort_on_cuda(s.handle, call);
}

/// bytes_of(Key{}, method) for the key type and method; 0 for a type that is not sorted.
template <class BytesOf>
std::size_t workspace_of(const sort_policy& p, scalar_type key_type, BytesOf bytes_of) {
  std::size_t bytes = 0;
  const auto use = [&]<class Key, class Digits>(Key zero, const Digits&) {
    bytes = with_method({}, p, [&](const auto& method) { return bytes_of(zero, method); });
    return status::success;
  };
  if (is_coded(key_type)) {
    static_cast<void>(coded_key_types::call(key_type, {}, use));
  } else {
    static_cast<void>(own_key_types::call(key_type, {}, use));
  }
  return bytes;
}

}  // namespace

std::span<const scalar_type> sort_key_types() {
  static constexpr auto types = [] {
    constexpr auto own = own_key_types::types::values;
    constexpr auto coded = coded_key_types::values;
    std::array<scalar_type, own.size() + coded.size()> all = {};
    std::copy(coded.begin(), coded.end(), std::copy(own.begin(), own.end(), all.begin()));
    return all;
  }();
  return types;
}

std::size_t sort_workspace_bytes(const sort_policy& p, scalar_type key_type, bool pairs, std::int64_t n) {
  return workspace_of(p, key_type, [&]<class Key>(Key, const auto& method) {
    return pairs ? method.template workspace_bytes<Key, std::uint32_t>(n)
                 : method.template workspace_bytes<Key, no_value>(n);
  });
}

std::size_t argsort_workspace_bytes(const sort_policy& p, scalar_type key_type, std::int64_t n) {
  return workspace_of(p, key_type, [&]<class Key>(Key, const auto& method) {
    return sort_places_workspace<Key, row_place>(method, n, true, false);
  });
}

std::size_t sort_with_values_workspace_bytes(const sort_policy& p, scalar_type key_type, std::int64_t n) {
  return workspace_of(p, key_type,
                      [&]<class Key>(Key, const auto& method) { return sort_rows_workspace<Key>(method, n); });
}

std::int64_t sort_max_keys(const sort_policy& p) {
  // A tile a block, of a thousand keys or more.
  if (method_of(p) != sort_method::upsweep_downsweep) return max_grid_blocks * 1024;
  static_assert(sort_tile::tile_items >= sort_tile::radix);
  constexpr std::int64_t keys_a_count = sort_tile::tile_items / sort_tile::radix;
  const std::int64_t counts = max_items_of(p.scan) / sort_tile::radix * sort_tile::radix;
  return std::min(counts, std::numeric_limits<std::int64_t>::max() / keys_a_count) * keys_a_count;
}

status sort_keys(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w, const void* in,
                 void* out, std::int64_t n, bit_range bits) {
  return run(s, {p, key_type, order, w, in, out, n, bits});
}

status sort_pairs(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w,
                  const void* keys_in, void* keys_out, const std::uint32_t* values_in, std::uint32_t* values_out,
                  std::int64_t n, bit_range bits) {
  return run(s, {p, key_type, order, w, keys_in, keys_out, n, bits, sort_load::values, values_in, values_out});
}

status argsort(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w, const void* keys,
               std::uint32_t* places, std::int64_t n, bit_range bits) {
  return run(s, {p, key_type, order, w, keys, nullptr, n, bits, sort_load::places, nullptr, places});
}

status sort_with_values(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w,
                        const void* keys_in, void* keys_out, std::span<const value_rows> values, std::int64_t n,
                        bit_range bits) {
  return run(s, {p, key_type, order, w, keys_in, keys_out, n, bits, sort_load::rows, nullptr, nullptr, values});
}

}  // namespace upsweep::runtime
