// Types whose operators mean something else than those of numbers, that copy themselves by a function of their own, and
// that bring lambdas with captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "functors.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace calls {

/// Operators that a program has no use for.
struct no_operators {
  void operator&() const = delete;
  void operator!() const = delete;
  template <class T>
  void operator,(const T&) const = delete;
  template <class T>
  friend void operator,(const T&, const no_operators&) = delete;
  template <class T>
  void operator&&(const T&) const = delete;
  template <class T>
  void operator||(const T&) const = delete;
  template <class T>
  void operator->*(const T&) const = delete;
};
/// What predicates and comparisons answer.
struct truth : no_operators {
  CALLS_HOST_DEVICE truth(bool b) : is_true(b) {}
  CALLS_HOST_DEVICE explicit operator bool() const { return is_true; }
  bool is_true;
};
/// An item. It counts on being copied by its own functions, so is_bitwise_copyable has to be told.
struct contrary : no_operators {
  CALLS_HOST_DEVICE contrary() : x(0) {}
  CALLS_HOST_DEVICE contrary(int i) : x(i) {}
  CALLS_HOST_DEVICE contrary(const contrary& other) : x(other.x) {}
  CALLS_HOST_DEVICE contrary& operator=(const contrary& other) {
    x = other.x;
    return *this;
  }
  template <class T>
  void operator==(const T&) const = delete;
  template <class T>
  void operator<(const T&) const = delete;
  template <class T>
  void operator+(const T&) const = delete;
  template <class T>
  void operator-(const T&) const = delete;
  int x;
};

struct added {
  CALLS_HOST_DEVICE contrary operator()(const contrary& a, const contrary& b) const { return a.x + b.x; }
};
struct has_same_tens {
  CALLS_HOST_DEVICE truth operator()(const contrary& a, const contrary& b) const { return a.x / 10 == b.x / 10; }
};
struct has_fewer_tens {
  CALLS_HOST_DEVICE truth operator()(const contrary& a, const contrary& b) const { return a.x / 10 < b.x / 10; }
};
struct is_third {
  CALLS_HOST_DEVICE truth operator()(const contrary& a) const { return a.x % 3 == 0; }
};
struct at_third {
  CALLS_HOST_DEVICE truth operator()(std::int64_t i) const { return i % 3 == 0; }
};
struct by_last_digit {
  CALLS_HOST_DEVICE int operator()(const contrary& a) const { return a.x % 10; }
};

}  // namespace calls

template <>
inline constexpr bool upsweep::is_bitwise_copyable<calls::contrary> = true;

namespace calls {

template <class Stream>
bool odd_types(upsweep::workspace w, const contrary* in, contrary* out, const unsigned* keys_in, unsigned* keys_out,
               std::int64_t* counts, Stream stream) {
  constexpr upsweep::error_of<Stream> good{};
  constexpr std::int64_t n = 100;
  return upsweep::exclusive_scan(w, in, out, n, added{}, contrary{0}, stream) == good &&
         upsweep::inclusive_scan<upsweep::reproducible>(w, in, out, n, added{}, stream) == good &&
         upsweep::inclusive_scan_by_key(w, in, in, out, n, added{}, has_same_tens{}, stream) == good &&
         upsweep::select_if(w, in, out, counts, n, is_third{}, stream) == good &&
         upsweep::select(w, in, out, counts, n, upsweep::by_index{at_third{}}, stream) == good &&
         upsweep::unique_by_key(w, in, out, in, out + n, counts, n, has_same_tens{}, stream) == good &&
         upsweep::split(w, in, out, counts, n, 10, by_last_digit{}, stream) == good &&
         upsweep::merge_pairs(w, in, in, out, in, in, out + 2 * n, n, n, has_fewer_tens{}, stream) == good &&
         upsweep::upper_bound(in, in, counts, n, n, has_fewer_tens{}, stream) == good &&
         upsweep::sort_pairs(w, keys_in, keys_out, in, out, n, upsweep::sort_order::ascending, {}, stream) == good;
}

}  // namespace calls
