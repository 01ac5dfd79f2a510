// What a sort over several ranks promises of keys with several arrays of values.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "contracts/across_contract.hpp"

namespace upsweep::test {

/// `Bytes` bytes that tell which of all items they belong to.
template <std::size_t Bytes>
struct numbered_row {
  std::array<unsigned char, Bytes> bytes;
  numbered_row() = default;
  explicit numbered_row(std::uint32_t number) {
    for (std::size_t b = 0; b < Bytes; ++b) {
      number = number * 1664525u + 1013904223u + static_cast<std::uint32_t>(Bytes);
      bytes[b] = static_cast<unsigned char>(number >> 24);
    }
  }
  friend bool operator==(const numbered_row&, const numbered_row&) = default;
};

/// Sorts keys with an array of values of each of the types, which are made of the places of the keys among all.
template <class Policy, class... Value, class Key, class Ranks>
void expect_sorted_with_values_across(Ranks& ranks, const std::vector<Key>& keys, const rank_sizes& sizes,
                                      const rank_sizes& takes, sort_order order) {
  const auto places = sorted_places(keys, order, key_less<Key>);
  std::vector<Key> expected;
  for (const std::uint32_t p : places) expected.push_back(keys[p]);
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  const auto rows_of = [](const std::vector<std::uint32_t>& of, auto value) {
    std::vector<decltype(value)> rows;
    for (const std::uint32_t number : of) rows.push_back(decltype(value)(number));
    return rows;
  };

  arrays_of_ranks<Key, Ranks> in(ranks), out(ranks);
  std::tuple<arrays_of_ranks<Value, Ranks>...> values_in{arrays_of_ranks<Value, Ranks>(ranks)...};
  std::tuple<arrays_of_ranks<Value, Ranks>...> values_out{arrays_of_ranks<Value, Ranks>(ranks)...};
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)], n_out = takes[static_cast<std::size_t>(rank)];
    const Key* const from = in.make(rank, part_of(keys, sizes, rank)).data();
    Key* const to = out.make(rank, static_cast<std::size_t>(n_out)).data();
    const auto arrays = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{
          value_array<Value>{std::get<I>(values_in).make(rank, rows_of(part_of(numbers, sizes, rank), Value{})).data(),
                             std::get<I>(values_out).make(rank, static_cast<std::size_t>(n_out)).data()}...};
    }
    (std::index_sequence_for<Value...>{});
    const std::size_t bytes = sort_with_values_across_workspace_bytes<Policy>(comm, from, to, arrays, n, n_out, order);
    const workspace w{work.make(rank, bytes).data(), bytes};
    EXPECT_EQ(static_cast<status>(sort_with_values_across<Policy>(w, comm, from, to, arrays, n, n_out, order, stream)),
              status::success)
        << ranks.device(rank).message();
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  for (int r = 0; r < ranks.ranks(); ++r) {
    EXPECT_TRUE(same_items(as_bits(out[r].items()), as_bits(part_of(expected, takes, r)))) << "keys, rank " << r;
    const auto expect_values = [&](auto& of_ranks, auto value) {
      EXPECT_TRUE(of_ranks[r].items() == rows_of(part_of(places, takes, r), value))
          << "values of " << sizeof value << " bytes, rank " << r;
    };
    std::apply([&](auto&... of_ranks) { (expect_values(of_ranks, Value{}), ...); }, values_out);
    std::apply([&](auto&... of_ranks) { (of_ranks[r].expect_unchanged(), ...); }, values_in);
    in[r].expect_unchanged();
    work[r].expect_guards();
  }
}

/// Eight arrays of rows of 1 to 40 bytes.
template <class Policy, class Key, class Ranks>
void expect_sorted_with_eight_across(Ranks& ranks, const std::vector<Key>& keys, const rank_sizes& sizes,
                                     const rank_sizes& takes, sort_order order) {
  expect_sorted_with_values_across<Policy, std::uint32_t, numbered_row<1>, std::uint64_t, numbered_row<12>,
                                   numbered_row<16>, numbered_row<40>, std::uint16_t, numbered_row<3>>(
      ranks, keys, sizes, takes, order);
}

}  // namespace upsweep::test
