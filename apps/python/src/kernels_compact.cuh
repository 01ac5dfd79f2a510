// The selections behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include <type_traits>

#include "kernels.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::python {

/// The sim takes one method for any number of items: the others take longer to compile than they are worth there.
struct no_kernels_of_few : detail::pipelined_compact_shape {
  static constexpr detail::kernel_limits limits{.few_bytes = 0, .few_parted_bytes = 0, .cluster_blocks = 1};
};
template <class Stream>
using select_method_on =
    std::conditional_t<std::is_same_v<Stream, sim_stream>, fused<256, 16, no_kernels_of_few>, default_compact_policy>;

template <class Stream>
status enqueue_call(const select_call& c, Stream stream) {
  return static_cast<status>(partition_arrays<select_method_on<Stream>>(
      c.work, c.arrays, c.results, c.n, vote_flagged<std::uint8_t>{c.flags}, c.rejected, stream));
}
inline std::size_t bytes_of(const select_call& c) {
  return partition_arrays_workspace_bytes(c.arrays, c.results, c.n, vote_flagged<std::uint8_t>{c.flags}, c.rejected);
}

}  // namespace upsweep::python
