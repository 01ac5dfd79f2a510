// Elements of one array whose size is known at run time, as types: those sizes for which the single pass has kernels of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "upsweep/simt/config.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Bytes bytes, aligned as far as vectors of at most 16 bytes ask for.
template <std::size_t Bytes>
struct alignas(std::gcd(Bytes, std::size_t{16})) sized_element {
  std::uint32_t word[Bytes / 4];
};

/// Calls f with an element of that size. False when there is none.
template <class F>
bool with_sized_element(std::size_t bytes, F f) {
  return [&]<std::size_t... Bytes>(std::index_sequence<Bytes...>) {
    return ((bytes == Bytes && (f(sized_element<Bytes>{}), true)) || ...);
  }
  (std::index_sequence<4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64>{});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
