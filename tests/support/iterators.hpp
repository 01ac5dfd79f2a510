// Iterators that are not pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "support/internals.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::test {

/// The i-th value is i * i + 1: an input without memory.
struct squares {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint32_t;
  using difference_type = std::int64_t;
  using pointer = const value_type*;
  using reference = value_type;

  std::int64_t at = 0;
  UPSWEEP_HOST_DEVICE value_type operator*() const { return (*this)[0]; }
  UPSWEEP_HOST_DEVICE value_type operator[](std::int64_t i) const {
    return static_cast<value_type>((at + i) * (at + i) + 1);
  }
  UPSWEEP_HOST_DEVICE squares operator+(std::int64_t n) const { return {at + n}; }
};

/// Value i is i / divisor * factor, but no more than `most`: keys of equal runs, offsets of equal segments.
struct steps {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = const value_type*;
  using reference = value_type;

  std::int64_t divisor, factor, most, at = 0;
  UPSWEEP_HOST_DEVICE value_type operator*() const { return (*this)[0]; }
  UPSWEEP_HOST_DEVICE value_type operator[](std::int64_t i) const {
    const value_type value = (at + i) / divisor * factor;
    return value < most ? value : most;
  }
  UPSWEEP_HOST_DEVICE steps operator+(std::int64_t n) const { return {divisor, factor, most, at + n}; }
};

/// An output that keeps the low byte of every value, and cannot be read.
struct low_bytes {
  struct place {
    std::uint8_t* to;
    UPSWEEP_HOST_DEVICE void operator=(std::uint32_t value) const { *to = static_cast<std::uint8_t>(value); }
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = place;

  std::uint8_t* to;
  UPSWEEP_HOST_DEVICE place operator*() const { return {to}; }
  UPSWEEP_HOST_DEVICE place operator[](std::int64_t i) const { return {to + i}; }
  UPSWEEP_HOST_DEVICE low_bytes operator+(std::int64_t n) const { return {to + n}; }
};

/// Reads from an array, and is not a pointer.
template <class T>
struct array_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::int64_t;
  using pointer = const T*;
  using reference = const T&;

  const T* at;
  UPSWEEP_HOST_DEVICE reference operator*() const { return *at; }
  UPSWEEP_HOST_DEVICE reference operator[](std::int64_t i) const { return at[i]; }
  UPSWEEP_HOST_DEVICE array_iterator operator+(std::int64_t n) const { return {at + n}; }
};

/// Reads from an array and counts.
template <class T>
struct counted_reads {
  const T* from;
  std::int64_t* count;
  const T& operator[](std::int64_t i) const {
    ++*count;
    return from[i];
  }
};

/// Writes to an array and counts.
template <class T>
struct counted_writes {
  T* to;
  std::int64_t* count;
  T& operator[](std::int64_t i) const {
    ++*count;
    return to[i];
  }
};

}  // namespace upsweep::test
