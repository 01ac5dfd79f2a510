// Groupings and histograms: the defaults; in small tiles; in portions of a tile; and counts without shared memory.
#pragma once

#include "contracts/group_by_contract.hpp"
#include "contracts/histogram_contract.hpp"

namespace upsweep::test {

template <class Stream>
bool add_small_group_contracts() {
  constexpr std::int64_t portion = std::int64_t{1} << 30;
  using small_tiles = detail::onesweep_groups<portion, group_counting<>, 1>;
  add_group_by_contract<small_tiles, Stream>("group_by/small_tiles");
  using portions = detail::onesweep_groups<1, group_counting<0>, 1>;
  add_group_by_contract<portions, Stream>("group_by/in_portions_of_a_tile");
  // By counters in tiles of 64 items; of 128 where there are more than 2 tiles, and than 4 of up to 64 groups. As a
  // sort is where there are more than 512 groups, 100 tiles or 2,000 words.
  using tiles = detail::default_groups<detail::tiled_groups<64, 1, 64, 512, 2, 6400, 2000>, small_tiles>;
  add_group_by_contract<tiles, Stream>("group_by/counted_in_tiles");
  add_histogram_contract<default_histogram_policy, Stream>("histogram/default");
  add_histogram_contract<group_counting<0>, Stream>("histogram/without_shared_memory");
  return true;
}

}  // namespace upsweep::test
