// The compiled key types and methods, and one sort of the table on an executor.
#pragma once

#include "backends.hpp"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/scalar_types.hpp"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/policy.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::runtime {

using sorted_key_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float>;

/// What use(method) gives for the method that the policy asks for.
template <class Use>
auto with_method(stream s, const sort_policy& p, Use use) {
  switch (method_of(p)) {
    case sort_method::upsweep_downsweep:
      return use(upsweep_downsweep(variant_spine{s, p.scan}));
    case sort_method::onesweep:
      return use(onesweep<>{});
    case sort_method::default_sort:
      break;
  }
  return use(default_sort_policy{});
}

template <class Executor>
status sort_by_table(Executor executor, stream s, const sort_call& c) {
  return sorted_key_types::call(c.key_type, [&](auto key) {
    using Key = decltype(key);
    if (!aligned_to(c.keys_in, sizeof(Key)) || !aligned_to(c.keys_out, sizeof(Key))) return status::invalid_value;
    const auto* in = static_cast<const Key*>(c.keys_in);
    auto* out = static_cast<Key*>(c.keys_out);
    return with_method(s, c.policy, [&](const auto& method) {
      if (c.pairs) {
        const sort_request<Key, std::uint32_t, key_digits<Key>> request{{c.order}, c.bits,      c.n,         in,
                                                                        out,       c.values_in, c.values_out};
        return sort_by(method, executor, c.work, request);
      }
      const sort_request<Key, no_value, key_digits<Key>> request{{c.order}, c.bits, c.n, in, out, nullptr, nullptr};
      return sort_by(method, executor, c.work, request);
    });
  });
}

}  // namespace upsweep::runtime
