// The sort of host memory by a sorter of the CPU: its cuts and copies alone, in all sizes, and each failure on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/random_items.hpp"
#include "upsweep/sort/sort_from_host.cuh"

namespace upsweep::test {

/// Fails at its step of that number, and counts what is taken and given back. Threads copy.
struct failures {
  std::atomic<std::int64_t> steps_left = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> held = 0;
  bool now() { return steps_left-- <= 0; }
};
struct failing_executor : sim_executor {
  explicit failing_executor(failures& f) : fails(&f) {}
  failures* fails;
  status copy(void* to, const void* from, std::size_t bytes) {
    return fails->now() ? status::launch_failure : sim_executor::copy(to, from, bytes);
  }
  status record(event& e) { return fails->now() ? status::launch_failure : sim_executor::record(e); }
  status synchronize() { return status::success; }
  status make_event(event& e) {
    if (fails->now()) return status::memory_allocation;
    ++fails->held;
    return sim_executor::make_event(e);
  }
  status destroy_event(event& e) {
    --fails->held;
    return sim_executor::destroy_event(e);
  }
};

}  // namespace upsweep::test

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Streams and pinned memory that fail, too.
template <>
struct side_stream<test::failing_executor> {
  using event = test::failing_executor::event;
  test::failing_executor executor;
  bool is_open = false;

  explicit side_stream(const test::failing_executor& beside) : executor(beside) { last() = beside.fails; }
  side_stream(const side_stream&) = delete;
  ~side_stream() { executor.fails->held -= is_open ? 1 : 0; }
  status open() {
    if (executor.fails->now()) return status::memory_allocation;
    is_open = true;
    ++executor.fails->held;
    return status::success;
  }
  void activate() const {}
  status wait_for(const event&) { return executor.fails->now() ? status::launch_failure : status::success; }
  status wait_on_host(const event&) { return executor.fails->now() ? status::launch_failure : status::success; }
  static bool is_pinned(const void*, std::size_t) { return true; }
  static status allocate_pinned(void** p, std::size_t bytes) {
    if (last()->now()) return status::memory_allocation;
    ++last()->held;
    *p = std::malloc(bytes);
    return status::success;
  }
  static void free_pinned(void* p) {
    --last()->held;
    std::free(p);
  }
  static test::failures*& last() {
    static test::failures* f = nullptr;
    return f;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::test {
namespace {

/// Bytes by the CPU, where the sim's memory lies.
struct byte_sorter {
  failures* fails;
  static constexpr std::size_t key_bytes() { return 1; }
  static constexpr std::size_t item_bytes() { return 5; }
  static std::size_t workspace_bytes(std::int64_t) { return 0; }
  static std::size_t order_workspace_bytes(std::int64_t) { return 0; }
  template <class Side>
  status order(Side&, workspace, const void* keys, std::uint32_t* places, std::int64_t n) const {
    const auto* const k = static_cast<const unsigned char*>(keys);
    std::iota(places, places + n, 0u);
    std::stable_sort(places, places + n, [&](std::uint32_t a, std::uint32_t b) { return k[a] < k[b]; });
    return fails->now() ? status::launch_failure : status::success;
  }
  template <class Side>
  status sort(Side& side, workspace w, void* const* in, void* const* out, std::int64_t n) const {
    std::vector<std::uint32_t> places(static_cast<std::size_t>(n));
    const status s = order(side, w, in[0], places.data(), n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t from = places[static_cast<std::size_t>(i)];
      static_cast<unsigned char*>(out[0])[i] = static_cast<const unsigned char*>(in[0])[from];
      std::memcpy(static_cast<char*>(out[1]) + i * 4, static_cast<const char*>(in[1]) + from * 4, 4);
    }
    return s;
  }
};

struct byte_sort {
  std::vector<unsigned char> keys, keys_out;
  std::vector<std::uint32_t> values, values_out;
  failures fails;
  byte_sorter sorter{&fails};

  explicit byte_sort(std::vector<unsigned char> items)
      : keys(std::move(items)), keys_out(keys.size()), values(keys.size()), values_out(keys.size()) {
    std::iota(values.begin(), values.end(), 0u);
  }
  std::array<detail::host_column, 2> columns() {
    return {
        detail::host_column{reinterpret_cast<char*>(keys.data()), reinterpret_cast<char*>(keys_out.data()), nullptr, 1},
        detail::host_column{reinterpret_cast<char*>(values.data()), reinterpret_cast<char*>(values_out.data()), nullptr,
                            4}};
  }
  status run(std::size_t device_bytes, bool by_buffers) {
    std::vector<char> device(device_bytes), scratch(keys.size() * 5);
    from_host_options options;
    options.buffer_bytes = 100;
    options.least_chunk_bytes = 1;
    options.always_by_buffers = by_buffers;
    auto all = columns();
    return detail::sort_from_host(failing_executor(fails), workspace{device.data(), device.size()},
                                  host_scratch{scratch.data(), scratch.size()}, std::span<detail::host_column>(all),
                                  static_cast<std::int64_t>(keys.size()), sorter, options);
  }
  std::size_t least_bytes() {
    const auto all = columns();
    return detail::least_bytes_from_host(std::span<const detail::host_column>(all),
                                         static_cast<std::int64_t>(keys.size()), sorter);
  }
  void expect_sorted() {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(keys_out[i], keys[values_out[i]]) << i;
      if (i == 0) continue;
      ASSERT_LE(keys_out[i - 1], keys_out[i]) << i;
      if (keys_out[i - 1] == keys_out[i]) {
        ASSERT_LT(values_out[i - 1], values_out[i]) << i;
      }
    }
  }
};

std::vector<unsigned char> bytes_of_kind(std::size_t n, int kind) {
  random_source random(n + static_cast<std::size_t>(kind));
  std::vector<unsigned char> bytes(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t r = random();
    const unsigned char kinds[] = {static_cast<unsigned char>(r), 7, static_cast<unsigned char>(i * 256 / n),
                                   static_cast<unsigned char>(255 - i * 256 / n),
                                   static_cast<unsigned char>(r % 50 != 0 ? 9 : r >> 8)};
    bytes[i] = kinds[kind];
  }
  return bytes;
}

TEST(from_host, sorts_every_number_with_every_bound) {
  for (std::size_t n = 1; n < 3000; n = n < 40 ? n + 1 : n * 4 / 3) {
    for (int kind = 0; kind < 5; ++kind) {
      byte_sort sort(bytes_of_kind(n, kind));
      const std::size_t least = sort.least_bytes();
      for (std::size_t bytes = least; bytes < least + 50 * n; bytes += bytes / 2) {
        SCOPED_TRACE("n " + std::to_string(n) + ", kind " + std::to_string(kind) + ", bytes " + std::to_string(bytes));
        ASSERT_EQ(sort.run(bytes, kind == 0), status::success);
        sort.expect_sorted();
        if (testing::Test::HasFatalFailure()) return;
      }
      EXPECT_EQ(sort.fails.held.load(), 0);
      EXPECT_EQ(sort.run(least < 300 ? 0 : least - 256, false), status::memory_allocation);
    }
  }
}

TEST(from_host, returns_the_failure_of_any_step_and_keeps_nothing) {
  for (const bool by_buffers : {false, true}) {
    const auto keys = bytes_of_kind(700, 0);
    byte_sort whole(keys);
    const std::size_t bytes = whole.least_bytes() * 3 / 2;
    ASSERT_EQ(whole.run(bytes, by_buffers), status::success);
    const std::int64_t steps = std::numeric_limits<std::int64_t>::max() - whole.fails.steps_left.load();
    ASSERT_GT(steps, 100);
    for (std::int64_t step = 0; step < steps; ++step) {
      byte_sort sort(keys);
      sort.fails.steps_left = step;
      SCOPED_TRACE(step);
      ASSERT_NE(sort.run(bytes, by_buffers), status::success);
      ASSERT_EQ(sort.fails.held.load(), 0);
      ASSERT_EQ(sort.keys, keys);
    }
  }
}

TEST(from_host, plans_of_any_size_have_room_for_their_buckets) {
  for (const std::int64_t n : {std::int64_t{1} << 20, (std::int64_t{1} << 32) + 1, std::int64_t{1} << 40}) {
    for (const std::int64_t room : {std::int64_t{1000000}, std::int64_t{1} << 24, std::int64_t{1} << 29}) {
      const auto p = detail::from_host_plan::with_room(n, room, room);
      const std::int64_t runs = n / room + 1;
      if (runs * runs > room) {
        EXPECT_EQ(p.room, 0);
        continue;
      }
      ASSERT_GT(p.room, 0) << n << " in " << room;
      EXPECT_LE(p.bucket_samples * p.stride + (p.runs - 1) * (p.stride - 1), room);
      EXPECT_LE(p.samples(), room);
      EXPECT_LE(p.buckets(), 2 * p.runs + 1);
      EXPECT_EQ((p.runs - 1) * p.chunk + p.run_items(p.runs - 1), n);
    }
  }
}

}  // namespace
}  // namespace upsweep::test
