#include "kernels.cuh"

namespace upsweep::python {

std::size_t workspace_bytes(const select_call& c) {
  return partition_arrays_workspace_bytes(c.arrays, c.results, c.n, vote_flagged<std::uint8_t>{c.flags}, c.rejected);
}

std::size_t workspace_bytes(const sum_call& c) {
  std::size_t bytes = 0;
  summed_types::visit(summed_as(c.type), [&]<class T>(T) {
    const auto* const in = static_cast<const T*>(c.in);
    auto* const out = static_cast<T*>(c.out);
    bytes = exclusive_sum_workspace_bytes(in, out, c.n);
    if constexpr (std::is_floating_point_v<T>) {
      if (c.is_reproducible) bytes = exclusive_sum_workspace_bytes<reproducible>(in, out, c.n);
    }
  });
  return bytes;
}

std::size_t workspace_bytes(const parts_sum_call& c) {
  std::size_t bytes = 0;
  static_cast<void>(with_parts(c, [&](const auto* keys, const auto* in, auto* out) {
    bytes = keys != nullptr ? exclusive_sum_by_key_workspace_bytes(keys, in, out, c.n)
                            : exclusive_sum_segmented_workspace_bytes(in, out, c.begins, c.ends, c.n, c.segments);
    return status::success;
  }));
  return bytes;
}

std::size_t workspace_bytes(const sort_call& c) {
  return with_code_of(c.key_type, [&]<class Code>(Code) {
    const auto* const in = static_cast<const Code*>(c.in);
    const number_digits<Code> order{{c.key_type, c.order, c.nans}};
    return c.places != nullptr ? argsort_workspace_bytes(in, c.places, c.n, order, c.bits)
                               : sort_keys_workspace_bytes(in, static_cast<Code*>(c.out), c.n, order, c.bits);
  });
}

namespace {
const sim_stream the_sim{};
}

status run(const select_call& c, runtime::stream on) {
  return on.where == runtime::backend::sim ? run_select(c, the_sim) : run_on_cuda(c, on.handle);
}
status run(const sum_call& c, runtime::stream on) {
  return on.where == runtime::backend::sim ? run_sum(c, the_sim) : run_on_cuda(c, on.handle);
}
status run(const parts_sum_call& c, runtime::stream on) {
  return on.where == runtime::backend::sim ? run_parts_sum(c, the_sim) : run_on_cuda(c, on.handle);
}
status run(const sort_call& c, runtime::stream on) {
  return on.where == runtime::backend::sim ? run_sort(c, the_sim) : run_on_cuda(c, on.handle);
}

}  // namespace upsweep::python
