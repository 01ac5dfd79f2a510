// What unique and unique_by_key promise, on any device.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/unique.cuh"

namespace upsweep::test {

struct same_tens {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 10 == b / 10; }
};

/// Runs of `length` keys on average.
inline std::vector<std::uint32_t> keys_in_runs(std::size_t n, std::uint64_t length) {
  random_source random(n + length);
  std::vector<std::uint32_t> keys(n, 1);
  for (std::size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + (random.below(length) == 0 ? 1u : 0u);
  return keys;
}

/// The first of each run, and the rest of `before`.
template <class T, class Same>
std::vector<T> heads_of_runs(const std::vector<std::uint32_t>& keys, const std::vector<T>& items, std::vector<T> before,
                             Same same, std::int64_t& count) {
  count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || !same(keys[i - 1], keys[i])) before[static_cast<std::size_t>(count++)] = items[i];
  }
  return before;
}

template <class Policy, class Stream>
void add_unique_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("unique_keeps_the_first_of_each_run", [](device& d) {
    for (const std::size_t n : {0, 1, 2, 33, 2048, 2049, 6000}) {
      for (const std::uint64_t length : {1, 3, 500}) {
        const auto keys = keys_in_runs(n, length);
        guarded_array<std::uint32_t, Stream> in(d, keys), out(d, n);
        guarded_array<std::int64_t, Stream> count(d, 1);
        const auto before = out.items();
        const auto items = static_cast<std::int64_t>(n);
        const std::size_t bytes =
            unique_workspace_bytes<Policy>(in.data(), out.data(), count.data(), items, equal_to{});
        guarded_array<unsigned char, Stream> work(d, bytes, 5);
        ASSERT_EQ(static_cast<status>(unique<Policy>(workspace{work.data(), bytes},
                                                     static_cast<const std::uint32_t*>(in.data()), out.data(),
                                                     count.data(), items, equal_to{}, d.stream())),
                  status::success)
            << d.message();
        std::int64_t kept = 0;
        EXPECT_TRUE(same_items(out.items(), heads_of_runs(keys, keys, before, equal_to{}, kept)));
        EXPECT_EQ(count.items()[0], kept);
        in.expect_unchanged();
      }
    }
  });
  add("unique_by_key_keeps_the_value_of_the_first", [](device& d) {
    constexpr std::size_t n = 5000;
    const auto keys = keys_in_runs(n, 2);
    const auto values = random_items<double>(n);
    guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, n);
    guarded_array<double, Stream> values_in(d, values), values_out(d, n);
    guarded_array<std::int64_t, Stream> count(d, 1);
    const auto keys_before = keys_out.items();
    const auto values_before = values_out.items();
    const std::size_t bytes =
        unique_by_key_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), values_in.data(), values_out.data(),
                                              count.data(), std::int64_t{n}, same_tens{});
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(unique_by_key<Policy>(
                  workspace{work.data(), bytes}, static_cast<const std::uint32_t*>(keys_in.data()), keys_out.data(),
                  static_cast<const double*>(values_in.data()), values_out.data(), count.data(), std::int64_t{n},
                  same_tens{}, d.stream())),
              status::success)
        << d.message();
    std::int64_t kept = 0;
    EXPECT_TRUE(same_items(keys_out.items(), heads_of_runs(keys, keys, keys_before, same_tens{}, kept)));
    EXPECT_TRUE(same_items(values_out.items(), heads_of_runs(keys, values, values_before, same_tens{}, kept)));
    EXPECT_EQ(count.items()[0], kept);
  });
  add("unique_refuses_to_work_in_place", [](device& d) {
    guarded_array<std::uint32_t, Stream> keys(d, 100), values(d, 100), out(d, 100);
    guarded_array<std::int64_t, Stream> count(d, 1);
    const std::size_t bytes = 2 * unique_by_key_workspace_bytes<Policy>(keys.data(), keys.data(), values.data(),
                                                                        values.data(), count.data(), 100);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const workspace w{work.data(), bytes};
    const std::uint32_t* const in = keys.data();
    const std::uint32_t* const values_in = values.data();
    EXPECT_EQ(static_cast<status>(
                  unique<Policy>(w, in, keys.data(), count.data(), std::int64_t{100}, equal_to{}, d.stream())),
              status::invalid_value);
    EXPECT_EQ(static_cast<status>(unique_by_key<Policy>(w, in, keys.data(), values_in, out.data(), count.data(),
                                                        std::int64_t{100}, equal_to{}, d.stream())),
              status::invalid_value);
    EXPECT_EQ(static_cast<status>(unique_by_key<Policy>(w, in, out.data(), values_in, values.data(), count.data(),
                                                        std::int64_t{100}, equal_to{}, d.stream())),
              status::invalid_value);
    for (auto* a : {&keys, &values, &out}) a->expect_unchanged();
    count.expect_unchanged();
    work.expect_unchanged();
  });
}

}  // namespace upsweep::test
