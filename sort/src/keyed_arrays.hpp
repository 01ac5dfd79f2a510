// Keys of 4 or 8 bytes and their values, whose types are known at run time, as arrays of a type.
#pragma once

#include <cstdint>

#include "sort_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Calls use(keys_in, keys_out, values_in, values_out, digits) with arrays of the types; without values with those of
/// no_value, of places with those of Place and no input.
template <class Types, class Place, class Use>
status with_keyed_arrays(const keyed_arrays& a, Use use) {
  return Types::call(a.key_type, a.order, [&]<class Key, class Digits>(Key, const Digits& digits) {
    const auto with_values = [&]<class Value>(Value) {
      if (!aligned_to(a.keys_in, sizeof(Key)) || !aligned_to(a.keys_out, sizeof(Key)) ||
          !aligned_to(a.values_in, alignof(Value)) || !aligned_to(a.values_out, alignof(Value))) {
        return status::invalid_value;
      }
      return use(static_cast<const Key*>(a.keys_in), static_cast<Key*>(a.keys_out),
                 static_cast<const Value*>(a.values_in), static_cast<Value*>(a.values_out), digits);
    };
    if (a.places) return with_values(Place{});
    if (a.value_bytes == 0) return with_values(no_value{});
    if (a.value_bytes == 4) return with_values(std::uint32_t{});
    return a.value_bytes == 8 ? with_values(std::uint64_t{}) : status::not_supported;
  });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
