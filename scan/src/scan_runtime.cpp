#include "upsweep/scan/runtime.hpp"

#include <algorithm>

#include "scan_table.hpp"

namespace upsweep::runtime {
namespace {

status run(stream s, const scan_call& call) {
  return s.where == backend::sim ? scan_on_sim(s.handle, call) : scan_on_cuda(s.handle, call);
}

/// Calls `f(Policy{}, scanned_type<T>{})`; not at all for n <= 0, nor when it was not compiled.
template <class F>
void with_scan_of(const scan_variant& v, scalar_type type, std::int64_t n, F f) {
  if (n <= 0) return;
  static_cast<void>(with_policy(v, [&](auto policy) {
    return with_scanned_type(type, [&](auto scanned) {
      f(policy, scanned);
      return status::success;
    });
  }));
}

}  // namespace

std::span<const scan_variant> scan_variants() {
  static constexpr auto variants =
      std::apply([](auto... policy) { return std::array{decltype(policy)::variant...}; }, compiled_policies{});
  return variants;
}

std::span<const scalar_type> scan_types() {
  return scanned_types;
}

bool is_compiled(const scan_variant& v) {
  return std::ranges::any_of(scan_variants(), [&](const scan_variant& c) { return same_variant(v, c); });
}

std::size_t scan_workspace_bytes(const scan_variant& v, scalar_type type, std::int64_t n) {
  std::size_t bytes = 0;
  with_scan_of(v, type, n, [&](auto policy, auto scanned) {
    using T = typename decltype(scanned)::type;
    bytes = decltype(policy)::template workspace_bytes<T, const T*, T*>(n);
  });
  return bytes;
}

scan_cost cost_of(const scan_variant& v, scalar_type type, std::int64_t n) {
  scan_cost cost;
  with_scan_of(v, type, n, [&](auto policy, auto scanned) {
    cost = decltype(policy)::template cost<typename decltype(scanned)::type>(n);
  });
  return cost;
}

status exclusive_sum(stream s, const scan_variant& v, scalar_type type, workspace w, const void* in, void* out,
                     std::int64_t n, const void* init) {
  return run(s, {v, type, scan_kind::exclusive, w, in, out, n, init});
}

status inclusive_sum(stream s, const scan_variant& v, scalar_type type, workspace w, const void* in, void* out,
                     std::int64_t n, const void* init) {
  return run(s, {v, type, scan_kind::inclusive, w, in, out, n, init});
}

}  // namespace upsweep::runtime
