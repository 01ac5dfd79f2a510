// An operator that counts.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/internals.hpp"

namespace upsweep::test {

/// Op, which counts how often it is applied.
template <class T, class Op>
struct counted {
  std::atomic<std::int64_t>* count;
  T operator()(const T& a, const T& b) const {
    count->fetch_add(1, std::memory_order_relaxed);
    return Op{}(a, b);
  }
};

}  // namespace upsweep::test
