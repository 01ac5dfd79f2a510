// Votes: functors of the index that say whether an element is kept. Any other such functor that the GPU can call is a
// vote too. One that tells by `reads(n)` what memory n votes read is refused where that is null or is written, unless
// vote i reads element i of an array in place.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep {

/// The vote of element i by its value, or by that of a stencil: keep(in[i]).
template <class T, class Predicate>
struct vote_if {
  const T* in;
  Predicate keep;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return callable<const T&>(keep)(in[i]); }
  auto reads(std::int64_t n) const { return std::array{use_of(in, n, false)}; }
};

/// The same through an iterator.
template <class In, class Predicate>
struct vote_by_iterator {
  In in;
  Predicate keep;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return callable<decltype(in[i])>(keep)(in[i]); }
  auto reads(std::int64_t n) const { return std::array{use_of(in, n, false)}; }
};

/// The predicate low <= x < high. A NaN is never kept.
template <class T>
struct between {
  T low, high;
  UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return low <= x && x < high; }
};

/// The vote of element i by its flag: any non-zero keeps it.
template <class Flag>
struct vote_flagged {
  const Flag* flags;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return flags[i] != 0; }
  auto reads(std::int64_t n) const { return std::array{use_of(flags, n, false)}; }
};

/// The same by flags behind any iterator, of anything that converts to bool, also when that has to be asked for.
template <class Flags>
struct vote_flag {
  Flags flags;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return static_cast<bool>(flags[i]); }
  auto reads(std::int64_t n) const { return std::array{use_of(flags, n, false)}; }
};

/// The vote by whether flags[i] is true. Arrays of numbers give a vote for which there are kernels of its own.
template <class Flags>
auto vote_by_flags(Flags flags) {
  using flag = std::remove_const_t<std::remove_pointer_t<Flags>>;
  if constexpr (std::is_pointer_v<Flags> && std::is_arithmetic_v<flag> && !std::is_volatile_v<flag>) {
    return vote_flagged<flag>{flags};
  } else {
    return vote_flag<Flags>{flags};
  }
}

/// The vote of element i by a bit: bit i % w, 0 the lowest, of word i / w, for words of w bits.
template <class Word>
struct vote_bits {
  static constexpr int bits = 8 * sizeof(Word);
  const Word* words;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return (words[i / bits] >> (i % bits) & 1u) != 0; }
  auto reads(std::int64_t n) const { return std::array{use_of(words, n / bits + (n % bits != 0), false)}; }
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

}  // namespace upsweep
