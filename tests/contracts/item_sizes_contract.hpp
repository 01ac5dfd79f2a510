// Compaction of one array of items of sizes that no word has, on any device.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contracts/select_items_contract.hpp"
#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/race_check.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {

template <std::size_t Bytes>
struct bytes_of_item {
  std::uint8_t byte[Bytes];
  bool operator==(const bytes_of_item&) const = default;
};

/// By flags, at any address, in place and not; parted too.
template <class Policy, std::size_t Bytes, class Stream>
void compacts_items_of(test_device<Stream>& d) {
  using item = bytes_of_item<Bytes>;
  for (const std::int64_t n :
       race_check ? std::vector<std::int64_t>{700} : std::vector<std::int64_t>{1, 2500, 30'000}) {
    const auto votes = random_flags(n, 40);
    const guarded_array<std::uint8_t, Stream> flags(d, votes);
    for (const bool in_place : {false, true}) {
      item_selection<Policy, item, Stream> selection(d, votes, n % 3, in_place);
      selection.give_items();
      selection.run(vote_flagged<std::uint8_t>{flags.data()}, n / 3 + 1);
    }
    partitions_items<Policy, item>(d, votes);
  }
}

template <class Policy, class Stream>
bool add_item_sizes_contract(const std::string& suite) {
  const auto add = [&]<std::size_t... Bytes>(std::index_sequence<Bytes...>) {
    (add_test<Stream>(suite, "of_" + std::to_string(Bytes) + "_bytes", compacts_items_of<Policy, Bytes, Stream>), ...);
  };
  add(std::index_sequence<1, 2, 3, 6, 10, 65, 128, 256>{});
  return true;
}

}  // namespace upsweep::test
