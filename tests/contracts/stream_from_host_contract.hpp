// What scans and selections of host memory promise, on any device: the device memory that they are lent is the bound.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/select_from_host.cuh"
#include "upsweep/scan/scan_from_host.cuh"

namespace upsweep::test {

struct is_third {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t x) const { return x % 3 == 0; }
};

/// Calls check(items, device memory, options) for sizes around the ends of chunks, with the least memory and more.
template <class Stream, class Check>
void for_host_sizes(test_device<Stream>& d, std::size_t least, Check check) {
  for (const std::size_t bytes : {least, least + 5000, least + 100000}) {
    guarded_array<unsigned char, Stream> device(d, bytes, 5);
    for (const std::size_t n : {0, 1, 2, 255, 256, 257, 1000, 3001}) {
      if (bytes == least && n > 300) continue;
      for (const bool by_buffers : {false, true}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", device bytes " + std::to_string(bytes));
        from_host_options options;
        options.always_by_buffers = by_buffers;
        options.buffer_bytes = 500;
        options.copy_threads = 2;
        options.least_chunk_bytes = 1024;
        check(random_items<std::uint32_t>(n), workspace{device.data(), bytes}, options);
      }
    }
    device.expect_guards();
  }
}

template <class Stream>
bool add_stream_from_host_contracts() {
  const auto add = [](const std::string& suite, const std::string& claim, const device_test_body<Stream>& body) {
    add_test_on<Stream>(test_device<Stream>::ways().front(), suite, claim, body);
  };
  using item = std::uint32_t;
  add("scan_from_host", "scans_by_an_operator_that_does_not_commute", [](test_device<Stream>& d) {
    const affine* const none = nullptr;
    for_host_sizes(d, inclusive_scan_from_host_least_bytes(none, static_cast<affine*>(nullptr), 1, compose{}),
                   [&](const std::vector<item>& seeds, workspace device, const from_host_options& options) {
                     const auto n = static_cast<std::int64_t>(seeds.size());
                     auto items = random_items<affine>(seeds.size());
                     std::vector<affine> inclusive(items.size()), exclusive(items.size()), expected;
                     affine sum{3, 5};
                     std::vector<affine> expected_exclusive;
                     for (std::size_t i = 0; i < items.size(); ++i) {
                       expected.push_back(i == 0 ? items[0] : compose{}(expected.back(), items[i]));
                       expected_exclusive.push_back(sum);
                       sum = compose{}(sum, items[i]);
                     }
                     const affine* const in = items.data();
                     ASSERT_EQ(static_cast<status>(exclusive_scan_from_host(device, in, exclusive.data(), n, compose{},
                                                                            affine{3, 5}, options, d.stream())),
                               status::success);
                     ASSERT_EQ(static_cast<status>(inclusive_scan_from_host(device, in, items.data(), n, compose{},
                                                                            options, d.stream())),
                               status::success);
                     EXPECT_TRUE(same_items(exclusive, expected_exclusive));
                     EXPECT_TRUE(same_items(items, expected)) << "in place";
                   });
  });
  add("select_from_host", "keeps_as_many_as_there_is_room_for", [](test_device<Stream>& d) {
    const item* const none = nullptr;
    for_host_sizes(d, select_if_from_host_least_bytes(none, static_cast<item*>(nullptr), nullptr, 1, is_third{}),
                   [&](const std::vector<item>& items, workspace device, const from_host_options& options) {
                     const auto n = static_cast<std::int64_t>(items.size());
                     std::vector<item> expected;
                     std::copy_if(items.begin(), items.end(), std::back_inserter(expected), is_third{});
                     const auto all = static_cast<std::int64_t>(expected.size());
                     for (const std::int64_t capacity : {n, all, all / 2, std::int64_t{0}}) {
                       std::vector<item> out(items.size(), 7);
                       std::int64_t count = -1, wanted = -1;
                       ASSERT_EQ(static_cast<status>(select_if_from_host(device, items.data(), out.data(),
                                                                         host_select_results(&count, capacity, &wanted),
                                                                         n, is_third{}, options, d.stream())),
                                 status::success);
                       EXPECT_EQ(wanted, all);
                       ASSERT_EQ(count, std::min(all, capacity));
                       auto kept = expected;
                       kept.resize(static_cast<std::size_t>(count));
                       kept.resize(items.size(), 7);
                       EXPECT_TRUE(same_items(out, kept));
                     }
                   });
  });
  add("select_from_host", "keeps_what_is_flagged_in_place", [](test_device<Stream>& d) {
    const item* const none = nullptr;
    const std::uint8_t* const no_flags = nullptr;
    for_host_sizes(d, select_flagged_from_host_least_bytes(none, no_flags, static_cast<item*>(nullptr), nullptr, 1),
                   [&](std::vector<item> items, workspace device, const from_host_options& options) {
                     std::vector<std::uint8_t> flags;
                     std::vector<item> expected;
                     for (std::size_t i = 0; i < items.size(); ++i) {
                       flags.push_back(items[i] % 7 < 5 ? 2 : 0);
                       if (flags[i] != 0) expected.push_back(items[i]);
                     }
                     std::int64_t count = -1;
                     const item* const in = items.data();
                     ASSERT_EQ(static_cast<status>(select_flagged_from_host(
                                   device, in, static_cast<const std::uint8_t*>(flags.data()), items.data(), &count,
                                   static_cast<std::int64_t>(items.size()), options, d.stream())),
                               status::success);
                     ASSERT_EQ(count, static_cast<std::int64_t>(expected.size()));
                     items.resize(expected.size());
                     EXPECT_TRUE(same_items(items, expected));
                   });
  });
  add("select_from_host", "refuses_what_it_cannot_do_and_touches_nothing", [](test_device<Stream>& d) {
    std::vector<item> in(100, 3), out(100, 7);
    guarded_array<unsigned char, Stream> memory(d, 100000);
    const workspace device{memory.data(), 100000};
    std::int64_t count = -5;
    const auto select = [&](workspace w, const item* from, item* to, host_select_results results, std::int64_t n) {
      return static_cast<status>(select_if_from_host(w, from, to, results, n, is_third{}, {}, d.stream()));
    };
    EXPECT_EQ(select(device, in.data(), out.data(), &count, -1), status::invalid_value);
    EXPECT_EQ(select(device, nullptr, out.data(), &count, 100), status::invalid_value);
    EXPECT_EQ(select(device, in.data(), nullptr, &count, 100), status::invalid_value);
    EXPECT_EQ(select(device, in.data(), out.data(), nullptr, 100), status::invalid_value);
    EXPECT_EQ(select(device, in.data(), in.data() + 1, &count, 99), status::invalid_value);
    EXPECT_EQ(select({memory.data(), 500}, in.data(), out.data(), &count, 100), status::memory_allocation);
    const auto scan = [&](workspace w, const item* from, item* to, std::int64_t n) {
      return static_cast<status>(exclusive_scan_from_host(w, from, to, n, plus{}, item{1}, {}, d.stream()));
    };
    EXPECT_EQ(scan(device, in.data(), out.data(), -1), status::invalid_value);
    EXPECT_EQ(scan(device, nullptr, out.data(), 100), status::invalid_value);
    EXPECT_EQ(scan(device, in.data(), in.data() + 1, 99), status::invalid_value);
    EXPECT_EQ(scan({memory.data(), 500}, in.data(), out.data(), 100), status::memory_allocation);
    from_host_options no_buffers;
    no_buffers.always_by_buffers = true;
    no_buffers.buffer_bytes = 0;
    EXPECT_EQ(static_cast<status>(exclusive_scan_from_host(device, in.data(), out.data(), 100, plus{}, item{1},
                                                           no_buffers, d.stream())),
              status::invalid_value);
    EXPECT_EQ(out, std::vector<item>(100, 7));
    EXPECT_EQ(count, -5);
  });
  return true;
}

}  // namespace upsweep::test
