#include "partitions.hpp"

#include "partition_calls.hpp"

namespace upsweep::apps {

std::size_t partition_workspace_bytes(const partition_arrays_of_one& a) {
  std::size_t bytes = 0;
  partition_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    bytes = upsweep::partition_if_workspace_bytes(static_cast<const T*>(a.in), static_cast<T*>(a.out),
                                                  static_cast<T*>(a.rejected), a.count, a.n, between<T>{});
  });
  return bytes;
}

status partition(runtime::stream s, workspace w, const partition_arrays_of_one& a) {
  if (s.where == runtime::backend::cuda) return partition_on_cuda(s.handle, w, a);
  return partition_on(sim_stream{static_cast<const sim_options*>(s.handle)}, w, a);
}

std::size_t split_workspace_bytes(const split_arrays_of_one& a) {
  return upsweep::split_workspace_bytes(a.in, a.out, static_cast<std::int64_t*>(nullptr), a.n, 1 << a.bits,
                                        highest_bits{a.bits});
}

status split(runtime::stream s, workspace w, const split_arrays_of_one& a, std::int64_t* offsets) {
  if (s.where == runtime::backend::cuda) return split_on_cuda(s.handle, w, a, offsets);
  return split_on(sim_stream{static_cast<const sim_options*>(s.handle)}, w, a, offsets);
}

}  // namespace upsweep::apps
