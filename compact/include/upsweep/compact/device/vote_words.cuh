// Votes that one thread has 32 of at once, where they lie side by side in memory: no ballot, and fewer instructions.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/compact/votes.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Votes with a vote_word: byte flags, and bits in words of 32.
template <class Vote>
inline constexpr bool has_vote_words = false;
template <>
inline constexpr bool has_vote_words<vote_flagged<std::uint8_t>> = true;
template <>
inline constexpr bool has_vote_words<vote_flagged<bool>> = true;
template <>
inline constexpr bool has_vote_words<vote_bits<std::uint32_t>> = true;

/// Whether vote_word may be called at multiples of 32.
template <class Flag>
UPSWEEP_DEVICE bool are_vote_words_aligned(const vote_flagged<Flag>& vote) {
  return reinterpret_cast<std::uintptr_t>(vote.flags) % 16 == 0;
}
UPSWEEP_DEVICE bool are_vote_words_aligned(const vote_bits<std::uint32_t>&) {
  return true;
}

/// Bit k: whether byte k is not 0.
UPSWEEP_DEVICE std::uint32_t bits_of_bytes(std::uint32_t bytes) {
  const std::uint32_t any = ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes;
  // Of each byte the highest bit; the product brings the four, 8 apart, together in its highest byte.
  return ((any & 0x80808080u) >> 7) * 0x01020408u >> 24;
}

/// Bit j is vote i + j, for j < 32; i is a multiple of 32.
template <class Ctx, class Flag>
UPSWEEP_DEVICE std::uint32_t vote_word(Ctx& block, const vote_flagged<Flag>& vote, std::int64_t i) {
  const auto* const flags = reinterpret_cast<const std::uint32_t*>(vote.flags + i);
  std::uint32_t word = 0;
  UPSWEEP_UNROLL
  for (int v = 0; v < 8; v += 4) {
    const auto four = block.template load_vector<4>(flags + v);
    UPSWEEP_UNROLL
    for (int k = 0; k < 4; ++k) word |= bits_of_bytes(four.item[k]) << (4 * (v + k));
  }
  return word;
}
template <class Ctx>
UPSWEEP_DEVICE std::uint32_t vote_word(Ctx&, const vote_bits<std::uint32_t>& vote, std::int64_t i) {
  return vote.words[i / 32];
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
