// Reduction and scan of neighbouring values in shared memory, by one thread.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// x[first] op ... op x[end - 1]. end - first - 1 operations.
template <class Array, class Op>
UPSWEEP_DEVICE auto reduce_run(const Array& x, int first, int end, Op op) {
  std::decay_t<decltype(x[first])> sum = x[first];
  for (int i = first + 1; i < end; ++i) sum = op(sum, x[i]);
  return sum;
}

/// Replaces each of x[first], ..., x[end - 1] by its inclusive prefix after `before`.
template <class Array, class T, class Op>
UPSWEEP_DEVICE void scan_run(Array& x, int first, int end, carry<T> before, Op op) {
  for (int i = first; i < end; ++i) {
    before = {before.then(x[i], op), true};
    x[i] = before.value;
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
