#include "grouped_calls.hpp"
#include "upsweep/compact/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

status run(stream s, const grouped_call& call) {
  return s.where == backend::sim ? grouped_on_sim(s.handle, call) : grouped_on_cuda(s.handle, call);
}

}  // namespace

std::size_t reduce_by_key_workspace_bytes(std::int64_t n, scalar_type key_type, scalar_type value_type) {
  std::size_t bytes = 0;
  static_cast<void>(with_code(key_type, [&]<class Key>(Key) {
    return with_summed(value_type, [&]<class T>(T) {
      bytes = default_runs_policy::workspace_bytes<T, Key>(n);
      return status::success;
    });
  }));
  return bytes;
}

std::size_t run_length_encode_workspace_bytes(std::int64_t n, scalar_type type) {
  return reduce_by_key_workspace_bytes(n, type, scalar_type::u64);
}

std::size_t unique_workspace_bytes(std::int64_t n, scalar_type type) {
  std::size_t bytes = 0;
  static_cast<void>(with_code(type, [&]<class Key>(Key) {
    bytes = default_runs_policy::unique_workspace_bytes<Key>(n);
    return status::success;
  }));
  return bytes;
}

std::size_t group_by_workspace_bytes(std::int64_t n, int groups, std::int64_t multiple) {
  return default_group_policy::workspace_bytes(n, groups, multiple);
}

std::size_t expand_workspace_bytes(std::int64_t n, const expand_results& results) {
  return default_expand_policy::workspace_bytes<const std::uint32_t*>(n, results.offsets != nullptr);
}

status reduce_by_key(workspace w, const void* keys_in, void* unique_out, const void* values_in, void* sums_out,
                     const select_results& results, std::int64_t n, scalar_type key_type, scalar_type value_type,
                     stream stream) {
  return run(stream, runs_call{key_type, value_type, w, keys_in, unique_out, values_in, sums_out, {}, &results, n});
}

status run_length_encode(workspace w, const void* in, void* unique_out, const integer_array& lengths_out,
                         const select_results& results, std::int64_t n, scalar_type type, stream stream) {
  if (!lengths_out.wanted() && n > 0) return status::invalid_value;
  return run(stream, runs_call{type, type, w, in, unique_out, nullptr, nullptr, lengths_out, &results, n});
}

status run_length_decode(workspace w, const void* values, const std::uint32_t* lengths, void* out,
                         const expand_results& results, std::int64_t runs, scalar_type type, stream stream) {
  return run(stream, decode_call{type, w, values, lengths, out, &results, runs});
}

status unique(workspace w, const void* in, void* out, const unique_results& results, std::int64_t n, scalar_type type,
              stream stream) {
  return run(stream, unique_call{type, w, in, out, &results, n});
}

status group_by(workspace w, const std::uint32_t* group_of, const group_places& to, std::int64_t* offsets,
                std::int64_t n, int groups, stream stream) {
  return run(stream, groups_call{w, group_of, to, offsets, {}, n, groups});
}

status histogram(const std::uint32_t* bucket_of, const integer_array& counts, std::int64_t n, int buckets,
                 stream stream) {
  if (!counts.wanted()) return status::invalid_value;
  return run(stream, groups_call{{}, bucket_of, {}, nullptr, counts, n, buckets});
}

status expand(workspace w, const std::uint32_t* counts, const integer_array& items, const expand_results& results,
              std::int64_t n, stream stream) {
  return run(stream, expand_call{w, counts, items, &results, n});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
