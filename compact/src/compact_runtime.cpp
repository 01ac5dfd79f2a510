#include "backends.hpp"
#include "sized_element.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/variant_spine.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

bool usable(const column& c) {
  return c.data != nullptr && aligned_to(c.data, size_of(c.type));
}

/// Every rule that is on has the columns it looks at, and there are no more half spaces than have room.
bool complete(const keep_rules& r) {
  if (r.use_lifetime && !usable(r.lifetime)) return false;
  if (r.half_spaces < 0 || r.half_spaces > keep_rules::most_half_spaces) return false;
  return !r.use_places() || (usable(r.x) && usable(r.y) && usable(r.z));
}

status run(stream s, const select_call& call) {
  if (has_scan(call.method.method) && !variant_spine{s, call.method.scan}.available()) return status::not_supported;
  return s.where == backend::sim ? select_on_sim(s.handle, call) : select_on_cuda(s.handle, call);
}

}  // namespace

std::size_t select_workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                                   const compact_method_with_scan& c) {
  const variant_spine spine{{}, c.scan};
  switch (c.method) {
    case compact_method::fused: {
      std::size_t bytes = default_compact_policy{}.workspace_bytes(arrays, n);
      if (arrays.size() != 1) return bytes;
      with_sized_element(arrays[0].element_bytes, [&](auto element) {
        using T = decltype(element);
        const auto* const in = static_cast<const T*>(arrays[0].in);
        const auto* const out = static_cast<const T*>(arrays[0].out);
        bytes = std::max(bytes, default_compact_policy{}.array_workspace_bytes(in, out, n));
      });
      return bytes;
    }
    case compact_method::hole_filling:
      return hole_filling(spine).workspace_bytes(arrays, n);
    default:
      return vote_scan_compact(spine).workspace_bytes(arrays, n);
  }
}

std::int64_t select_max_items(const compact_method_with_scan& c) {
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  if (!has_scan(c.method)) return all;
  const std::int64_t most = std::max<std::int64_t>(max_items_of(c.scan) - 1, 0);
  if (c.method == compact_method::vote_scan_compact) return most;
  return most > all / ballot_chunks::chunk_items ? all : most * ballot_chunks::chunk_items;
}

status select_particles(workspace w, std::span<const soa_array> arrays, std::int64_t* num_selected, std::int64_t n,
                        const keep_rules& rules, const compact_method_with_scan& method, stream stream) {
  if (n > 0 && !complete(rules)) return status::invalid_value;
  return run(stream, {method, w, arrays, n, &rules, nullptr, nullptr, num_selected});
}

status select_flagged(workspace w, std::span<const soa_array> arrays, const std::uint8_t* flags,
                      std::int64_t* num_selected, std::int64_t n, const compact_method_with_scan& method,
                      stream stream) {
  if (n > 0 && flags == nullptr) return status::invalid_value;
  // Without elements there may be no flags, and then the rules that keep everything select.
  const keep_rules all;
  return run(stream, {method, w, arrays, n, flags ? nullptr : &all, flags, nullptr, num_selected});
}

status select_between(workspace w, const void* in, void* out, std::int64_t* num_selected, std::int64_t n,
                      scalar_type type, const void* low, const void* high, const compact_method_with_scan& method,
                      stream stream) {
  if (low == nullptr || high == nullptr) return status::invalid_value;
  const soa_array array{in, out, size_of(type)};
  const value_range range{type, low, high};
  return run(stream, {method, w, {&array, 1}, n, nullptr, nullptr, &range, num_selected});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
