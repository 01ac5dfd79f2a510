// Two iterators side by side, as one.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class A, class B>
struct pair_of_items {
  A a;
  B b;
};
template <class A, class B>
struct pair_in {
  A a;
  B b;
  UPSWEEP_HOST_DEVICE pair_of_items<item_t<A>, item_t<B>> operator[](std::int64_t i) const { return {a[i], b[i]}; }
};
template <class A, class B>
struct pair_out {
  A a;
  B b;
  struct place {
    A a;
    B b;
    std::int64_t i;
    template <class Pair>
    UPSWEEP_HOST_DEVICE void operator=(const Pair& items) {
      a[i] = items.a;
      b[i] = items.b;
    }
  };
  UPSWEEP_HOST_DEVICE place operator[](std::int64_t i) const { return {a, b, i}; }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
