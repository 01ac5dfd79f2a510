#include "narrow_sums.hpp"

#include <algorithm>
#include <array>

#include "element_types.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::apps {
namespace {

constexpr std::array types = {scalar_type::u8, scalar_type::u16, scalar_type::f16, scalar_type::bf16};

/// Calls f(T{}) for a narrow type.
template <class F>
void visit_narrow(scalar_type type, F f) {
  visit_scanned(type, [&](auto zero) {
    if constexpr (sizeof zero <= 2) f(zero);
  });
}

}  // namespace

std::span<const scalar_type> narrow_types() {
  return types;
}

bool is_narrow(scalar_type type) {
  return std::ranges::count(types, type) > 0;
}

std::size_t narrow_sums_workspace_bytes(scalar_type type, std::int64_t n) {
  std::size_t bytes = 0;
  visit_narrow(type, [&]<class T>(T) {
    bytes = exclusive_sum_workspace_bytes(static_cast<const T*>(nullptr), static_cast<T*>(nullptr), n);
  });
  return bytes;
}

status narrow_sums(runtime::stream s, scalar_type type, workspace w, const void* in, void* out, std::int64_t n) {
  if (s.where == runtime::backend::cuda) return narrow_sums_on_cuda(s.handle, type, w, in, out, n);
  const sim_stream stream{static_cast<const sim_options*>(s.handle)};
  status result = status::not_supported;
  visit_narrow(
      type, [&]<class T>(T) { result = exclusive_sum(w, static_cast<const T*>(in), static_cast<T*>(out), n, stream); });
  return result;
}

}  // namespace upsweep::apps
