// Arrays of so few elements that tiles of the usual size would leave most of a GPU idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/policy.hpp"

namespace upsweep::runtime {

using fused_of_few = fused<256, 4>;

/// The most elements that go by those tiles.
inline constexpr std::int64_t most_few = std::int64_t{1} << 18;

/// Whether fused_of_few takes the call. What one block of the usual size does alone, without a look-back, it keeps,
/// unless the elements are wide.
inline bool are_few(std::span<const soa_array> arrays, std::int64_t n) {
  constexpr std::int64_t one_block = default_compact_policy::tile_items;
  constexpr std::size_t wide = 16;  // bytes, of all arrays
  if (n > one_block) return n <= most_few;
  std::size_t bytes = 0;
  for (const soa_array& a : arrays) bytes += a.element_bytes;
  return n > fused_of_few::tile_items && bytes >= wide;
}

}  // namespace upsweep::runtime
