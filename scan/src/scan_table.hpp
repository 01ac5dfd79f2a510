// The compiled scan variants. To add one: a line in compiled_policies.
#pragma once

#include <array>
#include <tuple>

#include "backends.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::runtime {

using compiled_policies = std::tuple<serial,                                    //
                                     scan_then_propagate<warp_scans<256>, 16>,  //
                                     scan_then_propagate<brent_kung<256>, 16>,  //
                                     decoupled_lookback<warp_scans<256>, 16>,   //
                                     decoupled_lookback<warp_scans<128>, 8>,    //
                                     decoupled_lookback<brent_kung<256>, 16>>;

template <class T>
struct scanned_type {
  using type = T;
};

/// Calls `f(scanned_type<T>{})` for the element type; not_supported when sums of it are not compiled.
template <class F>
status with_scanned_type(scalar_type type, F f) {
  switch (type) {
    case scalar_type::u32:
      return f(scanned_type<std::uint32_t>{});
    case scalar_type::i32:
      return f(scanned_type<std::int32_t>{});
    case scalar_type::u64:
      return f(scanned_type<std::uint64_t>{});
    case scalar_type::f32:
      return f(scanned_type<float>{});
    case scalar_type::f64:
      return f(scanned_type<double>{});
    default:
      return status::not_supported;
  }
}
inline constexpr std::array scanned_types = {scalar_type::u32, scalar_type::i32, scalar_type::u64, scalar_type::f32,
                                             scalar_type::f64};

/// `serial` has no blocks, so its strategy alone counts.
constexpr bool same_variant(const scan_variant& a, const scan_variant& b) {
  return a == b || (a.strategy == scan_strategy::serial && b.strategy == scan_strategy::serial);
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
    return with_scanned_type(c.type, [&](auto scanned) {
      using policy_type = decltype(policy);
      using T = typename decltype(scanned)::type;
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
