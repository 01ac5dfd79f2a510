#include "merge_table.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

status run(stream s, const merge_call& call) {
  return s.where == backend::sim ? merge_on_sim(s.handle, call) : merge_on_cuda(s.handle, call);
}

}  // namespace

std::size_t merge_workspace_bytes(std::int64_t n_a, std::int64_t n_b, scalar_type key_type) {
  std::size_t bytes = 0;
  static_cast<void>(cuda_key_types<>::call(key_type, {}, [&]<class Key, class Digits>(Key, const Digits&) {
    bytes = merge_bytes<default_merge_policy, const Key*>(n_a, n_b);
    return status::success;
  }));
  return bytes;
}

status merge_keys(workspace w, const void* a, const void* b, void* out, std::int64_t n_a, std::int64_t n_b,
                  scalar_type key_type, sort_order order, stream stream) {
  return run(stream, {merge_kind::keys, key_type, order, w, a, b, out, n_a, n_b});
}

status merge_pairs(workspace w, const void* keys_a, const void* keys_b, void* keys_out, const std::uint32_t* values_a,
                   const std::uint32_t* values_b, std::uint32_t* values_out, std::int64_t n_a, std::int64_t n_b,
                   scalar_type key_type, sort_order order, stream stream) {
  return run(stream, {merge_kind::pairs, key_type, order, w, keys_a, keys_b, keys_out, n_a, n_b, values_a, values_b,
                      values_out});
}

status lower_bound(const void* keys, const void* needles, std::int64_t* out, std::int64_t n, std::int64_t m,
                   scalar_type key_type, sort_order order, stream stream) {
  return run(stream, {merge_kind::lower_bound, key_type, order, {}, keys, needles, out, n, m});
}

status upper_bound(const void* keys, const void* needles, std::int64_t* out, std::int64_t n, std::int64_t m,
                   scalar_type key_type, sort_order order, stream stream) {
  return run(stream, {merge_kind::upper_bound, key_type, order, {}, keys, needles, out, n, m});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
