// The compaction that is used where none is named: `fused`, by small tiles where arrays are short.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/fused.cuh"
#include "upsweep/compact/particles.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of arrays whose types are not known, fused<256, 4> moves few elements, of which tiles of the usual size would leave
/// most of a GPU idle. One array of a known type, and iterators, go by fused<>.
struct default_compact : fused<> {
  using few = fused<256, 4>;

  /// The most elements that go by small tiles.
  static constexpr std::int64_t most_few = std::int64_t{1} << 18;

  std::size_t workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                              rejected_order rejected = rejected_order::apart) const {
    return (std::max)(fused<>::workspace_bytes(arrays, n, rejected),
                      few{}.workspace_bytes(arrays, (std::min)(n, most_few), rejected));
  }

  template <class Executor, class Count, class Vote>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count count, Vote vote,
             const select_results& results, rejected_order rejected = rejected_order::apart) const {
    const std::int64_t n = bound_of(count);
    if (n > 0 && (w.data == nullptr || w.bytes < workspace_bytes(arrays, n, rejected))) return status::invalid_value;
    return are_few(arrays, n) ? few{}.run(ex, w, arrays, count, vote, results, rejected)
                              : fused<>::run(ex, w, arrays, count, vote, results, rejected);
  }

 private:
  /// What one block of the usual size does alone, without a look-back, it keeps, unless the elements are wide.
  static bool are_few(std::span<const soa_array> arrays, std::int64_t n) {
    constexpr std::int64_t one_block = tile_items;
    constexpr std::size_t wide = 16;  // bytes, of all arrays
    if (n > one_block) return n <= most_few;
    std::size_t bytes = 0;
    for (const soa_array& a : arrays) bytes += a.element_bytes;
    return n > few::tile_items && bytes >= wide;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
