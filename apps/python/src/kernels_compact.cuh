// The selections behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include "kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "compact/src/sized_element.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::python {

/// The sim takes one method for any number of items: the others take longer to compile than they are worth there.
struct no_kernels_of_few : detail::pipelined_compact_shape {
  static constexpr detail::kernel_limits limits{.few_bytes = 0, .few_parted_bytes = 0, .cluster_blocks = 1};
};
template <class Stream>
using select_method_on =
    std::conditional_t<std::is_same_v<Stream, sim_stream>, fused<256, 16, no_kernels_of_few>, default_compact_policy>;

/// Whether the kernels of one array do a call: they are compiled for an n by value alone.
inline bool is_of_one_array(const select_call& c) {
  return c.arrays.size() == 1 && c.n.count == nullptr && c.n.bound > 0 && c.rejected == rejected_order::apart &&
         !c.results.indices.wanted() && !c.results.is_limited();
}

template <class Stream>
status enqueue_call(const select_call& c, Stream stream) {
  const vote_flagged<std::uint8_t> vote{c.flags};
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    status s = status::not_supported;
    bool is_done = false;
    const auto run = [&]<class T>(T) {
      const soa_array& a = c.arrays[0];
      if (!detail::aligned_to(a.in, alignof(T)) || !detail::aligned_to(a.out, alignof(T))) return;
      is_done = true;
      auto executor = executor_of(stream);
      s = default_compact_policy{}.run_array(executor, c.work, static_cast<const T*>(a.in), static_cast<T*>(a.out),
                                             c.n.bound, vote, c.results);
    };
    if (is_of_one_array(c)) runtime::with_sized_element(c.arrays[0].element_bytes, run);
    if (is_done) return s;
  }
  return static_cast<status>(
      partition_arrays<select_method_on<Stream>>(c.work, c.arrays, c.results, c.n, vote, c.rejected, stream));
}
inline std::size_t bytes_of(const select_call& c) {
  const vote_flagged<std::uint8_t> vote{c.flags};
  std::size_t bytes = partition_arrays_workspace_bytes(c.arrays, c.results, c.n, vote, c.rejected);
  if (!is_of_one_array(c)) return bytes;
  runtime::with_sized_element(c.arrays[0].element_bytes, [&]<class T>(T) {
    const soa_array& a = c.arrays[0];
    bytes = std::max(bytes, default_compact_policy{}.array_workspace_bytes(static_cast<const T*>(a.in),
                                                                           static_cast<const T*>(a.out), c.n.bound));
  });
  return bytes;
}

}  // namespace upsweep::python
