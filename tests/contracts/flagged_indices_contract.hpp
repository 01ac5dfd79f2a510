// What the kernel of the indices of flags promises, on any device: those of a plain loop, for flags at any address.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"
#include "upsweep/compact/device/flagged_indices.cuh"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {

/// n flags of any byte, so many of 100 of which are set, at first + `offset` bytes; the indices in an Index each, of
/// which there is room for `capacity`, or where that is -1 for all. n and the count are in one place of the device.
template <class Index, class Stream>
void lists_flags(test_device<Stream>& d, std::int64_t n, int set, std::size_t offset, std::int64_t capacity = -1) {
  SCOPED_TRACE(std::to_string(n) + " flags, " + std::to_string(set) + " of 100, " + std::to_string(offset) +
               " bytes on");
  random_source random(static_cast<std::uint64_t>(n) + offset);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
  std::vector<Index> listed;
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (static_cast<int>(random.below(100)) >= set) continue;
    flags[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(1 + random.below(255));
    if (capacity < 0 || kept < capacity) listed.push_back(static_cast<Index>(i));
    ++kept;
  }
  const guarded_array<std::uint8_t, Stream> device_flags(d, flags, offset);
  guarded_array<Index, Stream> indices(d, listed.size());
  guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n}), wanted(d, 1);
  select_results results(count.data());
  results.indices = indices.data();
  results.wanted = wanted.data();
  if (capacity >= 0) results.capacity = capacity;
  const device_count in_memory{static_cast<const std::int64_t*>(count.data()), n + 1};
  using method = detail::flagged_indices;
  guarded_array<unsigned char, Stream> work(d, method::workspace_bytes(n + 1));
  const vote_flagged<std::uint8_t> vote{device_flags.data()};
  auto executor = d.executor();
  ASSERT_EQ(method::run(executor, workspace{work.data(), work.size()}, vote, in_memory, results), status::success)
      << d.message();
  EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(listed.size()));
  EXPECT_EQ(wanted.items()[0], kept);
  EXPECT_TRUE(same_items(indices.items(), listed));
}

/// Of the other kernels of a selection those that compile soonest.
struct no_kernels_of_few : detail::pipelined_compact_shape {
  static constexpr detail::kernel_limits limits{.few_bytes = 0, .few_parted_bytes = 0, .cluster_blocks = 1};
};

template <class Stream>
bool add_flagged_indices_contract() {
  using device = test_device<Stream>;
  using policy = fused<256, 16, no_kernels_of_few>;
  constexpr std::int64_t tile = detail::flagged_indices::kernel::tile_items;
  add_test<Stream>("flagged_indices", "of_any_number_at_any_address", [](device& d) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{16}, tile - 3, tile, tile + 1, 3 * tile + 517}) {
      for (const std::size_t offset : {0, 1, 15}) lists_flags<std::uint32_t>(d, n, 50, offset);
    }
  });
  add_test<Stream>("flagged_indices", "of_8_bytes_and_of_any_density", [](device& d) {
    for (const int set : {0, 1, 97, 100}) lists_flags<std::int64_t>(d, 2 * tile + 99, set, 8);
  });
  add_test<Stream>("flagged_indices", "stop_at_the_capacity", [](device& d) {
    for (const std::int64_t capacity : {std::int64_t{0}, std::int64_t{5}, tile}) {
      lists_flags<std::int64_t>(d, 2 * tile + 99, 90, 3, capacity);
    }
  });
  // By the public call and the policy's method, which takes these kernels from some number of flags on.
  add_test<Stream>("flagged_indices", "are_those_of_a_selection_of_no_array", [](device& d) {
    for (const std::int64_t n : {detail::flagged_indices::least_flags - 1, detail::flagged_indices::least_flags}) {
      std::vector<char> flags(static_cast<std::size_t>(n));
      std::vector<std::int64_t> listed;
      for (std::int64_t i = 0; i < n; i += 1 + i % 7) {
        flags[static_cast<std::size_t>(i)] = -1;
        listed.push_back(i);
      }
      const guarded_array<char, Stream> device_flags(d, flags);
      guarded_array<std::int64_t, Stream> indices(d, listed.size()), count(d, 1);
      select_results results(count.data());
      results.indices = indices.data();
      const vote_flagged<char> vote{device_flags.data()};
      guarded_array<unsigned char, Stream> work(d, select_arrays_workspace_bytes<policy>({}, results, n, vote));
      ASSERT_EQ(static_cast<status>(
                    select_arrays<policy>(workspace{work.data(), work.size()}, {}, results, n, vote, d.stream())),
                status::success)
          << d.message();
      EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(listed.size()));
      EXPECT_TRUE(same_items(indices.items(), listed));
    }
  });
  return true;
}

}  // namespace upsweep::test
