#include <algorithm>

#include "axis_part.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

bool is_one_row(const array_axis& axis) {
  return axis.items() > 0 && axis_way_of(axis) == axis_way::whole_array;
}

status sum_axis(scan_kind kind, workspace w, const void* in, void* out, const array_axis& axis, scalar_type type,
                stream s) {
  if (std::ranges::find(axis_sum_types(), type) == axis_sum_types().end()) return status::not_supported;
  if (is_one_row(axis)) {
    const scalar_type summed = axis_kernel_type(type);
    return kind == scan_kind::exclusive ? exclusive_sum(w, in, out, axis.length, summed, {}, s)
                                        : inclusive_sum(w, in, out, axis.length, summed, {}, s);
  }
  const axis_call call{kind, type, w, in, out, axis};
  return s.where == backend::sim ? axis_sums_on_sim(s.handle, call) : axis_sums_on_cuda(s.handle, call);
}

}  // namespace

std::span<const scalar_type> axis_sum_types() {
  using enum scalar_type;
  static constexpr std::array types = {u32, i32, u64, i64, f32, f64};
  return types;
}

std::size_t sum_axis_workspace_bytes(const array_axis& axis, scalar_type type) {
  if (is_one_row(axis)) return scan_workspace_bytes(axis.length, axis_kernel_type(type), {});
  std::size_t bytes = 0;
  axis_types::visit(axis_kernel_type(type), [&]<class T>(T) {
    const T* const in = nullptr;
    T* const out = nullptr;
    bytes = exclusive_sum_axis_workspace_bytes<axis_policy>(in, out, axis);
  });
  return bytes;
}

status exclusive_sum_axis(workspace w, const void* in, void* out, const array_axis& axis, scalar_type type, stream s) {
  return sum_axis(scan_kind::exclusive, w, in, out, axis, type, s);
}

status inclusive_sum_axis(workspace w, const void* in, void* out, const array_axis& axis, scalar_type type, stream s) {
  return sum_axis(scan_kind::inclusive, w, in, out, axis, type, s);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
