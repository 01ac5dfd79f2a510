#include "segments_table.hpp"
#include "top_k_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

status run(stream s, const top_k_call& c) {
  if (s.where == backend::sim) return top_k_on_sim(s.handle, c);
  return float_key_types::has(c.arrays.key_type) ? top_k_floats_on_cuda(s.handle, c)
                                                 : top_k_integers_on_cuda(s.handle, c);
}

status run(stream s, const segments_call& c) {
  return s.where == backend::sim ? segments_on_sim(s.handle, c) : segments_on_cuda(s.handle, c);
}

/// bytes_of(arrays of those types) for keys of that type with values of so many bytes, or with places; 0 where there
/// are none.
template <class BytesOf>
std::size_t workspace_of(scalar_type key_type, std::size_t value_bytes, bool places, BytesOf bytes_of) {
  std::size_t bytes = 0;
  keyed_arrays a{};
  a.key_type = key_type;
  a.value_bytes = value_bytes;
  a.places = places;
  const auto use = [&](auto... arrays) {
    bytes = bytes_of(arrays...);
    return status::success;
  };
  static_cast<void>(with_keyed_arrays<cuda_key_types<4>, std::uint32_t>(a, use));
  return bytes;
}

}  // namespace

std::size_t segmented_sort_workspace_bytes(std::int64_t n, std::int64_t segments, scalar_type key_type,
                                           std::size_t value_bytes) {
  const std::int64_t* const bounds = nullptr;
  return workspace_of(
      key_type, value_bytes, false, [&](auto* in, auto* out, auto* values_in, auto* values_out, auto by) {
        return segmented_sort_pairs_workspace_bytes(in, out, values_in, values_out, bounds, bounds, n, segments, by);
      });
}

std::size_t segmented_argsort_workspace_bytes(std::int64_t n, std::int64_t segments, scalar_type key_type) {
  const std::int64_t* const bounds = nullptr;
  return workspace_of(key_type, 0, true, [&](auto* in, auto*, auto*, auto* places, auto by) {
    return upsweep::segmented_argsort_workspace_bytes(in, places, bounds, bounds, n, segments, by);
  });
}

std::size_t segmented_sort_with_values_workspace_bytes(std::int64_t n, std::int64_t segments, scalar_type key_type) {
  return workspace_of(key_type, 0, false, [&](const auto* in, auto*, auto*, auto*, auto) {
    using key = std::remove_cvref_t<decltype(*in)>;
    return segmented_rows_bytes<default_segmented_sort_policy, key>(n, segments);
  });
}

std::size_t top_k_workspace_bytes(std::int64_t n, std::int64_t k, scalar_type key_type, std::size_t value_bytes) {
  return workspace_of(key_type, value_bytes, false,
                      [&](auto* in, auto* out, auto* values_in, auto* values_out, auto by) {
                        return top_k_pairs_workspace_bytes(in, out, values_in, values_out, n, k, by);
                      });
}

status segmented_sort_keys(workspace w, const void* in, void* out, const std::int64_t* begins, const std::int64_t* ends,
                           std::int64_t n, std::int64_t segments, scalar_type key_type, sort_order order,
                           bit_range bits, stream stream) {
  return run(stream, segments_call{{w, in, out, key_type, order, bits}, begins, ends, n, segments});
}

status segmented_sort_pairs(workspace w, const void* keys_in, void* keys_out, const void* values_in, void* values_out,
                            std::size_t value_bytes, const std::int64_t* begins, const std::int64_t* ends,
                            std::int64_t n, std::int64_t segments, scalar_type key_type, sort_order order,
                            bit_range bits, stream stream) {
  if (value_bytes == 0) return status::not_supported;
  return run(stream, segments_call{{w, keys_in, keys_out, key_type, order, bits, values_in, values_out, value_bytes},
                                   begins,
                                   ends,
                                   n,
                                   segments});
}

status segmented_argsort(workspace w, const void* keys, std::uint32_t* places, const std::int64_t* begins,
                         const std::int64_t* ends, std::int64_t n, std::int64_t segments, scalar_type key_type,
                         sort_order order, bit_range bits, stream stream) {
  return run(
      stream,
      segments_call{
          {w, keys, nullptr, key_type, order, bits, nullptr, places, sizeof *places, true}, begins, ends, n, segments});
}

status segmented_sort_with_values(workspace w, const void* keys_in, void* keys_out, std::span<const value_rows> values,
                                  const std::int64_t* begins, const std::int64_t* ends, std::int64_t n,
                                  std::int64_t segments, scalar_type key_type, sort_order order, bit_range bits,
                                  stream stream) {
  return run(stream,
             segments_call{{w, keys_in, keys_out, key_type, order, bits}, begins, ends, n, segments, true, values});
}

status top_k_keys(workspace w, const void* in, void* out, std::int64_t n, std::int64_t k, scalar_type key_type,
                  sort_order order, bit_range bits, stream stream) {
  return run(stream, top_k_call{{w, in, out, key_type, order, bits}, n, k});
}

status top_k_pairs(workspace w, const void* keys_in, void* keys_out, const void* values_in, void* values_out,
                   std::size_t value_bytes, std::int64_t n, std::int64_t k, scalar_type key_type, sort_order order,
                   bit_range bits, stream stream) {
  if (value_bytes == 0) return status::not_supported;
  return run(stream,
             top_k_call{{w, keys_in, keys_out, key_type, order, bits, values_in, values_out, value_bytes}, n, k});
}

status top_k_indices(workspace w, const void* keys, std::int64_t* places, std::int64_t n, std::int64_t k,
                     scalar_type key_type, sort_order order, bit_range bits, stream stream) {
  return run(stream,
             top_k_call{{w, keys, nullptr, key_type, order, bits, nullptr, places, sizeof *places, true}, n, k});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
