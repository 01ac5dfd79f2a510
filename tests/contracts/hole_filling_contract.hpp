// What compaction by filling holes promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/device/hole_filling.cuh"
#include "upsweep/compact/votes.hpp"

namespace upsweep::test {

/// Arrays of bytes that are compacted in place, beside a plain loop over the indices.
template <class Policy, class Stream>
class hole_case {
 public:
  /// The arrays have room for `bound` elements, of which `n` are there.
  hole_case(test_device<Stream>& device, std::int64_t n, std::int64_t bound = -1)
      : device_(device), n_(n), bound_(bound < n ? n : bound) {}

  void add_array(std::size_t element_bytes, std::size_t offset = 0) {
    items_.push_back(random_items<unsigned char>(element_bytes * static_cast<std::size_t>(bound_), element_bytes));
    const auto& array = memory_.emplace_back(device_, items_.back(), offset);
    arrays_.push_back({array.data(), array.data(), element_bytes});
  }

  /// `counted`: n is read from device memory. The flags after n are set.
  void run(std::vector<std::uint8_t> flags, bool counted = false,
           std::int64_t capacity = std::numeric_limits<std::int64_t>::max()) {
    flags.resize(static_cast<std::size_t>(bound_), 1);
    const guarded_array<std::uint8_t, Stream> device_flags(device_, flags, flags_offset);
    run(flags, vote_flagged<std::uint8_t>{device_flags.data()}, counted, capacity);
  }

  /// By a vote that says what the flags do.
  template <class Vote>
  void run(const std::vector<std::uint8_t>& flags, Vote vote, bool counted = false,
           std::int64_t capacity = std::numeric_limits<std::int64_t>::max()) {
    const auto there = static_cast<std::uint32_t>(n_);
    guarded_array<std::uint32_t, Stream> count(device_, std::vector<std::uint32_t>{over_n ? there : 77, 77});
    guarded_array<std::uint32_t, Stream> draw(device_, 1), dispatch(device_, 3);
    select_results results(count.data());
    results.wanted = count.data() + 1;
    results.capacity = capacity;
    results.indirect = {draw.data(), 3, dispatch.data(), 100};
    const Policy policy{};
    const std::size_t bytes = policy.workspace_bytes(arrays_, bound_);
    guarded_array<unsigned char, Stream> work(device_, bytes, 7);
    auto executor = device_.executor();
    const workspace w{work.data(), bytes};
    const guarded_array<std::uint32_t, Stream> items(device_, std::vector<std::uint32_t>{there});
    const device_count in_memory{static_cast<const std::uint32_t*>(over_n ? count.data() : items.data()), bound_};
    ASSERT_EQ(counted ? policy.run(executor, w, arrays_, in_memory, vote, results)
                      : policy.run(executor, w, arrays_, n_, vote, results),
              status::success)
        << device_.message();

    std::vector<std::int64_t> live, holes;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (flags[static_cast<std::size_t>(i)] != 0) live.push_back(i);
    }
    const auto wanted = static_cast<std::int64_t>(live.size()), kept = std::min(wanted, capacity);
    for (std::int64_t i = 0; i < kept; ++i) {
      if (flags[static_cast<std::size_t>(i)] == 0) holes.push_back(i);
    }
    std::erase_if(live, [&](std::int64_t i) { return i < kept; });
    EXPECT_EQ(count.items(),
              (std::vector<std::uint32_t>{static_cast<std::uint32_t>(kept), static_cast<std::uint32_t>(wanted)}));
    EXPECT_EQ(draw.items()[0], 3 * kept);
    EXPECT_EQ(dispatch.items(), (std::vector<std::uint32_t>{static_cast<std::uint32_t>((kept + 99) / 100), 1, 1}));
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      const std::size_t size = arrays_[a].element_bytes;
      std::vector<unsigned char> expected = items_[a];
      for (std::size_t i = 0; i < holes.size(); ++i) {
        std::memcpy(expected.data() + static_cast<std::size_t>(holes[i]) * size,
                    items_[a].data() + static_cast<std::size_t>(live[i]) * size, size);
      }
      // After the kept ones, too, nothing else was written.
      EXPECT_TRUE(same_items(memory_[a].items(), expected))
          << "array " << a << " of element size " << size << ", n = " << n_ << ", kept " << kept;
    }
    work.expect_guards();
  }

  std::size_t flags_offset = 3;  ///< of the flags, from an aligned address
  bool over_n = false;           ///< the count goes where n lies

 private:
  test_device<Stream>& device_;
  std::int64_t n_, bound_;
  std::deque<guarded_array<unsigned char, Stream>> memory_;
  std::vector<std::vector<unsigned char>> items_;
  std::vector<soa_array> arrays_;
};

template <class Policy, class Stream>
void add_hole_filling_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("fills_each_hole_with_its_mover_for_any_n_and_share", [](device& d) {
    for (const std::int64_t n : {1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 5000, 8191, 8192, 8193}) {
      for (const unsigned percent : {0u, 1u, 50u, 95u, 100u}) {
        hole_case<Policy, Stream> c(d, n);
        c.add_array(4);
        c.flags_offset = percent == 95 ? 0 : 3;
        c.run(flags_of(flag_pattern::random, n, percent));
      }
    }
  });
  add("fills_holes_wherever_they_are", [](device& d) {
    for (const flag_pattern p : odd_flag_patterns) {
      for (const std::int64_t n : {3, 512, 20'000}) {
        hole_case<Policy, Stream> c(d, n);
        c.add_array(2);
        c.run(flags_of(p, n));
      }
    }
  });
  add("has_more_holes_than_all_blocks_take_at_a_time", [](device& d) {
    const std::int64_t n = race_check ? 70'000 : 150'000;
    for (const flag_pattern p : {flag_pattern::last_half, flag_pattern::alternating}) {
      hole_case<Policy, Stream> c(d, n);
      c.add_array(1);
      c.run(flags_of(p, n));
    }
  });
  add("fills_holes_that_are_far_apart", [](device& d) {
    constexpr std::int64_t n = 400'000;  // a search for each is shorter than a walk
    hole_case<Policy, Stream> c(d, n);
    c.add_array(1);
    c.flags_offset = 0;
    std::vector<std::uint8_t> flags(n, 1);
    for (std::size_t i = 7; i < n; i += n / 50) flags[i] = 0;
    c.run(flags);
  });
  add("takes_votes_of_any_kind", [](device& d) {
    constexpr std::int64_t n = 5000;
    const auto flags = flags_of(flag_pattern::random, n, 80);
    std::vector<std::uint32_t> words(n / 32 + 1);
    for (std::size_t i = 0; i < n; ++i) words[i / 32] |= static_cast<std::uint32_t>(flags[i] != 0) << i % 32;
    hole_case<Policy, Stream> c(d, n);
    c.add_array(4);
    const guarded_array<std::uint32_t, Stream> bits(d, words);
    c.run(flags, vote_bits<std::uint32_t>{bits.data()});
  });
  add("takes_flags_and_stencils_of_any_type", [](device& d) {
    constexpr std::int64_t n = 2500;
    auto flags = flags_of(flag_pattern::random, n, 80);
    for (std::uint8_t& f : flags) f = f != 0 ? 1 : 0;
    const auto expect_filled = [&](auto vote) {
      hole_case<Policy, Stream> c(d, n);
      c.add_array(4);
      c.run(flags, vote);
    };
    const guarded_array<std::uint8_t, Stream> bools(d, flags, 1);
    expect_filled(vote_flagged<bool>{reinterpret_cast<const bool*>(bools.data())});
    // Of the flags that are set, the lower half is zero.
    std::vector<std::uint64_t> wide(flags.begin(), flags.end());
    for (std::uint64_t& w : wide) w <<= 32;
    const guarded_array<std::uint64_t, Stream> wide_flags(d, wide);
    expect_filled(vote_flagged<std::uint64_t>{wide_flags.data()});
    std::vector<std::uint64_t> words(n / 64 + 1);
    for (std::size_t i = 0; i < n; ++i) words[i / 64] |= std::uint64_t{flags[i]} << i % 64;
    const guarded_array<std::uint64_t, Stream> bits(d, words);
    expect_filled(vote_bits<std::uint64_t>{bits.data()});
    const std::vector<std::int16_t> stencil(flags.begin(), flags.end());
    const guarded_array<std::int16_t, Stream> in_memory(d, stencil, 2);
    expect_filled(vote_if<std::int16_t, between<std::int16_t>>{in_memory.data(), {1, 2}});
  });
  add("moves_elements_of_any_size_at_any_alignment", [](device& d) {
    hole_case<Policy, Stream> c(d, 2500);
    for (const std::size_t size : {1, 2, 3, 4, 8, 12, 16, 24, 31, 48, 64}) c.add_array(size, size % 5);
    c.add_array(16);
    c.add_array(256);
    c.run(flags_of(flag_pattern::random, 2500, 60));
  });
  add("moves_more_arrays_than_one_launch_takes", [](device& d) {
    hole_case<Policy, Stream> c(d, 600);
    for (int a = 0; a < 33; ++a) c.add_array(4);
    c.run(flags_of(flag_pattern::random, 600, 30));
  });
  add("counts_without_arrays", [](device& d) {
    hole_case<Policy, Stream> c(d, 3000);
    c.run(flags_of(flag_pattern::random, 3000, 30));
  });
  add("takes_n_from_device_memory_where_the_count_may_go", [](device& d) {
    for (const std::int64_t n : {0, 1, 700, 1024, 9000, 20'000}) {
      hole_case<Policy, Stream> c(d, n, 20'000);
      c.add_array(4);
      c.run(flags_of(flag_pattern::random, n, 70), true);
    }
    for (const std::int64_t n : {0, 1000}) {
      for (const std::int64_t capacity : {0, 300, 3000}) {
        hole_case<Policy, Stream> c(d, n, 1200);
        c.over_n = true;
        for (int a = 0; a < 17; ++a) c.add_array(1);  // more than one launch takes
        c.run(flags_of(flag_pattern::random, n), true, capacity);
      }
    }
  });
  add("stops_at_the_capacity", [](device& d) {
    for (const std::int64_t capacity : {0, 1, 255, 256, 1300, 2000}) {
      hole_case<Policy, Stream> c(d, 3000);
      c.add_array(4);
      c.run(flags_of(flag_pattern::random, 3000, 50), false, capacity);
    }
  });
  add("writes_a_count_of_zero_for_no_elements", [](device& d) {
    hole_case<Policy, Stream> c(d, 0);
    c.add_array(4);
    c.run({});
    c.run({}, true);
  });
  add("refuses_bad_arguments_and_touches_nothing", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<std::uint32_t, Stream> in(d, n), other(d, n);
    const guarded_array<std::uint8_t, Stream> flags(d, std::vector<std::uint8_t>(n, 0));
    guarded_array<std::int64_t, Stream> count(d, 1);
    const soa_array good{in.data(), in.data(), 4};
    const Policy policy{};
    const std::size_t bytes = policy.workspace_bytes({&good, 1}, n);
    guarded_array<unsigned char, Stream> work(d, bytes);
    auto executor = d.executor();
    const auto answer = [&](soa_array a, std::int64_t items, std::size_t given, std::int64_t* to) {
      return policy.run(executor, workspace{work.data(), given}, {&a, 1}, items,
                        vote_flagged<std::uint8_t>{flags.data()}, select_results(to));
    };
    EXPECT_EQ(answer(good, -1, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, bytes - 1, count.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, bytes, nullptr), status::invalid_value);
    EXPECT_EQ(answer({nullptr, nullptr, 4}, n, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), in.data(), 0}, n, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), other.data(), 4}, n, bytes, count.data()), status::invalid_value) << "not in place";
    EXPECT_EQ(answer({in.data(), in.data(), 4, other.data()}, n, bytes, count.data()), status::not_supported);
    select_results with_indices(count.data());
    with_indices.indices = other.data();
    EXPECT_EQ(policy.run(executor, workspace{work.data(), bytes}, {&good, 1}, n,
                         vote_flagged<std::uint8_t>{flags.data()}, with_indices),
              status::not_supported);
    EXPECT_EQ(policy.run(executor, workspace{work.data(), bytes}, {&good, 1}, n,
                         vote_flagged<std::uint8_t>{flags.data()}, select_results(count.data()), rejected_order::after),
              status::not_supported);
    const soa_array meeting[] = {good, {in.data() + 1, in.data() + 1, 4}};
    EXPECT_EQ(policy.run(executor, workspace{work.data(), bytes}, meeting, n - 1,
                         vote_flagged<std::uint8_t>{flags.data()}, select_results(count.data())),
              status::invalid_value);
    in.expect_unchanged();
    other.expect_unchanged();
    count.expect_unchanged();
    work.expect_unchanged();
  });
}

}  // namespace upsweep::test
