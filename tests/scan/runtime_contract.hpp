// What upsweep/scan/runtime.hpp promises on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/oracle.hpp"
#include "support/random_items.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {

inline std::string name_of(const scan_variant& v) {
  return std::string(upsweep::name_of(v.strategy)) + " " + std::string(upsweep::name_of(v.block)) + " " +
         std::to_string(v.block_threads) + " x " + std::to_string(v.items_per_thread);
}

/// Arrays on a runtime::device.
class runtime_scan {
 public:
  explicit runtime_scan(runtime::device& device) : device_(device) {}

  template <class T>
  void check(const scan_variant& v, scalar_type type, bool exclusive, bool with_init, bool in_place, std::size_t n) {
    SCOPED_TRACE(name_of(v) + ", " + std::string(upsweep::name_of(type)) + (exclusive ? ", exclusive" : ", inclusive") +
                 (with_init ? " with init" : "") + (in_place ? ", in place" : "") + ", n = " + std::to_string(n));
    const auto items = random_items<T>(n, n);
    const auto plus = [](T a, T b) { return static_cast<T>(a + b); };
    const T init = 9;
    const auto expected = exclusive   ? exclusive_oracle<T>(items, plus, with_init ? init : T{})
                            : with_init ? inclusive_oracle<T>(items, plus, std::optional<T>(init))
                                      : inclusive_oracle<T>(items, plus);

    const auto count = static_cast<std::int64_t>(n);
    runtime::buffer in(device_, n * sizeof(T)), separate(device_, n * sizeof(T)),
        work(device_, runtime::scan_workspace_bytes(v, type, count));
    ASSERT_TRUE(in.ok() && separate.ok() && work.ok());
    ASSERT_EQ(device_.copy(in.data(), items.data(), in.bytes()), status::success);
    ASSERT_EQ(device_.fill(work.data(), 0xff, work.bytes()), status::success);
    void* const out = in_place ? in.data() : separate.data();
    const auto sum = exclusive ? runtime::exclusive_sum : runtime::inclusive_sum;
    ASSERT_EQ(
        sum(device_.get_stream(), v, type, work.as_workspace(), in.data(), out, count, with_init ? &init : nullptr),
        status::success)
        << device_.message();
    std::vector<T> got(n);
    ASSERT_EQ(device_.copy(got.data(), out, n * sizeof(T)), status::success);
    ASSERT_EQ(device_.synchronize(), status::success);
    EXPECT_TRUE(same_items(got, expected));
  }

  void check(const scan_variant& v, scalar_type type, bool exclusive, bool with_init, bool in_place, std::size_t n) {
    switch (type) {
      case scalar_type::u32:
        return check<std::uint32_t>(v, type, exclusive, with_init, in_place, n);
      case scalar_type::i32:
        return check<std::int32_t>(v, type, exclusive, with_init, in_place, n);
      case scalar_type::u64:
        return check<std::uint64_t>(v, type, exclusive, with_init, in_place, n);
      case scalar_type::f32:
        return check<float>(v, type, exclusive, with_init, in_place, n);
      case scalar_type::f64:
        return check<double>(v, type, exclusive, with_init, in_place, n);
      default:
        FAIL() << "a type that this test does not know";
    }
  }

 private:
  runtime::device& device_;
};

/// True for the variants that the device can run.
inline bool runs_on(const runtime::device& d, const scan_variant& v) {
  return d.where() == runtime::backend::sim || v.strategy != scan_strategy::serial;
}

inline void every_variant_scans_every_type(runtime::device& d) {
  runtime_scan scan(d);
  for (const scan_variant& v : runtime::scan_variants()) {
    if (!runs_on(d, v)) continue;
    for (const scalar_type type : runtime::scan_types()) {
      for (const bool exclusive : {false, true}) {
        for (const bool with_init : {false, true}) {
          for (const std::size_t n : {std::size_t{1}, std::size_t{4097}, std::size_t{50000}}) {
            scan.check(v, type, exclusive, with_init, n == 4097, n);
          }
        }
      }
    }
  }
}

/// Every refused call leaves the output alone.
inline void refuses_what_it_cannot_do(runtime::device& d) {
  constexpr std::int64_t n = 1000;
  runtime::buffer in(d, n * 4), out(d, n * 4), work(d, 1 << 16);
  ASSERT_EQ(d.fill(in.data(), 1, in.bytes()), status::success);
  ASSERT_EQ(d.fill(out.data(), 0x5a, out.bytes()), status::success);
  const runtime::stream s = d.get_stream();
  const auto both = [&](const scan_variant& v, scalar_type type, workspace w, const void* from, void* to,
                        std::int64_t count) {
    const status first = runtime::exclusive_sum(s, v, type, w, from, to, count);
    EXPECT_EQ(runtime::inclusive_sum(s, v, type, w, from, to, count), first);
    return first;
  };

  const scan_variant odd_tile{scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 224, 7};
  EXPECT_FALSE(runtime::is_compiled(odd_tile));
  EXPECT_EQ(runtime::scan_workspace_bytes(odd_tile, scalar_type::u32, n), 0u);
  EXPECT_EQ(both(odd_tile, scalar_type::u32, work.as_workspace(), in.data(), out.data(), n), status::not_supported);
  for (const scan_variant& v : runtime::scan_variants()) {
    SCOPED_TRACE(name_of(v));
    EXPECT_EQ(both(v, scalar_type::u8, work.as_workspace(), in.data(), out.data(), n), status::not_supported);
    EXPECT_EQ(runtime::scan_workspace_bytes(v, scalar_type::u8, n), 0u);
    if (!runs_on(d, v)) {
      EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), in.data(), out.data(), n), status::not_supported);
      continue;
    }
    EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), in.data(), out.data(), -1), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), nullptr, out.data(), n), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), in.data(), nullptr, n), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, {}, nullptr, nullptr, 0), status::success);
    const std::size_t bytes = runtime::scan_workspace_bytes(v, scalar_type::u32, n);
    if (bytes == 0) continue;
    EXPECT_EQ(both(v, scalar_type::u32, {work.data(), bytes - 1}, in.data(), out.data(), n), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, {nullptr, bytes}, in.data(), out.data(), n), status::invalid_value);
  }
  std::vector<unsigned char> now(n * 4);
  ASSERT_EQ(d.copy(now.data(), out.data(), now.size()), status::success);
  ASSERT_EQ(d.synchronize(), status::success);
  EXPECT_TRUE(same_items(now, std::vector<unsigned char>(n * 4, 0x5a)));
}

/// Tiles of the sums 1, 2, ..., all of them published with what stands up to their end.
template <class T>
void expect_published(runtime::device& d, const scan_variant& v, scalar_type type) {
  SCOPED_TRACE(name_of(v) + ", " + std::string(upsweep::name_of(type)));
  const std::int64_t tile = runtime::tile_items_of(v, type), n = 10 * std::max<std::int64_t>(tile, 1) + 5;
  const std::vector<T> ones(static_cast<std::size_t>(n), T{1});
  const runtime::buffer in(d, ones.size() * sizeof(T)), work(d, runtime::scan_workspace_bytes(v, type, n));
  ASSERT_EQ(d.copy(in.data(), ones.data(), in.bytes()), status::success);
  ASSERT_EQ(d.fill(work.data(), 0, work.bytes()), status::success);
  // One byte off, so that nothing in it is aligned.
  std::vector<std::byte> memory(work.bytes() + 1);
  const std::span<std::byte> copy = std::span(memory).subspan(1);
  const auto published = [&](std::int64_t first, std::int64_t count, std::size_t bytes) {
    EXPECT_EQ(d.copy(copy.data(), work.data(), work.bytes()), status::success);
    EXPECT_EQ(d.synchronize(), status::success);
    return runtime::published_tiles(v, type, n, copy.first(bytes), first, count);
  };
  using tiles = std::vector<runtime::published_tile>;
  const bool has_states = v.strategy == scan_strategy::decoupled_lookback;
  EXPECT_EQ(published(0, 1000, copy.size()), has_states ? tiles(11, {"invalid", ""}) : tiles{});

  const T init = 7;
  ASSERT_EQ(runtime::inclusive_sum(d.get_stream(), v, type, work.as_workspace(), in.data(), in.data(), n, &init),
            status::success);
  tiles expected;
  for (std::int64_t i = 1; has_states && i <= 10; ++i) expected.push_back({"inclusive", std::to_string(i * tile + 7)});
  if (has_states) expected.push_back({"inclusive", std::to_string(n + 7)});
  EXPECT_EQ(published(0, 1000, copy.size()), expected);
  if (!has_states) return;
  EXPECT_EQ(published(0, 1000, copy.size() - 255), expected) << "the slack is not needed";
  EXPECT_EQ(published(9, 2, copy.size()), tiles(expected.begin() + 9, expected.end()));
  EXPECT_EQ(published(2, 1, copy.size()), tiles{expected[2]});
  EXPECT_EQ(published(0, 1000, copy.size() - 256), tiles{});
  EXPECT_EQ(published(-1, 5, copy.size()), tiles{});
  EXPECT_EQ(published(11, 5, copy.size()), tiles{});
  EXPECT_EQ(published(0, 0, copy.size()), tiles{});
  ASSERT_EQ(d.fill(work.data(), 3, work.bytes()), status::success);
  EXPECT_EQ(published(1, 1, copy.size()), (tiles{{"50529027", ""}}));
}

inline void shows_what_the_tiles_of_a_scan_have_published(runtime::device& d) {
  for (const scan_variant& v : runtime::scan_variants()) {
    if (!runs_on(d, v)) continue;
    expect_published<std::uint32_t>(d, v, scalar_type::u32);
    expect_published<std::uint64_t>(d, v, scalar_type::u64);
    expect_published<double>(d, v, scalar_type::f64);
  }
}

inline void copies_fills_and_measures(runtime::device& d) {
  EXPECT_FALSE(d.name().empty());
  EXPECT_GT(d.free_bytes(), std::size_t{1} << 20);
  runtime::buffer none(d, 0);
  EXPECT_TRUE(none.ok());
  EXPECT_EQ(none.data(), nullptr);
  runtime::buffer a(d, 1000), b(d, 1000);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 256, 0u);
  const auto before = d.make_event(), after = d.make_event();
  ASSERT_TRUE(before && after);
  EXPECT_EQ(d.record(*before), status::success);
  EXPECT_EQ(d.fill(a.data(), 0x11, 1000), status::success);
  EXPECT_EQ(d.fill(a.as<unsigned char>() + 1, 0x22, 998), status::success);
  EXPECT_EQ(d.copy(b.data(), a.data(), 1000), status::success);
  EXPECT_EQ(d.record(*after), status::success);
  std::vector<unsigned char> host(1000), expected(1000, 0x22);
  expected.front() = expected.back() = 0x11;
  EXPECT_EQ(d.copy(host.data(), b.data(), 1000), status::success);
  EXPECT_EQ(d.synchronize(), status::success);
  EXPECT_TRUE(same_items(host, expected));
  float ms = -1;
  EXPECT_EQ(d.elapsed_ms(*before, *after, ms), status::success);
  EXPECT_GE(ms, 0);
  EXPECT_EQ(d.copy(host.data(), none.data(), 0), status::success);
  const void* const memory = a.data();
  const runtime::buffer moved = std::move(a);
  EXPECT_EQ(moved.data(), memory);
  EXPECT_EQ(moved.bytes(), 1000u);
}

}  // namespace upsweep::test
