// The kernels of sums along an axis. Only the files that compile them include this.
#pragma once

#include "backends.hpp"
#include "upsweep/scan/axis_scan.cuh"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Instead of the scan of one row, which is in the table.
struct no_whole_array {
  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor&, workspace, In, Out, std::int64_t, Op, carry<T>) {
    return status::not_supported;
  }
};
using axis_policy = axis_policy_beside<no_whole_array>;

/// The type whose kernels sum `type`; integers wrap around.
constexpr scalar_type axis_kernel_type(scalar_type type) {
  return type == scalar_type::i32 ? scalar_type::u32 : type == scalar_type::i64 ? scalar_type::u64 : type;
}
using axis_types = scalar_types<std::uint32_t, std::uint64_t, float, double>;

template <class Stream>
status axis_sums(Stream stream, const axis_call& c) {
  return axis_types::call(axis_kernel_type(c.type), [&]<class T>(T) {
    if (!aligned_to(c.in, sizeof(T)) || !aligned_to(c.out, sizeof(T))) return status::invalid_value;
    const auto* const in = static_cast<const T*>(c.in);
    auto* const out = static_cast<T*>(c.out);
    return static_cast<status>(c.kind == scan_kind::exclusive
                                   ? exclusive_sum_axis<axis_policy>(c.work, in, out, c.axis, stream)
                                   : inclusive_sum_axis<axis_policy>(c.work, in, out, c.axis, stream));
  });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
