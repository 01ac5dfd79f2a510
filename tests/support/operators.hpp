// Operators, and items for them, that catch what sums of integers forgive.
#pragma once

#include <cstdint>
#include <ostream>

#include "support/internals.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::test {

/// x -> a * x + b, modulo 2^64.
struct affine {
  std::uint64_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
  friend std::ostream& operator<<(std::ostream& os, const affine& f) { return os << f.a << " x + " << f.b; }
};

/// First f, then g. Associative; does not commute.
struct compose {
  UPSWEEP_HOST_DEVICE affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

/// The numbers `first` to `last` in a row. One that is zero was never made, and stands for no item.
template <class Word>
struct span_of {
  Word first, last;
  friend bool operator==(const span_of&, const span_of&) = default;
  friend std::ostream& operator<<(std::ostream& os, const span_of& s) { return os << s.first << ".." << s.last; }
};

/// Joins two spans. It has no identity, does not commute, and sets `*misused` when the second does not begin where the
/// first ends, as when an operand is not an item, or operands are swapped, skipped or taken twice.
template <class Word>
struct join {
  std::uint32_t* misused;
  UPSWEEP_HOST_DEVICE span_of<Word> operator()(const span_of<Word>& a, const span_of<Word>& b) const {
    if (a.first == 0 || b.first == 0 || a.last + 1 != b.first) *misused = 1;
    return {a.first, b.last};
  }
};

/// Adds bytes into words.
struct wide_plus {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

/// 64 bytes that do not commute.
struct four_maps {
  affine_map<std::uint64_t> map[4];
  friend bool operator==(const four_maps&, const four_maps&) = default;
};
struct compose_four {
  UPSWEEP_HOST_DEVICE four_maps operator()(const four_maps& f, const four_maps& g) const {
    four_maps all;
    for (int i = 0; i < 4; ++i) all.map[i] = compose_affine{}(f.map[i], g.map[i]);
    return all;
  }
};

}  // namespace upsweep::test
