// The calls of partitions.hpp on a stream of either device.
#pragma once

#include "element_types.hpp"
#include "references.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"

namespace upsweep::apps {

struct highest_bits {
  int bits;
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::uint32_t x) const { return x >> (32 - bits); }
};

template <class Stream>
status partition_on(Stream stream, workspace w, const partition_arrays_of_one& a) {
  status s = status::not_supported;
  partition_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    const auto* const in = static_cast<const T*>(a.in);
    const between<T> keep{*static_cast<const T*>(a.low), *static_cast<const T*>(a.high)};
    s = static_cast<status>(upsweep::partition_if(w, in, static_cast<T*>(a.out), static_cast<T*>(a.rejected), a.count,
                                                  a.n, keep, rejected_order::after, stream));
  });
  return s;
}

template <class Stream>
status split_on(Stream stream, workspace w, const split_arrays_of_one& a, std::int64_t* offsets) {
  return static_cast<status>(upsweep::split(w, a.in, a.out, offsets, a.n, 1 << a.bits, highest_bits{a.bits}, stream));
}

}  // namespace upsweep::apps
