// The compiled key types, and one sort of the table on an executor.
#pragma once

#include <array>

#include "backends.hpp"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::runtime {

inline constexpr std::array sorted_key_types = {scalar_type::u32, scalar_type::i32, scalar_type::u64, scalar_type::f32};

/// Calls `f(Key{})` for the key type; not_supported when it is not compiled.
template <class F>
status with_key_type(scalar_type type, F f) {
  switch (type) {
    case scalar_type::u32:
      return f(std::uint32_t{});
    case scalar_type::i32:
      return f(std::int32_t{});
    case scalar_type::u64:
      return f(std::uint64_t{});
    case scalar_type::f32:
      return f(float{});
    default:
      return status::not_supported;
  }
}

template <class Executor>
status sort_by_table(Executor executor, stream s, const sort_call& c) {
  return with_key_type(c.key_type, [&](auto key) {
    using Key = decltype(key);
    if (!aligned_to(c.keys_in, sizeof(Key)) || !aligned_to(c.keys_out, sizeof(Key))) return status::invalid_value;
    const upsweep_downsweep method(variant_spine{s, c.policy.scan});
    const auto* in = static_cast<const Key*>(c.keys_in);
    auto* out = static_cast<Key*>(c.keys_out);
    if (c.pairs) return method.run(executor, c.work, c.order, in, out, c.values_in, c.values_out, c.n, c.bits);
    return method.run(executor, c.work, c.order, in, out, static_cast<const no_value*>(nullptr),
                      static_cast<no_value*>(nullptr), c.n, c.bits);
  });
}

}  // namespace upsweep::runtime
