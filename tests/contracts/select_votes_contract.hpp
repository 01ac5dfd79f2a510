// Votes by which one array is compacted whose type is known, beside those of select_items_contract.hpp: by bits, by
// flags and by a stencil of types other than the items'. On any device.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contracts/select_items_contract.hpp"
#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {

/// More than one block of registers, and than one tile.
inline constexpr std::int64_t voting_items = 2100;

/// The bits after the last item are set.
template <class Policy, class Word, class Stream>
void selects_by_bits_of(test_device<Stream>& d, bool in_place) {
  constexpr std::size_t bits = 8 * sizeof(Word);
  const auto votes = random_flags(voting_items, 40);
  std::vector<Word> words((votes.size() + bits - 1) / bits, static_cast<Word>(~Word{}));
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (votes[i] == 0) words[i / bits] = static_cast<Word>(words[i / bits] & ~(Word{1} << (i % bits)));
  }
  const guarded_array<Word, Stream> in_memory(d, words);
  item_selection<Policy, std::uint32_t, Stream>(d, votes, 1, in_place).run(vote_bits<Word>{in_memory.data()});
}

/// Of the flags that are set, the lower half is zero.
template <class Policy, class T, class Stream>
void selects_by_flags_of_8_bytes(test_device<Stream>& d, bool in_place) {
  const auto votes = random_flags(voting_items, 40);
  std::vector<std::uint64_t> flags(votes.begin(), votes.end());
  for (std::uint64_t& f : flags) f <<= 32;
  const guarded_array<std::uint64_t, Stream> in_memory(d, flags);
  item_selection<Policy, T, Stream>(d, votes, 2, in_place).run(vote_flagged<std::uint64_t>{in_memory.data()});
}

template <class Policy, class Stream>
void add_select_votes_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  add("selects_by_bits_of_any_word", [](device& d) {
    selects_by_bits_of<Policy, std::uint8_t>(d, false);
    selects_by_bits_of<Policy, std::uint16_t>(d, true);
    selects_by_bits_of<Policy, std::uint64_t>(d, false);
  });
  add("selects_by_flags_that_are_bool", [](device& d) {
    auto votes = random_flags(voting_items, 40);
    for (std::uint8_t& v : votes) v = v != 0 ? 1 : 0;
    const guarded_array<std::uint8_t, Stream> in_memory(d, votes, 1);
    for (const bool in_place : {false, true}) {
      item_selection<Policy, std::uint32_t, Stream> selection(d, votes, 1, in_place);
      selection.run(vote_flagged<bool>{reinterpret_cast<const bool*>(in_memory.data())});
    }
  });
  add("selects_by_flags_of_8_bytes", [](device& d) {
    selects_by_flags_of_8_bytes<Policy, double>(d, false);
    selects_by_flags_of_8_bytes<Policy, double>(d, true);
    selects_by_flags_of_8_bytes<Policy, std::uint64_t>(d, true);
  });
  add("selects_by_a_stencil_of_another_type", [](device& d) {
    const auto votes = random_flags(voting_items, 40);
    std::vector<std::int16_t> stencil;
    for (std::size_t i = 0; i < votes.size(); ++i) {
      const auto at = static_cast<int>(i);
      stencil.push_back(static_cast<std::int16_t>(votes[i] != 0 ? at % 5 - 2 : at % 2 == 0 ? -3 : 3));
    }
    const guarded_array<std::int16_t, Stream> in_memory(d, stencil, 2);
    for (const bool in_place : {false, true}) {
      item_selection<Policy, std::uint32_t, Stream> selection(d, votes, 1, in_place);
      selection.run(vote_if<std::int16_t, between<std::int16_t>>{in_memory.data(), {-2, 3}});
    }
  });
}

}  // namespace upsweep::test
