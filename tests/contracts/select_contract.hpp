// What every stream compaction promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/flags.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {

/// A selection from several arrays of bytes, beside the plain loop that it shall equal.
template <class Policy, class Stream>
class select_case {
 public:
  select_case(test_device<Stream>& device, std::int64_t n) : device_(device), n_(n) {}

  /// One more array, its ends `offset` and `out_offset` bytes from aligned ones.
  void add_array(std::size_t element_bytes, bool in_place, std::size_t offset = 0) {
    add_array(element_bytes, in_place, offset, offset);
  }
  void add_array(std::size_t element_bytes, bool in_place, std::size_t offset, std::size_t out_offset) {
    const std::size_t bytes = element_bytes * static_cast<std::size_t>(n_);
    const auto items = random_items<unsigned char>(bytes, element_bytes + offset);
    in_.emplace_back(device_, items, offset);
    if (!in_place) out_.emplace_back(device_, bytes, out_offset);
    auto& target = in_place ? in_.back() : out_.back();
    arrays_.push_back({in_.back().data(), target.data(), element_bytes});
    targets_.push_back(&target);
    before_.push_back(target.items());
    sources_.push_back(items);
  }

  void run(const std::vector<std::uint8_t>& flags) {
    const guarded_array<std::uint8_t, Stream> device_flags(device_, flags, 3);
    guarded_array<std::int64_t, Stream> count(device_, std::vector<std::int64_t>{-77});
    const vote_flagged<std::uint8_t> vote{device_flags.data()};
    const std::size_t bytes = select_arrays_workspace_bytes<Policy>(arrays_, count.data(), n_, vote);
    guarded_array<unsigned char, Stream> work(device_, bytes, 7);
    ASSERT_EQ(static_cast<status>(select_arrays<Policy>(workspace{work.data(), bytes}, arrays_, count.data(), n_, vote,
                                                        device_.stream())),
              status::success)
        << device_.message();
    std::int64_t kept = 0;
    std::vector<std::vector<unsigned char>> expected = before_;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (flags[static_cast<std::size_t>(i)] == 0) continue;
      for (std::size_t a = 0; a < arrays_.size(); ++a) {
        const std::size_t size = arrays_[a].element_bytes;
        std::memcpy(expected[a].data() + static_cast<std::size_t>(kept) * size,
                    sources_[a].data() + static_cast<std::size_t>(i) * size, size);
      }
      ++kept;
    }
    EXPECT_EQ(count.items(), std::vector<std::int64_t>{kept});
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      EXPECT_TRUE(same_items(targets_[a]->items(), expected[a]))
          << "array " << a << " of element size " << arrays_[a].element_bytes << ", n = " << n_;
      if (arrays_[a].in == arrays_[a].out) continue;
      EXPECT_TRUE(same_items(in_[a].items(), sources_[a])) << "the input";
    }
    work.expect_guards();
  }

  std::vector<soa_array>& arrays() { return arrays_; }

 private:
  test_device<Stream>& device_;
  std::int64_t n_;
  std::deque<guarded_array<unsigned char, Stream>> in_, out_;
  std::vector<guarded_array<unsigned char, Stream>*> targets_;
  std::vector<soa_array> arrays_;
  std::vector<std::vector<unsigned char>> before_, sources_;
};

struct is_odd {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t x) const { return x % 2 != 0; }
};

template <class Policy, class Stream>
void add_select_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("keeps_the_flagged_in_order_for_any_n_and_share", [](device& d) {
    // With 192 or 512 elements, positions[n] needs a tile of its own in one of the scans.
    for (const std::int64_t n : {1, 2, 31, 33, 192, 512, 1023, 1024, 1025, 2047, 2048, 5000}) {
      for (const unsigned percent : {0u, 1u, 50u, 90u, 100u}) {
        select_case<Policy, Stream> c(d, n);
        c.add_array(4, false);
        c.run(random_flags(n, percent));
      }
    }
  });
  add("keeps_the_flagged_wherever_they_are", [](device& d) {
    for (const flag_pattern pattern : odd_flag_patterns) {
      select_case<Policy, Stream> c(d, 5000);
      c.add_array(4, false);
      c.add_array(1, true);
      c.run(flags_of(pattern, 5000));
    }
  });
  add("moves_elements_of_any_size_at_any_alignment", [](device& d) {
    select_case<Policy, Stream> c(d, 700);
    for (const std::size_t size : {1, 2, 3, 4, 8, 12, 16, 24, 31, 48}) c.add_array(size, false, size % 5);
    c.run(random_flags(700, 40));
    select_case<Policy, Stream> wide(d, 70);
    wide.add_array(248, false, 8);
    wide.run(random_flags(70, 40));
  });
  add("moves_words_as_wide_as_both_ends_are_aligned", [](device& d) {
    select_case<Policy, Stream> c(d, 300);
    for (const std::size_t size : {2, 4, 8, 16, 32, 64}) {
      c.add_array(size, false);
      c.add_array(size, false, 0, size / 2);
      c.add_array(size, false, size / 2, 0);
    }
    c.run(random_flags(300, 40));
  });
  add("moves_elements_of_whole_words", [](device& d) {
    for (const std::int64_t n : {1, 500, 1300, 5000}) {
      for (const int in_place : {-1, 1}) {
        for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{4, 12, 8}, {16, 4, 4, 20, 4, 4, 4, 8}}) {
          for (const auto& [offset, out_offset] : {std::pair{0, 0}, {2, 0}, {0, 2}}) {
            select_case<Policy, Stream> c(d, n);
            for (std::size_t a = 0; a < sizes.size(); ++a) {
              c.add_array(sizes[a], static_cast<int>(a) == in_place, a == 2 ? offset : 0, a == 2 ? out_offset : 0);
            }
            c.run(random_flags(n, 50));
          }
        }
      }
    }
  });
  add("moves_many_arrays_of_many_numbers", [](device& d) {
    select_case<Policy, Stream> c(d, 3000);
    c.add_array(8, false);
    for (int a = 0; a < 20; ++a) c.add_array(4, false);
    c.run(random_flags(3000, 70));
  });
  add("compacts_in_place_beside_arrays_that_are_not", [](device& d) {
    select_case<Policy, Stream> c(d, 3000);
    c.add_array(12, true);
    c.add_array(4, false);
    c.add_array(1, true, 1);
    for (const std::size_t size : {2, 8, 16, 24, 32}) c.add_array(size, true);
    c.add_array(8, true, 2);
    c.run(random_flags(3000, 60));
  });
  add("moves_more_arrays_than_one_launch_takes", [](device& d) {
    select_case<Policy, Stream> c(d, 300);
    for (int a = 0; a < 35; ++a) c.add_array(4, a % 3 == 0);
    c.run(random_flags(300, 30));
  });
  add("counts_without_arrays", [](device& d) {
    select_case<Policy, Stream> c(d, 3000);
    c.run(random_flags(3000, 30));
  });
  add("writes_a_count_of_zero_for_no_elements", [](device& d) {
    select_case<Policy, Stream> c(d, 0);
    c.add_array(4, false);
    c.run({});
  });
  add("select_if_keeps_by_value", [](device& d) {
    const auto items = random_items<std::uint32_t>(4321);
    guarded_array<std::uint32_t, Stream> in(d, items), out(d, items.size());
    guarded_array<std::int64_t, Stream> count(d, 1);
    const std::size_t bytes = select_if_workspace_bytes<Policy>(in.data(), out.data(), count.data(), 4321, is_odd{});
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(select_if<Policy>(workspace{work.data(), bytes},
                                                    static_cast<const std::uint32_t*>(in.data()), out.data(),
                                                    count.data(), 4321, is_odd{}, d.stream())),
              status::success);
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t x : items) {
      if (x % 2 != 0) expected.push_back(x);
    }
    ASSERT_EQ(count.items()[0], static_cast<std::int64_t>(expected.size()));
    auto got = out.items();
    got.resize(expected.size());
    EXPECT_TRUE(same_items(got, expected));
  });
  add("select_if_keeps_from_the_lower_bound_to_below_the_upper", [](device& d) {
    constexpr std::int64_t n = 3000;
    std::vector<float> items(n);
    random_source random(11);
    for (float& x : items) {
      x = random.below(10) == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(random.below(40));
    }
    guarded_array<float, Stream> in(d, items), out(d, items.size());
    guarded_array<std::int64_t, Stream> count(d, 1);
    const between<float> keep{10, 20};
    const std::size_t bytes = select_if_workspace_bytes<Policy>(in.data(), out.data(), count.data(), n, keep);
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(select_if<Policy>(workspace{work.data(), bytes}, static_cast<const float*>(in.data()),
                                                    out.data(), count.data(), n, keep, d.stream())),
              status::success);
    std::vector<float> expected;
    for (const float x : items) {
      if (!std::isnan(x) && std::floor(x / 10) == 1) expected.push_back(x);
    }
    ASSERT_EQ(count.items()[0], static_cast<std::int64_t>(expected.size()));
    auto got = out.items();
    got.resize(expected.size());
    EXPECT_TRUE(same_items(got, expected));
  });
  add("refuses_bad_arguments_and_touches_nothing", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<std::uint32_t, Stream> in(d, n), out(d, n);
    const guarded_array<std::uint8_t, Stream> flags(d, std::vector<std::uint8_t>(n, 1));
    guarded_array<std::int64_t, Stream> count(d, 1);
    const soa_array good{in.data(), out.data(), 4};
    const vote_flagged<std::uint8_t> vote{flags.data()};
    const std::size_t bytes = select_arrays_workspace_bytes<Policy>({&good, 1}, count.data(), n, vote);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto answer = [&](soa_array a, std::int64_t items, std::size_t given, std::int64_t* to) {
      return static_cast<status>(
          select_arrays<Policy>(workspace{work.data(), given}, {&a, 1}, to, items, vote, d.stream()));
    };
    EXPECT_EQ(answer(good, -1, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, bytes - 1, count.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, bytes, nullptr), status::invalid_value);
    EXPECT_EQ(answer({nullptr, out.data(), 4}, n, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), nullptr, 4}, n, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), out.data(), 0}, n, bytes, count.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), in.data() + 1, 4}, n, bytes, count.data()), status::invalid_value) << "an overlap";
    EXPECT_EQ(answer({in.data(), out.data(), detail::max_element_bytes + 1}, n, bytes, count.data()),
              status::invalid_value);
    const soa_array crossed[] = {good, {out.data() + n / 2, in.data(), 4}};
    EXPECT_EQ(static_cast<status>(
                  select_arrays<Policy>(workspace{work.data(), bytes}, crossed, count.data(), n / 2, vote, d.stream())),
              status::invalid_value)
        << "an output over another array's input";
    in.expect_unchanged();
    out.expect_unchanged();
    count.expect_unchanged();
    work.expect_unchanged();
  });
}

}  // namespace upsweep::test
