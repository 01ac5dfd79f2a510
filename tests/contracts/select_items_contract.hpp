// What a compaction of one array promises whose type is known, by the votes that have paths of their own: by value, by
// flags, by a stencil. On any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "contracts/select_contract.hpp"
#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {

/// Words words of 4 bytes.
template <int Words>
struct record {
  std::uint32_t word[Words];
  bool operator==(const record&) const = default;
};

/// Keeps what begins with a word below the bound. Writes over the item, as all that it is given is a copy.
struct begins_below {
  std::uint32_t bound;
  template <class T>
  UPSWEEP_HOST_DEVICE bool operator()(T& x) const {
    std::uint32_t first;
    memcpy(&first, &x, sizeof first);
    memset(static_cast<void*>(&x), 0x55, sizeof x);
    return first < bound;
  }
};

/// Whether a method has no capacity, and does not tell how many it would have kept.
template <class Policy>
inline constexpr bool tells_the_count_alone = false;
template <class Scan, auto... Limits>
inline constexpr bool tells_the_count_alone<vote_scan_compact<Scan, Limits...>> = true;

/// n items, `offset` of them and `offset_bytes` after an aligned address, of which those that are flagged are kept.
template <class Policy, class T, class Stream>
class item_selection {
 public:
  item_selection(test_device<Stream>& device, const std::vector<std::uint8_t>& flags, std::size_t offset, bool in_place,
                 std::size_t offset_bytes = 0)
      : device_(device),
        n_(static_cast<std::int64_t>(flags.size())),
        in_place_(in_place),
        in_(device, flags.size(), offset * sizeof(T) + offset_bytes),
        out_(device, in_place ? 0 : flags.size(), offset * sizeof(T) + offset_bytes),
        counts_(device, 2),
        items_(flags.size()),
        votes_(flags) {
    const auto bytes = random_items<unsigned char>(flags.size() * sizeof(T), offset);
    if (n_ > 0) std::memcpy(static_cast<void*>(items_.data()), bytes.data(), bytes.size());
    in_.set(items_);
  }

  std::vector<T>& items() { return items_; }
  const T* in() { return in_.data(); }
  void give_items() { in_.set(items_); }

  template <class Vote>
  void run(Vote vote, std::int64_t capacity = std::numeric_limits<std::int64_t>::max()) {
    auto& to = in_place_ ? in_ : out_;
    auto expected = to.items();
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (votes_[i] == 0) continue;
      if (kept < capacity) expected[static_cast<std::size_t>(kept)] = items_[i];
      ++kept;
    }
    const std::int64_t untouched = counts_.items()[1];
    select_results results(counts_.data());
    if constexpr (!tells_the_count_alone<Policy>) results.wanted = counts_.data() + 1;
    results.capacity = capacity;
    guarded_array<unsigned char, Stream> work(device_,
                                              select_workspace_bytes<Policy>(in_.data(), to.data(), results, n_, vote));
    ASSERT_EQ(static_cast<status>(select<Policy>(workspace{work.data(), work.size()}, static_cast<const T*>(in_.data()),
                                                 to.data(), results, n_, vote, device_.stream())),
              status::success)
        << device_.message();
    const std::int64_t wanted = tells_the_count_alone<Policy> ? untouched : kept;
    EXPECT_EQ(counts_.items(), (std::vector<std::int64_t>{std::min(kept, capacity), wanted}));
    EXPECT_TRUE(same_items(as_bytes(to.items()), as_bytes(expected)))
        << "n = " << n_ << ", items of " << sizeof(T) << " bytes" << (in_place_ ? ", in place" : "");
    if (!in_place_) {
      EXPECT_TRUE(same_items(as_bytes(in_.items()), as_bytes(items_)));
    }
  }

 private:
  static std::vector<unsigned char> as_bytes(const std::vector<T>& v) {
    std::vector<unsigned char> bytes(v.size() * sizeof(T));
    if (!v.empty()) std::memcpy(bytes.data(), static_cast<const void*>(v.data()), bytes.size());
    return bytes;
  }

  test_device<Stream>& device_;
  std::int64_t n_;
  bool in_place_;
  guarded_array<T, Stream> in_, out_;
  guarded_array<std::int64_t, Stream> counts_;  // and `wanted`
  std::vector<T> items_;
  std::vector<std::uint8_t> votes_;
};

/// By value, and by flags up to the capacity. flags_offset: of the flags, from an aligned address.
template <class Policy, class T, class Stream>
void selects_by_value_and_by_flags(test_device<Stream>& d, const std::vector<std::uint8_t>& votes, std::size_t offset,
                                   std::size_t flags_offset, std::int64_t capacity) {
  for (const bool in_place : {false, true}) {
    item_selection<Policy, T, Stream> by_value(d, votes, offset, in_place);
    for (std::size_t i = 0; i < votes.size(); ++i) {
      const std::uint32_t first = votes[i] != 0 ? static_cast<std::uint32_t>(i) % 100 : 100;
      std::memcpy(static_cast<void*>(&by_value.items()[i]), &first, sizeof first);
    }
    by_value.give_items();
    by_value.run(vote_if<T, begins_below>{by_value.in(), {100}});

    item_selection<Policy, T, Stream> by_flags(d, votes, offset, in_place);
    const guarded_array<std::uint8_t, Stream> flags(d, votes, flags_offset);
    by_flags.run(vote_flagged<std::uint8_t>{flags.data()}, capacity);
  }
}
template <class Policy, class T, class Stream>
void selects_by_value_and_by_flags(test_device<Stream>& d, const std::vector<std::int64_t>& lengths) {
  for (const std::int64_t n : lengths) {
    for (const unsigned share : {0u, 3u, 50u, 100u}) {
      const std::size_t offset = (static_cast<std::size_t>(n) + share) % 5;
      selects_by_value_and_by_flags<Policy, T>(d, random_flags(n, share), offset, share == 50 ? offset : 3,
                                               share == 50  ? n / 3
                                               : share == 3 ? 0
                                                            : n);
    }
  }
}

enum class voting { by_flags, by_value };

/// Into two arrays and into one, in both orders, of which the first or only one is the given one or not; and into one
/// that has no place for the others. offset_bytes: of all arrays, from an aligned address.
template <class Policy, class T, voting By = voting::by_flags, class Stream>
void partitions_items(test_device<Stream>& d, const std::vector<std::uint8_t>& votes, std::size_t offset_bytes = 0) {
  const std::size_t n = votes.size();
  auto items = random_items<unsigned char>(n * sizeof(T));
  if constexpr (By == voting::by_value) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t first = votes[i] != 0 ? static_cast<std::uint32_t>(i) % 100 : 100;
      std::memcpy(items.data() + i * sizeof(T), &first, sizeof first);
    }
  }
  const guarded_array<std::uint8_t, Stream> flags(d, votes);
  const auto kept = n - static_cast<std::size_t>(std::count(votes.begin(), votes.end(), 0));
  struct places {
    bool apart, in_place;
    rejected_order order;
    std::size_t capacity;
  };
  for (const auto& [apart, in_place, order, capacity] :
       {places{true, false, rejected_order::apart, n}, places{true, true, rejected_order::apart, n},
        places{true, false, rejected_order::after, kept / 2}, places{false, false, rejected_order::after, n},
        places{false, false, rejected_order::backwards, n}, places{false, true, rejected_order::after, n},
        places{false, true, rejected_order::backwards, n}, places{false, false, rejected_order::apart, n / 3}}) {
    guarded_array<T, Stream> in(d, n, offset_bytes), other_out(d, in_place ? 0 : n, offset_bytes);
    guarded_array<T, Stream> others(d, apart ? n : 0, offset_bytes);
    guarded_array<T, Stream>& out = in_place ? in : other_out;
    in.set_bytes(items);
    auto expected = out.items(), expected_others = others.items();
    const auto given = in.items();
    std::size_t yes = 0, no = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (votes[i] != 0) {
        if (yes < capacity) expected[yes++] = given[i];
      } else if (apart) {
        expected_others[no++] = given[i];
      } else if (order != rejected_order::apart) {
        expected[order == rejected_order::after ? kept + no : n - 1 - no] = given[i];
        ++no;
      }
    }
    guarded_array<std::int64_t, Stream> count(d, 1);
    select_results results(count.data());
    if (capacity < n) results.capacity = static_cast<std::int64_t>(capacity);
    T* const to = apart ? others.data() : nullptr;
    const auto size = static_cast<std::int64_t>(n);
    const T* const from = in.data();
    const auto answer = [&](const auto& vote) {
      guarded_array<unsigned char, Stream> work(
          d, partition_workspace_bytes<Policy>(from, out.data(), to, results, size, vote, order));
      return static_cast<status>(partition<Policy>(workspace{work.data(), work.size()}, from, out.data(), to, results,
                                                   size, vote, order, d.stream()));
    };
    if constexpr (By == voting::by_value) {
      ASSERT_EQ(answer(vote_if<T, begins_below>{in.data(), {100}}), status::success) << d.message();
    } else {
      ASSERT_EQ(answer(vote_flagged<std::uint8_t>{flags.data()}), status::success) << d.message();
    }
    EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(std::min(kept, capacity)));
    EXPECT_TRUE(out.items() == expected) << sizeof(T) << " bytes, " << kept << " of " << n << " kept, apart: " << apart
                                         << ", in place: " << in_place;
    EXPECT_TRUE(others.items() == expected_others) << sizeof(T) << " bytes, " << kept << " of " << n << " kept";
  }
}
template <class Policy, class T, class Stream>
void partitions_by_flags(test_device<Stream>& d, std::int64_t n) {
  for (const unsigned share : {0u, 40u, 100u}) partitions_items<Policy, T>(d, random_flags(n, share));
}

/// Fewer items than may be, as many as it says in memory where the count goes.
template <class Policy, class Stream>
void partitions_n_of_device_memory(test_device<Stream>& d, std::int64_t bound) {
  const auto items = random_items<std::uint32_t>(static_cast<std::size_t>(bound));
  const auto votes = random_flags(bound, 40);
  const guarded_array<std::uint8_t, Stream> flags(d, votes);
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, bound / 3, bound - 1}) {
    for (const auto order : {rejected_order::apart, rejected_order::after, rejected_order::backwards}) {
      const bool apart = order == rejected_order::apart;
      const guarded_array<std::uint32_t, Stream> in(d, items);
      guarded_array<std::uint32_t, Stream> out(d, items.size()), others(d, apart ? items.size() : 0);
      guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
      auto expected = out.items(), expected_others = others.items();
      const auto kept = static_cast<std::size_t>(n - std::count(votes.begin(), votes.begin() + n, 0));
      std::size_t yes = 0, no = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        if (votes[i] != 0) {
          expected[yes++] = items[i];
        } else if (apart) {
          expected_others[no++] = items[i];
        } else {
          expected[order == rejected_order::after ? kept + no : static_cast<std::size_t>(n) - 1 - no] = items[i];
          ++no;
        }
      }
      std::uint32_t* const to = apart ? others.data() : nullptr;
      const device_count in_memory{static_cast<const std::int64_t*>(count.data()), bound};
      const vote_flagged<std::uint8_t> vote{flags.data()};
      guarded_array<unsigned char, Stream> work(
          d, partition_workspace_bytes<Policy>(in.data(), out.data(), to, count.data(), in_memory, vote, order));
      ASSERT_EQ(static_cast<status>(partition<Policy>(workspace{work.data(), work.size()}, in.data(), out.data(), to,
                                                      count.data(), in_memory, vote, order, d.stream())),
                status::success)
          << d.message();
      EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(kept)) << n;
      EXPECT_TRUE(same_items(out.items(), expected)) << n << ", order " << static_cast<int>(order);
      EXPECT_TRUE(same_items(others.items(), expected_others)) << n;
    }
  }
}

template <class Policy, class Stream>
void add_select_items_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  add("selects_items_of_4_bytes", [](device& d) {
    selects_by_value_and_by_flags<Policy, std::uint32_t>(d, {1, 255, 257, 1024, 3001, 9000});
  });
  add("selects_items_of_8_bytes", [](device& d) { selects_by_value_and_by_flags<Policy, double>(d, {300, 1100}); });
  add("selects_items_of_12_bytes", [](device& d) { selects_by_value_and_by_flags<Policy, record<3>>(d, {300, 1100}); });
  add("selects_items_of_64_bytes", [](device& d) { selects_by_value_and_by_flags<Policy, record<16>>(d, {300, 800}); });
  add("selects_items_wherever_they_are", [](device& d) {
    for (const flag_pattern p : odd_flag_patterns) {
      selects_by_value_and_by_flags<Policy, std::uint32_t>(d, flags_of(p, 3001), 1, 4, 3001);
    }
  });
  add("partitions_items_wherever_they_are", [](device& d) {
    for (const flag_pattern p : odd_flag_patterns) partitions_items<Policy, std::uint32_t>(d, flags_of(p, 2200));
  });
  add("partitions_items", [](device& d) {
    partitions_by_flags<Policy, std::uint32_t>(d, 900);
    partitions_by_flags<Policy, record<3>>(d, 900);
    partitions_by_flags<Policy, record<16>>(d, 700);
  });
  add("partitions_items_by_value", [](device& d) {
    for (const std::int64_t n : {900, 3001}) {
      partitions_items<Policy, std::uint32_t, voting::by_value>(d, random_flags(n, 40));
    }
  });
  add("partitions_as_many_as_it_says_in_device_memory", [](device& d) {
    for (const std::int64_t bound : {900, 3001, 9000}) partitions_n_of_device_memory<Policy>(d, bound);
  });
  add("compacts_items_where_none_may_lie", [](device& d) {
    for (const std::int64_t n : {300, 3001}) {
      const auto votes = random_flags(n, 40);
      const guarded_array<std::uint8_t, Stream> flags(d, votes);
      for (const bool in_place : {false, true}) {
        item_selection<Policy, std::uint32_t, Stream> selection(d, votes, 1, in_place, 2);
        selection.run(vote_flagged<std::uint8_t>{flags.data()});
      }
      partitions_items<Policy, std::uint32_t>(d, votes, 2);
    }
  });
  add("selects_by_a_stencil_of_the_same_type", [](device& d) {
    for (const bool in_place : {false, true}) {
      const auto votes = random_flags(900, 40);
      item_selection<Policy, std::uint32_t, Stream> c(d, votes, 1, in_place);
      std::vector<std::uint32_t> stencil;
      for (const std::uint8_t v : votes) stencil.push_back(v != 0 ? 7 : 100);
      const guarded_array<std::uint32_t, Stream> in_memory(d, stencil, 4);
      c.run(vote_if<std::uint32_t, begins_below>{in_memory.data(), {100}});
    }
  });
}

/// Flags that look like items are not taken for them.
template <class Policy, class Stream>
void selects_by_flags_of_the_items_type(test_device<Stream>& d) {
  for (const bool in_place : {false, true}) {
    const auto votes = random_flags(2500, 40);
    item_selection<Policy, std::uint32_t, Stream> c(d, votes, 1, in_place);
    const std::vector<std::uint32_t> flags(votes.begin(), votes.end());
    const guarded_array<std::uint32_t, Stream> in_memory(d, flags, 4);
    c.run(vote_flagged<std::uint32_t>{in_memory.data()});
  }
}

}  // namespace upsweep::test
