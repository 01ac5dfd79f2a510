// Elements of one array whose size is known at run time, as types: those sizes for which the single pass has kernels of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::runtime {

/// Bytes bytes, aligned as far as vectors of at most 16 bytes ask for.
template <int Bytes>
struct alignas(Bytes % 16 == 0  ? 16
               : Bytes % 8 == 0 ? 8
                                : 4) sized_element {
  std::uint32_t word[Bytes / 4];
};

/// Calls f with an element of that size. False when there is none.
template <class F>
bool with_sized_element(std::size_t bytes, F f) {
  switch (bytes) {
    case 4:
      return f(sized_element<4>{}), true;
    case 8:
      return f(sized_element<8>{}), true;
    case 12:
      return f(sized_element<12>{}), true;
    case 16:
      return f(sized_element<16>{}), true;
    case 32:
      return f(sized_element<32>{}), true;
    case 64:
      return f(sized_element<64>{}), true;
    default:
      return false;
  }
}

}  // namespace upsweep::runtime
