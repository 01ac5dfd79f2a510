// Where fields of text end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sixteen_bytes.hpp"

namespace upsweep::apps {

/// What ends a field of CSV: a delimiter, or a line's end.
struct delimited {
  char delimiter;
  bool ends(char c) const { return c == delimiter || c == '\n'; }
  unsigned ends(const sixteen_bytes& of) const { return of.are(delimiter) | of.are('\n'); }
};

/// The blanks that end a word, those that end lines among them.
struct blanks {
  bool ends(char c) const { return c == ' ' || (c >= '\t' && c <= '\r'); }
  unsigned ends(const sixteen_bytes& of) const { return of.are(' ') | of.are_between('\t', '\r'); }
};

/// Where the fields end of some rows, of which there are so many bytes at a time that they and this stay near.
class field_ends {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 14;

  /// Looks through at most so many bytes, by an ends() of single characters and of sixteen. The last end is that of the
  /// text.
  template <class Ends>
  void find(std::string_view text, const Ends& what) {
    const char* const begin = text.data();
    std::size_t at = 0;
    end_ = ends_.data() + 1;
    for (; sixteen_bytes::is_available && text.size() - at >= 64; at += 64) {
      std::uint64_t mask = 0;
      for (unsigned i = 0; i < 64; i += 16) mask |= std::uint64_t{what.ends(sixteen_bytes(begin + at + i))} << i;
      std::uint32_t* const last = end_ + std::popcount(mask);
      // Eight at a time, whether or not there are so many: how many follows no pattern.
      while (mask != 0) {
        for (int i = 0; i < 8; ++i) {
          *end_++ = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(mask));
          mask &= mask - 1;
        }
      }
      end_ = last;
    }
    for (; at < text.size(); ++at) {
      if (what.ends(begin[at])) *end_++ = static_cast<std::uint32_t>(at);
    }
    *end_++ = static_cast<std::uint32_t>(text.size());
  }
  /// In front of the first one stands what ends in front of the text: -1, so that one more is where a field begins.
  const std::uint32_t* begin() const { return ends_.data() + 1; }
  const std::uint32_t* end() const { return end_; }

 private:
  std::vector<std::uint32_t> ends_ = std::vector<std::uint32_t>(most_bytes + 10, std::uint32_t(-1));
  std::uint32_t* end_ = nullptr;
};

}  // namespace upsweep::apps
