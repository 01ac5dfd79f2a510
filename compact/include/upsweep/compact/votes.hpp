// Votes: functors that say by an element's index whether it is kept. Predicates of items are not votes: pass them to
// select_if and partition_if.
//
//   upsweep::select(w, in, out, count, n, upsweep::by_index{[=] __host__ __device__(std::int64_t i) { return age[i] <
//   9; }});
//
// A vote may have a method reads(n), which returns the memory that n votes read. A call is then refused if that memory
// is null or overlaps an output, unless vote i reads element i of an array that is compacted in place.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Marks a functor that is called with an index, a std::int64_t, and not with an item: the vote of select, partition,
/// select_arrays and partition_arrays, and the bucket of split_arrays. The GPU can call it; it returns the same each
/// time.
template <class F>
struct by_index {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  F f;  ///< the functor of the index
};
/// by_index{f}, without naming the type of f.
template <class F>
by_index(F) -> by_index<F>;

/// The predicate low <= x < high. A NaN is never kept.
template <class T>
struct between {
  T low, high;  ///< kept from low on, below high
  /// Whether x is kept.
  UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return low <= x && x < high; }
};

/// The vote of element i by its value or by that of another array: keep(in[i]). The predicate gets a copy of the item,
/// as in CUB. It may take it by a reference that is not const, and its operator() need not be const.
template <class T, class Predicate>
struct vote_if {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  const T* in;     ///< n items
  Predicate keep;  ///< of an item
  /// Whether element i is kept.
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    T item = in[i];
    return static_cast<bool>(detail::callable<T&>(keep)(item));
  }
  /// The memory that n votes read: no output may overlap it.
  auto reads(std::int64_t n) const { return std::array{detail::use_of(in, n, false)}; }
};

/// The vote of element i by its flag: any number but 0 keeps it.
template <class Flag>
struct vote_flagged {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  const Flag* flags;  ///< n flags
  /// Whether element i is kept.
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return flags[i] != 0; }
  /// The memory that n votes read: no output may overlap it.
  auto reads(std::int64_t n) const { return std::array{detail::use_of(flags, n, false)}; }
};

/// The vote of element i by a bit: bit i % w, 0 the lowest, of word i / w, for words of w bits.
template <class Word>
struct vote_bits {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  static constexpr int bits = 8 * sizeof(Word);  ///< of a word
  const Word* words;                             ///< n bits and what fills the last word
  /// Whether element i is kept.
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return (words[i / bits] >> (i % bits) & 1u) != 0; }
  /// The memory that n votes read: no output may overlap it.
  auto reads(std::int64_t n) const { return std::array{detail::use_of(words, n / bits + (n % bits != 0), false)}; }
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class V>
concept is_vote = requires {
  typename V::votes_by_index;
};

/// What n votes read, as far as the vote tells.
template <class Vote>
auto read_by(const Vote& vote, std::int64_t n) {
  if constexpr (requires { vote.reads(n); }) {
    return vote.reads(n);
  } else {
    return std::array<memory_use, 0>{};
  }
}

/// by_index as kernels call it.
template <class F>
struct vote_by_index {
  F f;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return static_cast<bool>(callable<std::int64_t>(f)(i)); }
  auto reads(std::int64_t n) const { return read_by(f, n); }
};
template <class Vote>
const Vote& vote_of(const Vote& vote) {
  return vote;
}
template <class F>
vote_by_index<F> vote_of(const by_index<F>& vote) {
  return {vote.f};
}

/// keep(in[i]) of any iterator.
template <class In, class Keep>
struct vote_item {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  In in;
  Keep keep;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    item_t<In> item = in[i];
    return static_cast<bool>(callable<item_t<In>&>(keep)(item));
  }
  auto reads(std::int64_t n) const { return std::array{use_of(in, n, false)}; }
};
/// Whether flags[i], of any iterator, is true.
template <class Flags>
struct vote_flag {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  Flags flags;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return static_cast<bool>(flags[i]); }
  auto reads(std::int64_t n) const { return std::array{use_of(flags, n, false)}; }
};

/// The vote by keep(in[i]). Of plain arrays it is a vote_if, which has separate kernels.
template <class In, class Keep>
auto vote_by_items(In in, Keep keep) {
  if constexpr (std::is_pointer_v<In> && !std::is_volatile_v<std::remove_pointer_t<In>>) {
    return vote_if<std::remove_const_t<std::remove_pointer_t<In>>, Keep>{in, keep};
  } else {
    return vote_item<In, Keep>{in, keep};
  }
}
/// The vote by whether flags[i] is true.
template <class Flags>
auto vote_by_flags(Flags flags) {
  using flag = std::remove_const_t<std::remove_pointer_t<Flags>>;
  if constexpr (std::is_pointer_v<Flags> && std::is_arithmetic_v<flag> && !std::is_volatile_v<flag>) {
    return vote_flagged<flag>{flags};
  } else {
    return vote_flag<Flags>{flags};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
