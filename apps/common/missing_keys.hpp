// NaN and NaT before or after all other keys.
#pragma once

#include <cstddef>

#include "byte_array.hpp"
#include "key_types.hpp"

namespace upsweep::apps {

/// Keys that a sort by all bits puts where `how` wants those of `keys`, of `count` numbers of a type: the missing ones
/// are equal and beyond the others, which stay in order.
byte_array with_missing_moved(const void* keys, scalar_type type, std::size_t count, const key_order& how);

}  // namespace upsweep::apps
