// Reductions of runs, groupings and expansions of items whose types are known at run time, on an executor.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends.hpp"
#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/group_by.cuh"
#include "upsweep/compact/histogram.cuh"
#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/compact/run_length.cuh"
#include "upsweep/compact/unique.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Whether two numbers of a type that is as wide as Code are equal, by their bits: of floats, NaNs never are, and zeros
/// of both signs are.
template <class Code>
struct equal_numbers {
  using branch_free = void;  // as pipelined_runs.cuh asks
  static constexpr Code magnitude = static_cast<Code>(~Code{0}) >> 1;
  Code infinity;  // the bits of a float's; of integers, of which all bits are looked at, the largest
  bool are_floats;

  explicit equal_numbers(scalar_type type)
      : infinity(type == scalar_type::f32   ? static_cast<Code>(0x7f800000)
                 : type == scalar_type::f64 ? static_cast<Code>(0x7ff0000000000000)
                                            : magnitude),
        are_floats(type == scalar_type::f32 || type == scalar_type::f64) {}
  UPSWEEP_HOST_DEVICE bool operator()(Code a, Code b) const {
    return ((a == b) & ((a & magnitude) <= infinity)) | (are_floats & (((a | b) & magnitude) == 0));
  }
};

/// Numbers of 4 or 8 bytes: use(the unsigned integer as wide).
template <class Use>
status with_code(scalar_type type, Use use) {
  if (size_of(type) == 4) return use(std::uint32_t{});
  return size_of(type) == 8 ? use(std::uint64_t{}) : status::not_supported;
}

/// The numbers that are summed: use(a zero); signed integers are summed as unsigned ones are.
template <class Use>
status with_summed(scalar_type type, Use use) {
  if (type == scalar_type::f32) return use(float{});
  return type == scalar_type::f64 ? use(double{}) : with_code(type, use);
}

inline bool is_aligned(const integer_array& a) {
  return a.is_right() && aligned_to(a.data, a.integer_bytes);
}

/// An integer array by its type; of another size, or not aligned: invalid_value.
template <class Use>
status with_integers(const integer_array& a, Use use) {
  if (!is_aligned(a)) return status::invalid_value;
  return a.integer_bytes == 4 ? use(static_cast<std::uint32_t*>(a.data)) : use(static_cast<std::int64_t*>(a.data));
}

struct group_number {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::uint32_t group) const { return group; }
};
struct item_number {
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t) const { return i; }
};

template <class Stream>
struct grouped_calls {
  Stream stream;

  status operator()(const runs_call& c) const {
    return with_code(c.key_type, [&]<class Key>(Key) {
      if (!aligned_to(c.keys_in, sizeof(Key)) || !aligned_to(c.unique_out, sizeof(Key))) return status::invalid_value;
      const auto* const keys = static_cast<const Key*>(c.keys_in);
      auto* const unique = static_cast<Key*>(c.unique_out);
      const equal_numbers<Key> equal(c.key_type);
      if (c.lengths_out.wanted()) {
        return with_integers(c.lengths_out, [&](auto* lengths) {
          return static_cast<status>(
              upsweep::run_length_encode(c.work, keys, unique, lengths, *c.results, c.n, equal, stream));
        });
      }
      return with_summed(c.value_type, [&]<class T>(T) {
        if (!aligned_to(c.values_in, sizeof(T)) || !aligned_to(c.sums_out, sizeof(T))) return status::invalid_value;
        return static_cast<status>(upsweep::reduce_by_key(c.work, keys, unique, static_cast<const T*>(c.values_in),
                                                          static_cast<T*>(c.sums_out), *c.results, c.n, plus{}, equal,
                                                          stream));
      });
    });
  }

  status operator()(const groups_call& c) const {
    if (!aligned_to(c.group_of, sizeof *c.group_of)) return status::invalid_value;
    if (c.counts.wanted()) {
      return with_integers(c.counts, [&](auto* counts) {
        return static_cast<status>(upsweep::histogram(c.group_of, counts, c.n, c.groups, group_number{}, stream));
      });
    }
    if (!aligned_to(c.offsets, sizeof *c.offsets) || !is_aligned(c.to.permutation) || !is_aligned(c.to.inverse)) {
      return status::invalid_value;
    }
    return static_cast<status>(
        upsweep::group_by(c.work, c.group_of, c.to, c.offsets, c.n, c.groups, group_number{}, stream));
  }

  status operator()(const expand_call& c) const {
    if (!aligned_to(c.counts, sizeof *c.counts)) return status::invalid_value;
    return with_integers(c.items, [&](auto* items) {
      return static_cast<status>(upsweep::expand(c.work, c.counts, items, *c.results, c.n, item_number{}, stream));
    });
  }

  status operator()(const unique_call& c) const {
    return with_code(c.type, [&]<class Key>(Key) {
      if (!aligned_to(c.in, sizeof(Key)) || !aligned_to(c.out, sizeof(Key)) || !is_aligned(c.results->counts) ||
          !is_aligned(c.results->inverse)) {
        return status::invalid_value;
      }
      return static_cast<status>(upsweep::unique(c.work, static_cast<const Key*>(c.in), static_cast<Key*>(c.out),
                                                 *c.results, c.n, equal_numbers<Key>(c.type), stream));
    });
  }

  status operator()(const decode_call& c) const {
    if (!aligned_to(c.lengths, sizeof *c.lengths)) return status::invalid_value;
    return with_code(c.type, [&]<class T>(T) {
      if (!aligned_to(c.values, sizeof(T)) || !aligned_to(c.out, sizeof(T))) return status::invalid_value;
      return static_cast<status>(upsweep::run_length_decode(c.work, static_cast<const T*>(c.values), c.lengths,
                                                            static_cast<T*>(c.out), *c.results, c.runs, stream));
    });
  }
};

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
