// The kernels of a part of the table. Only the files that compile a part include this.
#pragma once

#include <limits>

#include "scan_table.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// What comes before the first item of an exclusive scan without init.
template <class T>
constexpr T identity_of(scan_operator op) {
  using limits = std::numeric_limits<T>;
  switch (op) {
    case scan_operator::minimum:
      return limits::has_infinity ? limits::infinity() : limits::max();
    case scan_operator::maximum:
      return limits::has_infinity ? -limits::infinity() : limits::lowest();
    case scan_operator::product:
      return T{1};
    case scan_operator::bit_and:
      return limits::max();  // of an unsigned type: all bits
    case scan_operator::sum:
    case scan_operator::bit_or:
    case scan_operator::bit_xor:
      break;
  }
  return T{0};
}

template <class Policy, class T, class Op, class Stream>
status scan_items(Stream stream, const scan_call& c, Op op) {
  if (!aligned_to(c.in, sizeof(T)) || !aligned_to(c.out, sizeof(T))) return status::invalid_value;
  const carry<T> init{c.init ? *static_cast<const T*>(c.init) : identity_of<T>(c.op),
                      c.init || c.kind == scan_kind::exclusive};
  const auto* in = static_cast<const T*>(c.in);
  auto* out = static_cast<T*>(c.out);
  if (c.kind == scan_kind::exclusive) {
    return static_cast<status>(
        detail::scan_in<Policy, scan_kind::exclusive, T>(c.work, in, out, detail::no_total{}, c.n, op, init, stream));
  }
  return static_cast<status>(
      detail::scan_in<Policy, scan_kind::inclusive, T>(c.work, in, out, detail::no_total{}, c.n, op, init, stream));
}

template <class Part, class Stream>
status scan_by_part(Stream stream, const scan_call& c) {
  return with_policy<typename Part::policies>(c.variant, [&]<class Policy>(Policy) {
    status result = status::not_supported;
    const auto try_one = [&]<class Operator>(Operator) {
      if (c.op != Operator::name) return;
      result = Operator::types::call(kernel_type(c.op, c.type), [&]<class T>(T) {
        return scan_items<Policy, T>(stream, c, typename Operator::function{});
      });
    };
    std::apply([&](auto... op) { (try_one(op), ...); }, typename Part::operators{});
    return result;
  });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
