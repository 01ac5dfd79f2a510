#include "missing_keys.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace upsweep::apps {

byte_array with_missing_moved(const void* keys, scalar_type type, std::size_t count, const key_order& how) {
  byte_array moved(count * size_of(type));
  const bool are_largest = (how.missing == nan_order::last) == (how.order == sort_order::ascending);
  visit_key_type(type, [&]<class Key>(Key) {
    const auto* const from = static_cast<const Key*>(keys);
    auto* const to = moved.as<Key>();
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = from[i];
      if constexpr (std::is_integral_v<Key>) {
        // NaT is the least number; one less of all makes it the largest.
        using number = std::make_unsigned_t<Key>;
        if (how.are_dates && are_largest) to[i] = static_cast<Key>(static_cast<number>(from[i]) - 1u);
      } else if (is_missing(from[i], how)) {
        // The NaN of all ones, beyond all numbers of its sign.
        std::memset(&to[i], 0xff, sizeof(Key));
        if (are_largest) reinterpret_cast<unsigned char*>(&to[i])[sizeof(Key) - 1] = 0x7f;
      }
    }
  });
  return moved;
}

}  // namespace upsweep::apps
