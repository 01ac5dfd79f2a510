// The compiled scans.
#pragma once

#include <tuple>

#include "backends.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// An operator of the table: its name, its function object, and the types that have kernels.
template <scan_operator Name, class Function, class Types>
struct table_operator {
  static constexpr scan_operator name = Name;
  using function = Function;
  using types = Types;
};

using wrapping_types = scalar_types<std::uint32_t, std::uint64_t, float, double>;
using ordered_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;
using bit_types = scalar_types<std::uint32_t, std::uint64_t>;

using sum_operator = table_operator<scan_operator::sum, plus, wrapping_types>;
using other_operators = std::tuple<table_operator<scan_operator::minimum, minimum, ordered_types>,
                                   table_operator<scan_operator::maximum, maximum, ordered_types>,
                                   table_operator<scan_operator::product, multiplies, wrapping_types>,
                                   table_operator<scan_operator::bit_and, bit_and, bit_types>,
                                   table_operator<scan_operator::bit_or, bit_or, bit_types>,
                                   table_operator<scan_operator::bit_xor, bit_xor, bit_types>>;

/// The type whose kernels scan `type`. All operators but minimum and maximum give an i32 the bits that they give a u32.
constexpr scalar_type kernel_type(scan_operator op, scalar_type type) {
  const bool ordered = op == scan_operator::minimum || op == scan_operator::maximum;
  return type == scalar_type::i32 && !ordered ? scalar_type::u32 : type;
}

/// A part of the table: sums by each of these policies.
template <class... Policies>
struct sums_by {
  using policies = std::tuple<Policies...>;
  using operators = std::tuple<sum_operator>;
};

template <template <class, int> class Strategy, class Blocks = block_algorithms<256>>
struct sums_by_every_block;
template <template <class, int> class Strategy, class... Blocks>
struct sums_by_every_block<Strategy, std::tuple<Blocks...>> : sums_by<Strategy<Blocks, 16>...> {};

/// Together they have every variant once. Each begins a line, by which scan/CMakeLists.txt counts them.
using sum_parts = std::tuple<
    sums_by<default_scan>,                                                   //
    sums_by<serial, naive_quadratic<>, hillis_steele<>, blelloch_sweeps<>>,  //
    sums_by_every_block<scan_then_propagate>,                                //
    sums_by_every_block<reduce_then_scan>,                                   //
    sums_by_every_block<chained_scan>,                                       //
    sums_by_every_block<decoupled_lookback>,                                 //
    sums_by<decoupled_lookback<warp_scans<64>, 8>, decoupled_lookback<warp_scans<128>, 8>,
            decoupled_lookback<warp_scans<256>, 8>, decoupled_lookback<warp_scans<512>, 8>,
            decoupled_lookback<warp_scans<512>, 16>, decoupled_lookback<warp_scans<1024>, 4>>,
    sums_by<decoupled_lookback_pipelined<256, 32>, decoupled_lookback_pipelined<384, 32>>,
    sums_by<single_block<warp_scans<512>, 4>, single_block<warp_scans<1024>, 4>, single_block<warp_scans<1024>, 16>>,
    sums_by<cluster<warp_scans<256>, 4>, cluster<warp_scans<512>, 4>, cluster<warp_scans<1024>, 4>>>;

/// The operators beside the sum.
struct default_scan_operators {
  using policies = std::tuple<default_scan_policy>;
  using operators = other_operators;
};

/// True when a call for `wanted` runs the policy of this variant.
constexpr bool same_variant(const scan_variant& wanted, const scan_variant& compiled) {
  return wanted == compiled || (wanted.strategy == compiled.strategy && !has_tiles(compiled.strategy));
}

/// Calls `f(Policy{})` for the policy of that variant, of a tuple; not_supported when there is none.
template <class Policies, class F>
status with_policy(const scan_variant& v, F f) {
  status result = status::not_supported;
  const auto try_one = [&](auto policy) {
    if (!same_variant(v, decltype(policy)::variant)) return false;
    result = f(policy);
    return true;
  };
  std::apply([&](auto... policy) { static_cast<void>((try_one(policy) || ...)); }, Policies{});
  return result;
}

/// Runs a call on an executor's stream if this part has it; else not_supported. Defined in scan_part.hpp.
template <class Part, class Stream>
status scan_by_part(Stream stream, const scan_call& call);

/// Runs a call by the part that has it.
template <class Stream>
status scan_by_table(Stream stream, const scan_call& call) {
  if (call.op != scan_operator::sum) return scan_by_part<default_scan_operators>(stream, call);
  status result = status::not_supported;
  const auto try_one = [&]<class Part>(Part) {
    result = scan_by_part<Part>(stream, call);
    return result != status::not_supported;
  };
  std::apply([&](auto... part) { static_cast<void>((try_one(part) || ...)); }, sum_parts{});
  return result;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
