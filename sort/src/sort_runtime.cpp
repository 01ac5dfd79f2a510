#include <algorithm>
#include <limits>

#include "sort_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime {
namespace {

status run(stream s, const sort_call& call) {
  if (method_of(call.policy) == sort_method::upsweep_downsweep && !variant_spine{s, call.policy.scan}.available()) {
    return status::not_supported;
  }
  return s.where == backend::sim ? sort_on_sim(s.handle, call) : sort_on_cuda(s.handle, call);
}

}  // namespace

std::span<const scalar_type> sort_key_types() {
  return sorted_key_types::values;
}

std::size_t sort_workspace_bytes(const sort_policy& p, scalar_type key_type, bool pairs, std::int64_t n) {
  std::size_t bytes = 0;
  sorted_key_types::visit(key_type, [&](auto key) {
    bytes = with_method({}, p, [&](const auto& method) {
      return pairs ? method.template workspace_bytes<decltype(key), std::uint32_t>(n)
                   : method.template workspace_bytes<decltype(key), no_value>(n);
    });
  });
  return bytes;
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
  return run(s, {p, key_type, order, w, in, out, false, nullptr, nullptr, n, bits});
}

status sort_pairs(stream s, const sort_policy& p, scalar_type key_type, sort_order order, workspace w,
                  const void* keys_in, void* keys_out, const std::uint32_t* values_in, std::uint32_t* values_out,
                  std::int64_t n, bit_range bits) {
  return run(s, {p, key_type, order, w, keys_in, keys_out, true, values_in, values_out, n, bits});
}

}  // namespace upsweep::runtime
