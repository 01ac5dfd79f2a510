// Where words are moved: the one loop that takes elements of any size from one place to another, as words of 1, 2, 4,
// 8 or 16 bytes, the widest that element size and addresses allow. A route says which elements go where. Neighbouring
// threads move neighbouring words. Sorts store keys and values of their own types themselves
// (onesweep_ordered_tile.cuh), and pack rows of several arrays (gather_packed.cuh).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The widest word of which an element of so many bytes has a whole number, and to which these addresses are aligned.
template <class... Pointer>
constexpr std::uint32_t widest_word(std::size_t element_bytes, Pointer... addresses) {
  const std::uintptr_t bits = (reinterpret_cast<std::uintptr_t>(addresses) | ... | (element_bytes | 16));
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

/// A word of 1, 2, 4, 8 or 16 bytes.
template <std::size_t Bytes>
using word_of = std::conditional_t<
    Bytes == 16, vector_of<std::uint64_t, 2>,
    std::conditional_t<
        Bytes == 8, std::uint64_t,
        std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>>;

/// Calls f with a word of that many bytes.
template <class F>
UPSWEEP_HOST_DEVICE auto with_word(std::uint32_t word_bytes, F f) {
  switch (word_bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(vector_of<std::uint64_t, 2>{});
  }
}

/// Calls f with a number of words, as a constant where it is 1 to Constants.
template <int Constants, class F>
UPSWEEP_DEVICE void with_words(std::uint32_t words, F f) {
  if constexpr (Constants > 0) {
    if (words == Constants) return f(std::integral_constant<std::uint32_t, Constants>{});
    with_words<Constants - 1>(words, f);
  } else {
    f(words);
  }
}

/// An array as its words are moved.
template <class Word>
struct word_array {
  const Word* in;
  Word* out;
};
/// The same, known at run time: elements of `words` words of `word_bytes` bytes.
struct element_array {
  const void* in;
  void* out;
  std::uint32_t words, word_bytes;
};

/// One word an element, for move_words.
using one_word = std::integral_constant<std::uint32_t, 1>;

/// Where word w of an element is among those of all: by a number of the element's type, where it is known how many
/// words each has.
template <class Element, class Words, class Rank>
UPSWEEP_DEVICE auto word_number(Element element, Words words, Rank w) {
  if constexpr (std::is_integral_v<Words>) {
    return static_cast<std::int64_t>(element) * words + w;
  } else {
    return static_cast<Element>(element * static_cast<Element>(Words::value) + static_cast<Element>(w));
  }
}

/// Moves the elements of a route: `route.count` of them, of which number i, an int, is element route.from(i) and
/// becomes element route.to(i); where the route has keeps(i), only if that says so. Each has `words` words, a number or
/// an integral_constant. `Threads` threads take part, of which the caller is number `rank`; where that is below 0, it
/// has nothing in the first round. Each loads AtOnce words of all arrays, array(a) for a < Arrays, before it stores the
/// first.
template <int Threads, int AtOnce, int Arrays, class Rank, class Words, class Route, class ArrayOf>
UPSWEEP_DEVICE void move_words(Rank rank, Words words, const Route& route, ArrayOf array) {
  using word = std::remove_const_t<std::remove_pointer_t<decltype(array(0).in)>>;
  Rank of_element = 0;
  if constexpr (std::is_integral_v<Words>) {
    of_element = static_cast<Rank>(words);
  } else {
    of_element = static_cast<Rank>(Words::value);  // nvcc takes no conversion by a host function
  }
  const Rank step = Threads / of_element, rest = Threads % of_element;  // no division for a word
  Rank i = rank / of_element, w = rank % of_element;
  if constexpr (std::is_signed_v<Rank>) {
    if (w < 0) w += of_element, --i;
  }
  const auto number = [&] { return static_cast<int>(i); };
  while (number() < route.count) {
    word value[AtOnce][Arrays]{};
    decltype(word_number(route.to(0), words, w)) to[AtOnce];
    bool is_there[AtOnce];
    UPSWEEP_UNROLL
    for (int k = 0; k < AtOnce; ++k) {
      is_there[k] = static_cast<std::uint32_t>(i) < static_cast<std::uint32_t>(route.count);
      if constexpr (requires { route.keeps(0); }) is_there[k] = is_there[k] && route.keeps(number());
      if (is_there[k]) {
        const auto from = word_number(route.from(number()), words, w);
        to[k] = word_number(route.to(number()), words, w);
        UPSWEEP_UNROLL
        for (int a = 0; a < Arrays; ++a) value[k][a] = array(a).in[from];
      }
      i += step;
      w += rest;
      if (w >= of_element) {
        w -= of_element;
        ++i;
      }
    }
    UPSWEEP_UNROLL
    for (int k = 0; k < AtOnce; ++k) {
      if (!is_there[k]) continue;
      UPSWEEP_UNROLL
      for (int a = 0; a < Arrays; ++a) array(a).out[to[k]] = value[k][a];
    }
  }
}

/// The same of one array, by the threads of a block. Elements of up to WordsApart words have separate code, without a
/// division. ElementBytes: an element has so many, if that is known.
template <int AtOnce, int WordsApart = 0, std::size_t ElementBytes = 0, class Ctx, class Route>
UPSWEEP_DEVICE void move_elements(Ctx& block, const Route& route, const element_array& array) {
  with_word(array.word_bytes, [&](auto word) {
    using Word = decltype(word);
    const word_array<Word> words{static_cast<const Word*>(array.in), static_cast<Word*>(array.out)};
    const auto move = [&](auto of_element) {
      const auto rank = static_cast<std::uint32_t>(block.thread_rank());
      move_words<Ctx::threads, AtOnce, 1>(rank, of_element, route, [&](int) { return words; });
    };
    if constexpr (ElementBytes > 0) {
      if constexpr (ElementBytes % sizeof(Word) == 0) {
        move(std::integral_constant<std::uint32_t, ElementBytes / sizeof(Word)>{});
      }
    } else {
      with_words<WordsApart>(array.words, move);
    }
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
