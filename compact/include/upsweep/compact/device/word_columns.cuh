// Arrays whose elements are whole words of 4 bytes, as one array of rows: word w of an array's elements is a column.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An element of all arrays.
template <int Columns>
struct word_row {
  std::uint32_t word[Columns];
};

/// Arrays as register_compact takes them. There are as many of Columns as words in an element of all arrays.
template <int Columns>
class word_columns {
 public:
  using item = word_row<Columns>;

  /// Nothing, when there are more words, other ones, or elements that are wanted though they are not kept.
  static std::optional<word_columns> of(std::span<const soa_array> arrays) {
    word_columns c;
    for (const soa_array& a : arrays) {
      constexpr std::size_t word = sizeof(std::uint32_t);
      const std::size_t words = a.element_bytes / word;
      if (a.element_bytes % word != 0 || words > static_cast<std::size_t>(Columns - c.used_) || a.rejected != nullptr ||
          !aligned_to(a.in, word) || !aligned_to(a.out, word)) {
        return {};
      }
      c.in_place_ = c.in_place_ || a.in == a.out;
      for (std::size_t w = 0; w < words; ++w) {
        c.column_[c.used_++] = {static_cast<const std::uint32_t*>(a.in) + w, static_cast<std::uint32_t*>(a.out) + w,
                                static_cast<std::uint32_t>(words)};
      }
    }
    return c;
  }

  bool in_place() const { return in_place_; }

  UPSWEEP_DEVICE item load(std::int64_t i) const {
    item r;
    UPSWEEP_UNROLL
    for (int c = 0; c < Columns; ++c) {
      if (c < used_) r.word[c] = column_[c].in[i * column_[c].step];
    }
    return r;
  }
  UPSWEEP_DEVICE void put(std::int64_t i, const item& r) const {
    UPSWEEP_UNROLL
    for (int c = 0; c < Columns; ++c) {
      if (c < used_) column_[c].out[i * column_[c].step] = r.word[c];
    }
  }

 private:
  struct column {
    const std::uint32_t* in;
    std::uint32_t* out;
    std::uint32_t step;
  };

  int used_ = 0;
  bool in_place_ = false;
  column column_[Columns];
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
