// Which memory a compaction takes, and which it refuses: what is missing, what has two uses, and outputs that end with
// what goes there. On any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "contracts/select_contract.hpp"
#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/unique.cuh"

namespace upsweep::test {

template <class Policy, class Stream>
void add_select_memory_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("refuses_bad_arguments_beside_the_elements", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<std::uint32_t, Stream> in(d, n), out(d, n), rejected(d, n);
    const guarded_array<std::uint8_t, Stream> flags(d, random_flags(n, 50));
    guarded_array<std::int64_t, Stream> count(d, 1);
    guarded_array<unsigned char, Stream> work(d, 1 << 14);
    const auto answer = [&](soa_array a, auto items, const select_results& results, rejected_order order) {
      return static_cast<status>(partition_arrays<Policy>(workspace{work.data(), work.size()}, {&a, 1}, results, items,
                                                          vote_flagged<std::uint8_t>{flags.data()}, order, d.stream()));
    };
    const soa_array good{in.data(), out.data(), 4};
    select_results none, limited(count.data()), no_groups(count.data());
    limited.capacity = 5;
    no_groups.indirect.group_size = 0;
    const auto apart = rejected_order::apart;
    select_results odd(count.data());
    odd.indices.integer_bytes = 2;
    EXPECT_EQ(answer(good, n, odd, apart), status::invalid_value);
    EXPECT_EQ(answer(good, n, none, apart), status::invalid_value);
    EXPECT_EQ(answer(good, n, limited, rejected_order::after), status::invalid_value);
    EXPECT_EQ(answer(good, n, no_groups, apart), status::invalid_value);
    EXPECT_EQ(answer(good, n, out.data() + n - 1, rejected_order::after), status::invalid_value);
    limited.capacity = -1;
    EXPECT_EQ(answer(good, n, limited, apart), status::invalid_value);
    EXPECT_EQ(answer(good, device_count<std::int64_t>{nullptr, n}, count.data(), apart), status::invalid_value);
    EXPECT_EQ(answer({in.data(), out.data(), 4, in.data()}, n, count.data(), apart), status::invalid_value);
    EXPECT_EQ(answer({in.data(), out.data(), 4, out.data()}, n, count.data(), apart), status::invalid_value);
    in.expect_unchanged();
    out.expect_unchanged();
    count.expect_unchanged();
    work.expect_unchanged();
  });
  add("refuses_votes_without_memory", [](device& d) {
    guarded_array<std::uint32_t, Stream> in(d, 100), out(d, 100);
    guarded_array<std::int64_t, Stream> count(d, 1);
    guarded_array<unsigned char, Stream> work(d, 1 << 14);
    const auto expect_refusal = [&](auto vote) {
      EXPECT_EQ(static_cast<status>(select<Policy>(workspace{work.data(), work.size()},
                                                   static_cast<const std::uint32_t*>(in.data()), out.data(),
                                                   count.data(), 100, vote, d.stream())),
                status::invalid_value);
    };
    keep_rules rules;
    rules.use_lifetime = true;
    expect_refusal(vote_flagged<std::uint8_t>{nullptr});
    expect_refusal(vote_bits<std::uint64_t>{nullptr});
    expect_refusal(vote_if<std::uint32_t, is_odd>{nullptr, {}});
    expect_refusal(detail::vote_item<const std::uint32_t*, is_odd>{nullptr, {}});
    expect_refusal(vote_run_head<const std::uint32_t*>{nullptr, {}});
    expect_refusal(rules);
    out.expect_unchanged();
    count.expect_unchanged();
    work.expect_unchanged();
  });
  add("refuses_to_write_what_has_another_use", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<std::uint32_t, Stream> in(d, n), out(d, n), rejected(d, n), more(d, n);
    guarded_array<std::int64_t, Stream> count(d, 1);
    guarded_array<unsigned char, Stream> work(d, 1 << 14);
    const soa_array good{in.data(), out.data(), 4, rejected.data()}, in_place{in.data(), in.data(), 4};
    const auto answer = [&](const soa_array& a, auto items, auto vote, const select_results& results) {
      return static_cast<status>(
          select_arrays<Policy>(workspace{work.data(), work.size()}, {&a, 1}, results, items, vote, d.stream()));
    };
    const auto by = [](const auto* flags) { return vote_flagged<std::remove_cvref_t<decltype(*flags)>>{flags}; };
    const auto bytes = [](const auto& array) { return reinterpret_cast<std::uint8_t*>(array.data()); };
    // What votes.
    EXPECT_EQ(answer(good, n, by(out.data()), count.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, by(bytes(rejected) + 3), count.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, by(bytes(count)), count.data()), status::invalid_value);
    EXPECT_EQ(answer(in_place, n, by(bytes(in)), count.data()), status::invalid_value) << "of another size";
    EXPECT_EQ(answer(in_place, n - 1, by(in.data() + 1), count.data()), status::invalid_value);
    EXPECT_EQ(answer(in_place, n, vote_run_head<const std::uint32_t*>{in.data(), {}}, count.data()),
              status::invalid_value);
    // What is told of the selection, and n.
    for (std::uint32_t* const place : {in.data() + n - 1, out.data(), rejected.data()}) {
      EXPECT_EQ(answer(good, n, by(more.data()), place), status::invalid_value);
      select_results results[4];
      for (select_results& r : results) r.num_selected = count.data();
      results[0].wanted = place;
      results[1].indices = place;
      results[2].indirect.draw = place;
      results[3].indirect.dispatch = place;
      for (const select_results& r : results) {
        EXPECT_EQ(answer(good, n, by(more.data()), r), status::invalid_value);
      }
    }
    select_results twice(count.data());
    twice.wanted = reinterpret_cast<std::uint32_t*>(count.data()) + 1;
    EXPECT_EQ(answer(good, n, by(more.data()), twice), status::invalid_value);
    // A count of another size than n may not go where n is read.
    guarded_array<std::int64_t, Stream> length(d, std::vector<std::int64_t>{n});
    auto* const halves = reinterpret_cast<std::uint32_t*>(length.data());
    for (std::uint32_t* const half : {halves, halves + 1}) {
      EXPECT_EQ(answer(good, device_count{static_cast<const std::int64_t*>(length.data()), n}, by(more.data()), half),
                status::invalid_value);
      EXPECT_EQ(answer(good, device_count{static_cast<const std::uint32_t*>(half), n}, by(more.data()), length.data()),
                status::invalid_value);
    }
    select_results over_half[4];
    for (select_results& r : over_half) r.num_selected = count.data();
    over_half[0].wanted = halves + 1;
    over_half[1].indices = halves + 1;
    over_half[2].indirect.draw = halves + 1;
    over_half[3].indirect.dispatch = halves + 1;
    for (const select_results& r : over_half) {
      EXPECT_EQ(answer(good, device_count{static_cast<const std::int64_t*>(length.data()), n}, by(more.data()), r),
                status::invalid_value);
    }
    length.expect_unchanged();
    const device_count in_output{static_cast<const std::uint32_t*>(out.data()), n};
    EXPECT_EQ(answer(good, in_output, by(more.data()), count.data()), status::invalid_value);
    for (auto* const array : {&in, &out, &rejected}) array->expect_unchanged();
    count.expect_unchanged();
    work.expect_unchanged();
  });
  add("takes_outputs_that_end_with_what_goes_there", [](device& d) {
    constexpr std::int64_t n = 1500;
    const auto items = random_items<std::uint32_t>(n);
    const auto flags = random_flags(n, 30);
    const guarded_array<std::uint8_t, Stream> device_flags(d, flags);
    const auto kept = static_cast<std::size_t>(n - std::count(flags.begin(), flags.end(), 0));
    // What is kept, its indices, the items, and what is not kept.
    std::vector<std::uint32_t> expected(2 * kept, 0);
    expected.insert(expected.end(), items.begin(), items.end());
    expected.resize(expected.size() + items.size() - kept);
    guarded_array<std::uint32_t, Stream> memory(d, expected), count(d, 1);
    std::size_t yes = 0, no = 2 * kept + items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (flags[i] != 0) expected[kept + yes] = static_cast<std::uint32_t>(i);
      (flags[i] != 0 ? expected[yes++] : expected[no++]) = items[i];
    }
    const soa_array array{memory.data() + 2 * kept, memory.data(), 4, memory.data() + 2 * kept + n};
    select_results results(count.data());
    results.indices = memory.data() + kept;
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    guarded_array<unsigned char, Stream> work(d, select_arrays_workspace_bytes<Policy>({&array, 1}, results, n, vote));
    ASSERT_EQ(static_cast<status>(select_arrays<Policy>(workspace{work.data(), work.size()}, {&array, 1}, results, n,
                                                        vote, d.stream())),
              status::success);
    EXPECT_EQ(count.items()[0], kept);
    EXPECT_TRUE(same_items(memory.items(), expected));
  });
  add("takes_the_votes_of_an_array_in_place_from_itself", [](device& d) {
    constexpr std::int64_t n = 1500;
    auto items = random_items<std::uint32_t>(n);
    for (std::size_t i = 0; i < items.size(); i += 3) items[i] = 0;
    auto expected = items;
    const auto end = std::remove_copy(items.begin(), items.end(), expected.begin(), 0u);
    for (const bool typed : {false, true}) {
      guarded_array<std::uint32_t, Stream> array(d, items);
      guarded_array<std::int64_t, Stream> count(d, 1);
      const soa_array in_place{array.data(), array.data(), 4};
      const vote_flagged<std::uint32_t> by_itself{array.data()};
      const std::uint32_t* const in = array.data();
      const guarded_array<unsigned char, Stream> memory(
          d, typed ? select_workspace_bytes<Policy>(in, array.data(), count.data(), n, by_itself)
                   : select_arrays_workspace_bytes<Policy>({&in_place, 1}, count.data(), n, by_itself));
      const workspace w{memory.data(), memory.size()};
      ASSERT_EQ(
          static_cast<status>(typed ? select<Policy>(w, in, array.data(), count.data(), n, by_itself, d.stream())
                                    : select_arrays<Policy>(w, {&in_place, 1}, count.data(), n, by_itself, d.stream())),
          status::success);
      EXPECT_EQ(count.items()[0], end - expected.begin());
      EXPECT_TRUE(same_items(array.items(), expected)) << (typed ? "of known type" : "");
    }
  });
  add("needs_room_for_the_capacity_alone", [](device& d) {
    constexpr std::int64_t n = 3000, capacity = 100;
    const auto items = random_items<std::uint32_t>(capacity + n);
    guarded_array<std::uint32_t, Stream> all(d, items);
    std::uint32_t* const out = all.data();
    const std::uint32_t* const in = out + capacity;
    guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
    const device_count in_memory{static_cast<const std::int64_t*>(count.data()), n};
    select_results results(count.data());
    guarded_array<unsigned char, Stream> work(d,
                                              select_if_workspace_bytes<Policy>(in, out, results, in_memory, is_odd{}));
    auto expected = items;
    std::size_t kept = 0;
    for (std::size_t i = capacity; kept < capacity; ++i) {
      if (is_odd{}(items[i])) expected[kept++] = items[i];
    }
    const auto answer = [&](std::int64_t room) {
      results.capacity = room;
      return static_cast<status>(
          select_if<Policy>(workspace{work.data(), work.size()}, in, out, results, in_memory, is_odd{}, d.stream()));
    };
    EXPECT_EQ(answer(capacity + 1), status::invalid_value);
    all.expect_unchanged();
    ASSERT_EQ(answer(capacity), status::success) << d.message();
    EXPECT_EQ(count.items()[0], capacity);
    EXPECT_TRUE(same_items(all.items(), expected));
  });
}

}  // namespace upsweep::test
