// The compiled key types, and one sort of the table on an executor.
#pragma once

#include "backends.hpp"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/scalar_types.hpp"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::runtime {

using sorted_key_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float>;

template <class Executor>
status sort_by_table(Executor executor, stream s, const sort_call& c) {
  return sorted_key_types::call(c.key_type, [&](auto key) {
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
