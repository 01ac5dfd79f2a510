// The compiled key types and methods, and one sort of the table on an executor.
#pragma once

#include <cstddef>
#include <vector>

#include "backends.hpp"
#include "coded_digits.hpp"
#include "upsweep/scan/variant_spine.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/scalar_types.hpp"
#include "upsweep/sort/device/argsort_places.cuh"
#include "upsweep/sort/device/cluster_sort.cuh"
#include "upsweep/sort/device/gather_packed.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/policy.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Calls use(Code{}) for the unsigned integer as wide as keys of the type, if that is LeastBytes or more.
template <int LeastBytes, class Use>
status with_code(scalar_type type, Use use) {
  const std::size_t bytes = size_of(type);
  if constexpr (LeastBytes == 1) {
    if (bytes == 1) return use(std::uint8_t{});
    if (bytes == 2) return use(std::uint16_t{});
  }
  if (bytes == 4) return use(std::uint32_t{});
  return bytes == 8 ? use(std::uint64_t{}) : status::not_supported;
}

/// Integers: signed and unsigned ones of one width share their kernels. Those of 16 bits are those of f16 and bf16,
/// too. use(Key{}, its digits) answers for the type of the name.
template <int LeastBytes = 1>
struct integer_key_types {
  template <class Use>
  static status call(scalar_type type, sort_order order, Use use) {
    return with_code<LeastBytes>(type, [&]<class Key>(Key zero) {
      const run_time_codec<Key> codec(type, order);
      if constexpr (sizeof(Key) == 2) {
        return use(zero, coded_digits<Key>{codec});
      } else {
        return use(zero, integer_digits<Key>{codec.if_positive});
      }
    });
  }
};

/// Floats of 32 and 64 bits, which a GPU sorts faster by a type of their own.
struct float_key_types {
  static bool has(scalar_type type) { return type == scalar_type::f32 || type == scalar_type::f64; }

  template <class Use>
  static status call(scalar_type type, sort_order order, Use use) {
    return scalar_types<float, double>::call(type,
                                             [&](auto key) { return use(key, key_digits<decltype(key)>{order}); });
  }
};

/// All types, as GPUs have them.
template <int LeastBytes = 1>
struct cuda_key_types {
  template <class Use>
  static status call(scalar_type type, sort_order order, Use use) {
    return float_key_types::has(type) ? float_key_types::call(type, order, use)
                                      : integer_key_types<LeastBytes>::call(type, order, use);
  }
};

/// All types, as the sim has them: floats share the kernels of integers, which halves what there is to compile.
template <int LeastBytes = 1>
struct sim_key_types {
  template <class Use>
  static status call(scalar_type type, sort_order order, Use use) {
    return with_code<LeastBytes>(type, [&]<class Key>(Key zero) {
      return use(zero, coded_digits<Key>{{type, order}});
    });
  }
};

/// The methods of one launch, in the largest size that default_sort has compiled for every key type.
using largest_block_sort = single_block_sort<512, 8, 4>;
using largest_cluster_sort = cluster_sort<512, 8, 4>;

/// What use(method) gives for the method that the policy asks for.
template <class Use>
auto with_method(stream s, const sort_method_with_scan& p, Use use) {
  switch (method_of(p)) {
    case sort_method::upsweep_downsweep:
      return use(upsweep_downsweep(variant_spine{s, p.scan}));
    case sort_method::onesweep:
      return use(onesweep<>{});
    case sort_method::single_block:
      return use(largest_block_sort{});
    case sort_method::cluster:
      return use(largest_cluster_sort{});
    case sort_method::default_sort:
      break;
  }
  return use(default_sort_policy{});
}

/// A place of a key, which values of other types are fetched by.
using row_place = std::uint32_t;
inline constexpr std::size_t widest_row = std::size_t{1} << 16;

/// Where sort_rows keeps the places, before what sorting them needs.
struct row_layout {
  workspace_layout layout;
  workspace_layout::slot<row_place> places;
  explicit row_layout(std::int64_t n) : places(layout.add<row_place>(n)) {}
};

template <class Key, class Method>
std::size_t sort_rows_workspace(const Method& method, std::int64_t n) {
  if (n <= 0) return 0;
  return row_layout(n).layout.bytes() + sort_places_workspace<Key, row_place>(method, n, false);
}

/// Sorts keys and the rows of all arrays with them; c.n is the bound of r.n.
template <class Method, class Executor, class Request>
status sort_rows(const Method& method, Executor& ex, Request r, const sort_call& c) {
  using key = typename Request::key_type;
  std::vector<memory_use> uses{use_of(r.keys_in, c.n, false), use_of(r.keys_out, c.n, true)};
  for (const value_rows& rows : c.rows) {
    const std::size_t bytes = static_cast<std::size_t>(c.n) * rows.bytes;
    if (rows.bytes == 0 || rows.bytes > widest_row || rows.in == nullptr || rows.out == nullptr) {
      return status::invalid_value;
    }
    uses.push_back({rows.in, bytes, false});
    uses.push_back({rows.out, bytes, true});
  }
  if (!written_apart(uses) || r.keys_out == nullptr || c.work.data == nullptr ||
      c.work.bytes < sort_rows_workspace<key>(method, c.n)) {
    return status::invalid_value;
  }
  const row_layout l(c.n);
  r.values_out = l.layout.at(c.work, l.places);
  status s = sort_places(method, ex, l.layout.rest(c.work), r);
  bool fetched = false;
  if (s == status::success && c.rows.size() <= word_rows<char>::most) {
    row_array rows[word_rows<char>::most];
    for (std::size_t a = 0; a < c.rows.size(); ++a) rows[a] = {c.rows[a].in, c.rows[a].out, c.rows[a].bytes};
    s = gather_packed(ex, c.work, sort_rows_workspace<key>(method, c.n), rows, c.rows.size(), r.values_out, r.n,
                      fetched);
  }
  for (const value_rows& rows : c.rows) {
    if (s == status::success && !fetched) s = gather_rows(ex, rows.in, rows.out, rows.bytes, r.values_out, r.n);
  }
  return s;
}

/// One sort by a method of keys of a known type, whose number `n` has the bound c.n.
template <class Key, class Method, class Executor, class Digits, class Count>
status sort_items(const Method& method, Executor& executor, const sort_call& c, const Digits& digits, const Count& n) {
  const bool aligned = aligned_to(c.keys_in, sizeof(Key)) && aligned_to(c.keys_out, sizeof(Key)) &&
                       aligned_to(c.values_in, sizeof(std::uint32_t)) &&
                       aligned_to(c.values_out, sizeof(std::uint32_t));
  if (c.n > 0 && !aligned) return status::invalid_value;
  const auto* in = static_cast<const Key*>(c.keys_in);
  auto* out = static_cast<Key*>(c.keys_out);
  if (c.load == sort_load::nothing) {
    const sort_request<Key, no_value, Digits, Count> request{digits, c.bits, n, in, out, nullptr, nullptr};
    return sort_by(method, executor, c.work, request);
  }
  const sort_request<Key, std::uint32_t, Digits, Count> request{digits, c.bits, n, in, out, c.values_in, c.values_out};
  if (c.load == sort_load::values) return sort_by(method, executor, c.work, request);
  if (c.n <= 0) return c.n == 0 ? status::success : status::invalid_value;
  if (c.n > most_u32_places) return status::not_supported;
  if (c.load == sort_load::places) return argsort_places(method, executor, c.work, request);
  return sort_rows(method, executor, request, c);
}

/// One sort of a key type that is among Types.
template <class Types, class Executor>
status sort_by_table(Executor executor, stream s, const sort_call& c) {
  return Types::call(c.key_type, c.order, [&]<class Key, class Digits>(Key, const Digits& digits) {
    return with_method(s, c.method,
                       [&](const auto& method) { return sort_items<Key>(method, executor, c, digits, c.n); });
  });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
