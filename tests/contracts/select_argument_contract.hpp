// What compactions promise that take more than elements and a vote: n and the count in device memory, a capacity,
// indices, indirect arguments, rejected elements, votes by bits, iterators. On any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/select_contract.hpp"
#include "contracts/select_memory_contract.hpp"
#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {

/// Arrays of bytes to be partitioned, beside the plain loop. Where elements that are not kept go, by array.
template <class Policy, class Stream>
class partition_case {
 public:
  partition_case(test_device<Stream>& device, std::int64_t n) : device_(device), n_(n) {}

  void add_array(std::size_t element_bytes, bool in_place, bool apart, std::size_t offset = 0,
                 std::size_t rejected_offset = 0) {
    const std::size_t bytes = element_bytes * static_cast<std::size_t>(n_);
    sources_.push_back(random_items<unsigned char>(bytes, element_bytes + offset));
    in_.emplace_back(device_, sources_.back(), offset);
    if (!in_place) out_.emplace_back(device_, bytes, offset);
    auto& target = in_place ? in_.back() : out_.back();
    targets_.push_back(&target);
    rejected_.emplace_back(device_, apart ? bytes : 0, offset + rejected_offset);
    arrays_.push_back({in_.back().data(), target.data(), element_bytes, apart ? rejected_.back().data() : nullptr});
  }

  void run(const std::vector<std::uint8_t>& flags, rejected_order order) {
    const guarded_array<std::uint8_t, Stream> device_flags(device_, flags, 3);
    guarded_array<std::uint32_t, Stream> count(device_, std::vector<std::uint32_t>{77});
    std::vector<std::vector<unsigned char>> expected, apart;
    const auto kept = n_ - std::count(flags.begin(), flags.end(), 0);
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      expected.push_back(targets_[a]->items());
      apart.push_back(rejected_[a].items());
      const std::size_t size = arrays_[a].element_bytes;
      std::int64_t yes = 0, no = 0;
      for (std::int64_t i = 0; i < n_; ++i) {
        const auto put = [&](std::vector<unsigned char>& to, std::int64_t at) {
          std::memcpy(to.data() + static_cast<std::size_t>(at) * size,
                      sources_[a].data() + static_cast<std::size_t>(i) * size, size);
        };
        if (flags[static_cast<std::size_t>(i)] != 0) {
          put(expected[a], yes++);
        } else {
          if (arrays_[a].rejected != nullptr) put(apart[a], no);
          if (arrays_[a].rejected == nullptr && order == rejected_order::after) put(expected[a], kept + no);
          if (arrays_[a].rejected == nullptr && order == rejected_order::backwards) put(expected[a], n_ - 1 - no);
          ++no;
        }
      }
    }
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    const std::size_t bytes = partition_arrays_workspace_bytes<Policy>(arrays_, count.data(), n_, vote, order);
    guarded_array<unsigned char, Stream> work(device_, bytes, 7);
    ASSERT_EQ(static_cast<status>(partition_arrays<Policy>(workspace{work.data(), bytes}, arrays_, count.data(), n_,
                                                           vote, order, device_.stream())),
              status::success)
        << device_.message();
    EXPECT_EQ(count.items()[0], static_cast<std::uint32_t>(kept));
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      EXPECT_TRUE(same_items(targets_[a]->items(), expected[a])) << "array " << a << ", n = " << n_;
      EXPECT_TRUE(same_items(rejected_[a].items(), apart[a])) << "rejected of array " << a << ", n = " << n_;
    }
    work.expect_guards();
  }

 private:
  test_device<Stream>& device_;
  std::int64_t n_;
  std::deque<guarded_array<unsigned char, Stream>> in_, out_, rejected_;
  std::vector<guarded_array<unsigned char, Stream>*> targets_;
  std::vector<soa_array> arrays_;
  std::vector<std::vector<unsigned char>> sources_;
};

/// n lies where the count goes.
template <class Policy, class Stream>
void takes_n_from_device_memory(test_device<Stream>& d, std::int64_t bound) {
  const auto items = random_items<std::uint32_t>(static_cast<std::size_t>(bound));
  for (const std::int64_t n :
       {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1}, std::int64_t{128}, bound * 7 / 9, bound, bound + 9}) {
    guarded_array<std::uint32_t, Stream> in(d, items), out(d, items.size());
    guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
    guarded_array<std::int32_t, Stream> wanted(d, 1);
    select_results results(count.data());
    results.wanted = wanted.data();
    const device_count in_memory{static_cast<const std::int64_t*>(count.data()), bound};
    const std::size_t bytes = select_if_workspace_bytes<Policy>(in.data(), out.data(), results, in_memory, is_odd{});
    guarded_array<unsigned char, Stream> work(d, bytes);
    auto expected = out.items();
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < std::min(n, bound); ++i) {
      const std::uint32_t x = items[static_cast<std::size_t>(i)];
      if (x % 2 != 0) expected[static_cast<std::size_t>(kept++)] = x;
    }
    ASSERT_EQ(static_cast<status>(select_if<Policy>(workspace{work.data(), bytes},
                                                    static_cast<const std::uint32_t*>(in.data()), out.data(), results,
                                                    in_memory, is_odd{}, d.stream())),
              status::success)
        << d.message();
    EXPECT_EQ(count.items()[0], kept) << n;
    EXPECT_EQ(wanted.items()[0], kept) << n;
    EXPECT_TRUE(same_items(out.items(), expected)) << n;
  }
}

/// Of arrays of whole words, n lies where the count goes.
template <class Policy, class Stream>
void takes_n_of_words_from_device_memory(test_device<Stream>& d, std::int64_t bound) {
  const auto flags = random_flags(bound, 50);
  const guarded_array<std::uint8_t, Stream> device_flags(d, flags);
  const auto rows = static_cast<std::size_t>(bound);
  const auto items = random_items<std::uint32_t>(rows), wide_items = random_items<std::uint32_t>(3 * rows);
  const guarded_array<std::uint32_t, Stream> in(d, items), wide_in(d, wide_items);
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, bound * 7 / 9, bound}) {
    guarded_array<std::uint32_t, Stream> out(d, rows), wide_out(d, 3 * rows);
    guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
    const std::vector<soa_array> arrays = {{in.data(), out.data(), 4}, {wide_in.data(), wide_out.data(), 12}};
    auto expected = out.items(), expected_wide = wide_out.items();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      if (flags[i] == 0) continue;
      expected[kept] = items[i];
      std::copy_n(&wide_items[3 * i], 3, &expected_wide[3 * kept++]);
    }
    const device_count in_memory{static_cast<const std::int64_t*>(count.data()), bound};
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    guarded_array<unsigned char, Stream> work(
        d, select_arrays_workspace_bytes<Policy>(arrays, count.data(), in_memory, vote));
    ASSERT_EQ(static_cast<status>(select_arrays<Policy>(workspace{work.data(), work.size()}, arrays, count.data(),
                                                        in_memory, vote, d.stream())),
              status::success)
        << d.message();
    EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(kept)) << n;
    EXPECT_TRUE(same_items(out.items(), expected)) << n;
    EXPECT_TRUE(same_items(wide_out.items(), expected_wide)) << n;
  }
}

template <class Policy, class Stream>
void add_select_argument_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("partitions_into_one_array_or_two_in_any_order", [](device& d) {
    std::vector<std::vector<std::uint8_t>> cases;
    for (const std::int64_t n : {1, 64, 129, 3000}) {
      for (const unsigned percent : {0u, 30u, 100u}) cases.push_back(random_flags(n, percent));
    }
    for (const flag_pattern p : odd_flag_patterns) cases.push_back(flags_of(p, 1100));
    for (const auto& flags : cases) {
      for (const auto order : {rejected_order::apart, rejected_order::after, rejected_order::backwards}) {
        partition_case<Policy, Stream> c(d, static_cast<std::int64_t>(flags.size()));
        c.add_array(4, false, false);
        c.add_array(12, false, true, 4);
        c.add_array(8, true, false);
        c.add_array(2, true, true);
        c.add_array(16, false, true, 0, 2);
        c.run(flags, order);
      }
    }
  });
  add("partitions_more_arrays_than_one_launch_takes", [](device& d) {
    partition_case<Policy, Stream> c(d, 300);
    for (int a = 0; a < 35; ++a) c.add_array(a % 4 == 0 ? 24 : 4, a % 3 == 0, a % 5 == 0);
    c.run(random_flags(300, 40), rejected_order::after);
  });
  add("takes_n_from_device_memory_where_the_count_may_go",
      [](device& d) { takes_n_from_device_memory<Policy>(d, 1000); });
  add("takes_n_of_arrays_of_words_from_device_memory",
      [](device& d) { takes_n_of_words_from_device_memory<Policy>(d, 1300); });
  add("takes_n_and_the_place_of_the_count_for_more_arrays_than_one_launch_takes", [](device& d) {
    constexpr std::int64_t bound = 400, n = 390;
    const auto flags = random_flags(bound, 50);
    const guarded_array<std::uint8_t, Stream> device_flags(d, flags);
    const auto items = random_items<std::uint32_t>(bound);
    const guarded_array<std::uint32_t, Stream> in(d, items);
    std::deque<guarded_array<std::uint32_t, Stream>> out;
    std::vector<soa_array> arrays;
    for (int a = 0; a < 20; ++a) {
      out.emplace_back(d, items.size());
      arrays.push_back({in.data(), out.back().data(), 4});
    }
    auto expected = out.back().items();
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (flags[i] != 0) expected[static_cast<std::size_t>(kept++)] = items[i];
    }
    guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
    const device_count in_memory{static_cast<const std::int64_t*>(count.data()), bound};
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    guarded_array<unsigned char, Stream> work(
        d, select_arrays_workspace_bytes<Policy>(arrays, count.data(), in_memory, vote));
    ASSERT_EQ(static_cast<status>(select_arrays<Policy>(workspace{work.data(), work.size()}, arrays, count.data(),
                                                        in_memory, vote, d.stream())),
              status::success);
    EXPECT_EQ(count.items()[0], kept);
    for (auto& o : out) EXPECT_TRUE(same_items(o.items(), expected));
  });
  add("stops_at_the_capacity_and_tells_what_was_wanted", [](device& d) {
    constexpr std::int64_t n = 1500;
    const auto flags = flags_of(flag_pattern::clustered, n);
    const guarded_array<std::uint8_t, Stream> device_flags(d, flags);
    const auto wanted_count = n - std::count(flags.begin(), flags.end(), 0);
    for (const std::int64_t capacity : {std::int64_t{0}, std::int64_t{1}, std::int64_t{300}, wanted_count - 1,
                                        std::int64_t{wanted_count}, std::int64_t{wanted_count} + 1}) {
      for (const auto& [in_place, lists] : {std::pair{false, true}, {true, true}, {false, false}, {true, false}}) {
        const std::int64_t kept = std::min<std::int64_t>(capacity, wanted_count);
        const auto items = random_items<std::uint64_t>(n);
        guarded_array<std::uint64_t, Stream> in(d, items), apart(d, static_cast<std::size_t>(n));
        guarded_array<std::uint64_t, Stream>& out = in_place ? in : apart;
        guarded_array<std::uint32_t, Stream> indices(d, lists ? static_cast<std::size_t>(kept) : 0);
        guarded_array<std::int64_t, Stream> count(d, 1), wanted(d, 1);
        guarded_array<std::uint32_t, Stream> draw(d, 1), dispatch(d, 3);
        auto expected = out.items();
        std::vector<std::uint32_t> kept_indices;
        for (std::int64_t i = 0; i < n && static_cast<std::int64_t>(kept_indices.size()) < kept; ++i) {
          if (flags[static_cast<std::size_t>(i)] == 0) continue;
          expected[kept_indices.size()] = items[static_cast<std::size_t>(i)];
          kept_indices.push_back(static_cast<std::uint32_t>(i));
        }
        select_results results(count.data());
        results.wanted = wanted.data();
        if (lists) results.indices = indices.data();
        results.capacity = capacity;
        results.indirect = {draw.data(), 6, dispatch.data(), 64};
        const vote_flagged<std::uint8_t> vote{device_flags.data()};
        const std::size_t bytes = select_workspace_bytes<Policy>(in.data(), out.data(), results, n, vote);
        guarded_array<unsigned char, Stream> work(d, bytes);
        ASSERT_EQ(static_cast<status>(select<Policy>(workspace{work.data(), bytes},
                                                     static_cast<const std::uint64_t*>(in.data()), out.data(), results,
                                                     n, vote, d.stream())),
                  status::success)
            << d.message();
        EXPECT_EQ(count.items()[0], kept);
        EXPECT_EQ(wanted.items()[0], wanted_count);
        EXPECT_EQ(indices.items(), lists ? kept_indices : std::vector<std::uint32_t>{});
        EXPECT_EQ(draw.items()[0], 6 * kept);
        EXPECT_EQ(dispatch.items(), (std::vector<std::uint32_t>{static_cast<std::uint32_t>((kept + 63) / 64), 1, 1}));
        EXPECT_TRUE(same_items(out.items(), expected)) << capacity;
      }
    }
  });
  add("indices_of_8_bytes_alone_by_bits", [](device& d) {
    constexpr std::int64_t n = 700;
    const auto words = random_items<std::uint32_t>((n + 31) / 32);
    const guarded_array<std::uint32_t, Stream> bits(d, words);
    guarded_array<std::int64_t, Stream> indices(d, n), count(d, 1);
    auto expected = indices.items();
    std::size_t kept = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (words[static_cast<std::size_t>(i / 32)] >> (i % 32) & 1u) expected[kept++] = i;
    }
    select_results results(count.data());
    results.indices = indices.data();
    const vote_bits<std::uint32_t> vote{bits.data()};
    const std::size_t bytes = select_arrays_workspace_bytes<Policy>({}, results, n, vote);
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(
        static_cast<status>(select_arrays<Policy>(workspace{work.data(), bytes}, {}, results, n, vote, d.stream())),
        status::success);
    EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(kept));
    EXPECT_TRUE(same_items(indices.items(), expected));
  });
  add("writes_all_results_for_no_elements", [](device& d) {
    guarded_array<std::int64_t, Stream> count(d, 1), wanted(d, 1);
    guarded_array<std::uint32_t, Stream> draw(d, 1), dispatch(d, 3);
    select_results results(count.data());
    results.wanted = wanted.data();
    results.indirect = {draw.data(), 1, dispatch.data(), 64};
    ASSERT_EQ(static_cast<status>(select_arrays<Policy>(workspace{}, {}, results, std::int64_t{0},
                                                        vote_bits<std::uint32_t>{nullptr}, d.stream())),
              status::success);
    EXPECT_EQ(count.items()[0], 0);
    EXPECT_EQ(wanted.items()[0], 0);
    EXPECT_EQ(draw.items()[0], 0u);
    EXPECT_EQ(dispatch.items(), (std::vector<std::uint32_t>{0, 1, 1}));
  });
  add("moves_the_items_of_iterators", [](device& d) {
    constexpr std::int64_t n = 900;
    const auto flags = random_flags(n, 60);
    const guarded_array<std::uint8_t, Stream> device_flags(d, flags);
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    for (const bool backwards : {false, true}) {
      guarded_array<std::int64_t, Stream> out(d, n), rejected(d, n);
      guarded_array<std::int32_t, Stream> count(d, 1);
      auto kept_items = out.items(), other_items = rejected.items();
      std::size_t kept = 0, others = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        if (flags[static_cast<std::size_t>(i)] != 0) {
          kept_items[kept++] = squares{}[i];
        } else {
          other_items[backwards ? static_cast<std::size_t>(n) - 1 - others : others] = squares{}[i];
          ++others;
        }
      }
      const std::size_t bytes =
          partition_workspace_bytes<Policy>(squares{}, out.data(), rejected.data(), count.data(), n, vote);
      guarded_array<unsigned char, Stream> work(d, bytes);
      const workspace w{work.data(), bytes};
      if (backwards) {  // to a third place, as no call has it
        const detail::moved_items<squares, std::int64_t*, std::int64_t*> moved{{}, out.data(), rejected.data(), true};
        auto executor = d.executor();
        ASSERT_EQ(Policy{}.run_items(executor, w, moved, n, vote, select_results(count.data())), status::success);
      } else {
        ASSERT_EQ(static_cast<status>(partition<Policy>(w, squares{}, out.data(), rejected.data(), count.data(), n,
                                                        vote, rejected_order::apart, d.stream())),
                  status::success);
      }
      EXPECT_EQ(count.items()[0], static_cast<std::int32_t>(kept));
      EXPECT_TRUE(same_items(out.items(), kept_items));
      EXPECT_TRUE(same_items(rejected.items(), other_items));
    }
  });
  add("moves_the_items_of_iterators_to_one_place", [](device& d) {
    constexpr std::int64_t n = 900;
    const auto flags = random_flags(n, 60);
    const guarded_array<std::uint8_t, Stream> device_flags(d, flags);
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    for (const auto order : {rejected_order::apart, rejected_order::backwards, rejected_order::after}) {
      guarded_array<std::int64_t, Stream> out(d, n);
      guarded_array<std::int32_t, Stream> count(d, 1);
      auto expected = out.items();
      std::size_t kept = 0, others = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto item = squares{}[static_cast<std::int64_t>(i)];
        if (flags[i] != 0) {
          expected[kept++] = item;
        } else if (order == rejected_order::backwards) {
          expected[n - 1 - others++] = item;
        }
      }
      const std::size_t bytes =
          partition_workspace_bytes<Policy>(squares{}, out.data(), nullptr, count.data(), n, vote, order);
      guarded_array<unsigned char, Stream> work(d, bytes);
      const auto answer = [&](const select_results& results) {
        return static_cast<status>(partition<Policy>(workspace{work.data(), bytes}, squares{}, out.data(), nullptr,
                                                     results, n, vote, order, d.stream()));
      };
      select_results limited(count.data());
      limited.capacity = 5;
      if (order == rejected_order::backwards) {
        EXPECT_EQ(answer(limited), status::invalid_value);
      }
      if (order == rejected_order::after) {
        EXPECT_EQ(answer(count.data()), status::not_supported);
        continue;
      }
      ASSERT_EQ(answer(count.data()), status::success) << d.message();
      EXPECT_EQ(count.items()[0], static_cast<std::int32_t>(kept));
      EXPECT_TRUE(same_items(out.items(), expected)) << static_cast<int>(order);
    }
  });
  add_select_memory_contract<Policy, Stream>(suite);
}

}  // namespace upsweep::test
