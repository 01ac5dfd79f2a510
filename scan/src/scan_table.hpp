// The compiled scan variants. To add one: a line in compiled_policies.
#pragma once

#include <tuple>

#include "backends.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::runtime {

using compiled_policies = std::tuple<serial,                                    //
                                     naive_quadratic<>,                         //
                                     hillis_steele<>,                           //
                                     blelloch_sweeps<>,                         //
                                     reduce_then_scan<warp_scans<256>, 16>,     //
                                     chained_scan<warp_scans<256>, 16>,         //
                                     scan_then_propagate<warp_scans<256>, 16>,  //
                                     scan_then_propagate<brent_kung<256>, 16>,  //
                                     decoupled_lookback<warp_scans<256>, 16>,   //
                                     decoupled_lookback<warp_scans<128>, 8>,    //
                                     decoupled_lookback<brent_kung<256>, 16>>;

using summed_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;

/// Where no tiles are scanned, the strategy alone counts.
constexpr bool same_variant(const scan_variant& a, const scan_variant& b) {
  return a == b || (a.strategy == b.strategy && !has_tiles(a.strategy));
}

/// Calls `f(Policy{})` for the compiled policy of that variant; not_supported when there is none.
template <class F>
status with_policy(const scan_variant& v, F f) {
  status result = status::not_supported;
  const auto try_one = [&](auto policy) {
    if (!same_variant(v, decltype(policy)::variant)) return false;
    result = f(policy);
    return true;
  };
  std::apply([&](auto... policy) { static_cast<void>((try_one(policy) || ...)); }, compiled_policies{});
  return result;
}

/// Runs one call of the table on an executor's stream.
template <class Stream>
status scan_by_table(Stream stream, const scan_call& c) {
  return with_policy(c.variant, [&](auto policy) {
    return summed_types::call(c.type, [&](auto zero) {
      using policy_type = decltype(policy);
      using T = decltype(zero);
      if (!aligned_to(c.in, sizeof(T)) || !aligned_to(c.out, sizeof(T))) return status::invalid_value;
      const carry<T> init{c.init ? *static_cast<const T*>(c.init) : T{}, c.init || c.kind == scan_kind::exclusive};
      const auto* in = static_cast<const T*>(c.in);
      auto* out = static_cast<T*>(c.out);
      if (c.kind == scan_kind::exclusive) {
        return static_cast<status>(
            detail::scan<policy_type, scan_kind::exclusive, T>(c.work, in, out, c.n, plus{}, init, stream));
      }
      return static_cast<status>(
          detail::scan<policy_type, scan_kind::inclusive, T>(c.work, in, out, c.n, plus{}, init, stream));
    });
  });
}

}  // namespace upsweep::runtime
