// What upsweep/scan/runtime.hpp promises on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/oracle.hpp"
#include "support/random_items.hpp"
#include "support/scan_variants.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::test {

using runtime::scan_operator;

/// The operator of a plain loop. Integers wrap around.
template <class T>
T applied(scan_operator op, T a, T b) {
  if (op == scan_operator::minimum) return b < a ? b : a;
  if (op == scan_operator::maximum) return a < b ? b : a;
  if constexpr (std::is_floating_point_v<T>) {
    return op == scan_operator::sum ? a + b : a * b;
  } else {
    const auto x = static_cast<std::make_unsigned_t<T>>(a), y = static_cast<std::make_unsigned_t<T>>(b);
    switch (op) {
      case scan_operator::sum:
        return static_cast<T>(x + y);
      case scan_operator::product:
        return static_cast<T>(x * y);
      case scan_operator::bit_and:
        return static_cast<T>(x & y);
      case scan_operator::bit_or:
        return static_cast<T>(x | y);
      default:
        return static_cast<T>(x ^ y);
    }
  }
}

template <class T>
T identity_of(scan_operator op) {
  using limits = std::numeric_limits<T>;
  if (op == scan_operator::minimum) return std::is_floating_point_v<T> ? limits::infinity() : limits::max();
  if (op == scan_operator::maximum) return std::is_floating_point_v<T> ? -limits::infinity() : limits::lowest();
  if (op == scan_operator::bit_and) return static_cast<T>(-1);
  return op == scan_operator::product ? T{1} : T{0};
}

/// Item i of n, for scans that go on changing to the end, and are exact in floats whatever the order.
template <class T>
T item_for(scan_operator op, std::size_t i, std::size_t n, random_source& random) {
  constexpr bool is_float = std::is_floating_point_v<T>;
  const auto rare_bit = std::uint64_t{random.below(512) == 0 ? 1u : 0u} << random.below(8 * sizeof(T));
  switch (op) {
    case scan_operator::minimum:
    case scan_operator::maximum: {
      const auto way = static_cast<std::int64_t>(op == scan_operator::minimum ? n - i : i);
      const std::int64_t middle = std::is_signed_v<T> ? 8 * static_cast<std::int64_t>(n) : 0;
      return static_cast<T>(16 * way - middle + static_cast<std::int64_t>(random.below(4096)));
    }
    case scan_operator::product:
      if (!is_float) return static_cast<T>(random() | 1);  // no product of odd numbers is 0
      return static_cast<T>((random() & 1 ? 1 : -1) * (i % 8 == 3 ? 2 : i % 8 == 7 ? 0.5 : 1));
    case scan_operator::bit_and:
      return static_cast<T>(~rare_bit);
    case scan_operator::bit_or:
      return static_cast<T>(rare_bit);
    default:
      return random_item<T>(random);
  }
}

struct scan_case {
  scan_variant variant;
  scan_operator op = scan_operator::sum;
  scalar_type type = scalar_type::u32;
  bool exclusive = false, in_place = false, with_init = false;
  std::size_t n = 0;
  std::size_t offset = 0;  ///< from a multiple of 256: of the arrays in elements, of the workspace in bytes

  std::string text() const {
    return name_of(variant) + ", " + std::string(name_of(op)) + " of " + std::string(upsweep::name_of(type)) +
           (exclusive ? ", exclusive" : ", inclusive") + (with_init ? " with init" : "") +
           (in_place ? ", in place" : "") + ", n = " + std::to_string(n) + ", offset " + std::to_string(offset);
  }
};

/// Runs scans on a stream, in memory of a device.
class runtime_scan {
 public:
  /// For arrays of at most `array_bytes`.
  runtime_scan(runtime::device& device, runtime::stream stream, std::size_t array_bytes = 1 << 19)
      : device_(device),
        stream_(stream),
        in_(device, array_bytes),
        out_(device, array_bytes),
        work_(device, work_bytes) {}

  /// The result is that of a plain loop, and nothing around it was written.
  void check(const scan_case& c) {
    SCOPED_TRACE(c.text());
    switch (c.type) {
      case scalar_type::u32:
        return check_of<std::uint32_t>(c);
      case scalar_type::i32:
        return check_of<std::int32_t>(c);
      case scalar_type::u64:
        return check_of<std::uint64_t>(c);
      case scalar_type::f32:
        return check_of<float>(c);
      case scalar_type::f64:
        return check_of<double>(c);
      default:
        FAIL() << "a type that this test does not know";
    }
  }

  /// The result of a call that succeeds, for n items from the beginning of an array on.
  template <class T>
  std::vector<T> result_of(const scan_case& c, const std::vector<T>& items, const T* init) {
    std::vector<T> image = around(items, c.offset);
    const std::size_t bytes = image.size() * sizeof(T);
    const auto n = static_cast<std::int64_t>(items.size());
    const std::size_t needed = runtime::scan_workspace_bytes(n, c.type, c.variant);
    EXPECT_LE(bytes, in_.bytes());
    EXPECT_LE(needed + c.offset, work_bytes);
    EXPECT_EQ(device_.copy(in_.data(), image.data(), bytes), status::success);
    EXPECT_EQ(device_.fill(out_.data(), 0x5a, bytes), status::success);
    EXPECT_EQ(device_.fill(work_.data(), 0xff, needed + c.offset), status::success);
    const runtime::buffer& to = c.in_place ? in_ : out_;
    const workspace work{work_.as<char>() + c.offset, needed};
    const T* const from = in_.as<T>() + c.offset;
    T* const into = to.as<T>() + c.offset;
    EXPECT_EQ(c.exclusive ? runtime::exclusive_scan(work, from, into, n, c.type, c.op, init, c.variant, stream_)
              : init != nullptr
                  ? runtime::inclusive_scan_init(work, from, into, n, c.type, c.op, init, c.variant, stream_)
                  : runtime::inclusive_scan(work, from, into, n, c.type, c.op, c.variant, stream_),
              status::success)
        << device_.message();
    EXPECT_EQ(device_.copy(image.data(), to.data(), bytes), status::success);
    EXPECT_EQ(device_.synchronize(), status::success);
    const auto first = image.begin() + static_cast<std::ptrdiff_t>(c.offset);
    const std::vector<T> result(first, first + n);
    EXPECT_EQ(std::memcmp(image.data(), around(result, c.offset).data(), bytes), 0) << "written around the result";
    return result;
  }

 private:
  static constexpr std::size_t work_bytes = 1 << 19, behind = 8;

  /// The items in an array of bytes 0x5a.
  template <class T>
  static std::vector<T> around(const std::vector<T>& items, std::size_t offset) {
    std::vector<T> image(offset + items.size() + behind);
    std::memset(image.data(), 0x5a, image.size() * sizeof(T));
    std::copy(items.begin(), items.end(), image.begin() + static_cast<std::ptrdiff_t>(offset));
    return image;
  }

  template <class T>
  void check_of(const scan_case& c) {
    random_source random(c.n);
    std::vector<T> items(c.n);
    for (std::size_t i = 0; i < c.n; ++i) items[i] = item_for<T>(c.op, i, c.n, random);
    const std::optional<T> init = c.with_init ? std::optional<T>(items.empty() ? T{9} : items[c.n / 2]) : std::nullopt;
    const auto op = [&](T a, T b) { return applied(c.op, a, b); };
    const auto expected = c.exclusive ? exclusive_oracle<T>(items, op, init.value_or(identity_of<T>(c.op)))
                                      : inclusive_oracle<T>(items, op, init);
    EXPECT_TRUE(same_items(result_of<T>(c, items, init ? &*init : nullptr), expected));
  }

  runtime::device& device_;
  runtime::stream stream_;
  runtime::buffer in_, out_, work_;
};

/// No items, one, and around one tile and several. A strategy without tiles may take n^2 steps.
inline std::vector<std::size_t> lengths_for(const scan_variant& v, scalar_type type) {
  const auto tile = static_cast<std::size_t>(runtime::tile_items_of(v, type));
  if (tile == 0) return {0, 1, 2, 33, 255, 256, 257, 2049};
  return {0, 1, 33, tile - 1, tile, tile + 1, 3 * tile + 5};
}

/// By every variant that has this operator, of every type, both kinds, in place and not, at every length; with and
/// without init at changing addresses.
inline void scans_by(scan_operator op, runtime::device& d, runtime::stream stream) {
  runtime_scan scan(d, stream);
  std::size_t cases = 0;
  for (const scan_variant& v : runtime::scan_variants(op)) {
    if (!runs_on(d, v)) continue;
    for (const scalar_type type : runtime::scan_types(op)) {
      for (const std::size_t n : lengths_for(v, type)) {
        for (const bool exclusive : {false, true}) {
          for (const bool in_place : {false, true}) {
            scan.check({v, op, type, exclusive, in_place, cases % 3 == 0, n, cases % 5});
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_GT(cases, 0u);
}

inline void sums_every_type_by_every_variant(runtime::device& d, runtime::stream stream) {
  scans_by(scan_operator::sum, d, stream);
}

inline void scans_every_type_by_every_operator(runtime::device& d, runtime::stream stream) {
  using enum scan_operator;
  for (const scan_operator op : {minimum, maximum, product, bit_and, bit_or, bit_xor}) scans_by(op, d, stream);
}

/// By the default scan, with every operator it has and every type, as many items as take one of these numbers of bytes,
/// and one more. Kinds, arrays, init and addresses take turns. Beyond 2^22 items no type has a limit.
inline void default_scans_around(const std::vector<std::size_t>& limits, runtime::device& d, runtime::stream stream) {
  runtime_scan scan(d, stream, *std::ranges::max_element(limits) + 4096);
  std::size_t cases = 0;
  for (std::size_t op = 0; op < runtime::scan_operator_names.size(); ++op) {
    for (const scalar_type type : runtime::scan_types(static_cast<scan_operator>(op))) {
      for (const std::size_t bytes : limits) {
        for (const std::size_t more : {0, 1}) {
          scan_case c{.variant = {}, .op = static_cast<scan_operator>(op), .type = type};
          c.n = bytes / size_of(type) + more;
          if (c.n > (1 << 22) + 1) continue;
          c.exclusive = cases % 2 == 0;
          c.in_place = cases % 3 == 0;
          c.with_init = cases % 5 == 0;
          c.offset = cases % 7;
          scan.check(c);
          ++cases;
        }
      }
    }
  }
}

/// Sums of small integers along an axis of this array, of each type, both kinds, in place and not.
inline void sums_along(const array_axis& axis, runtime::device& d, runtime::stream stream) {
  SCOPED_TRACE(std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " + std::to_string(axis.inner));
  const auto n = static_cast<std::size_t>(axis.items());
  const auto check = [&]<class T>(T, scalar_type type, bool exclusive, bool in_place) {
    std::vector<T> items(n), expected(n), got(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(i * 2654435761u % 9) - 4;
    for (std::int64_t line = 0; line < axis.outer * axis.inner; ++line) {
      T sum{};
      for (std::int64_t r = 0; r < axis.length; ++r) {
        const std::int64_t row = axis.is_backward ? axis.length - 1 - r : r;
        const auto at =
            static_cast<std::size_t>((line / axis.inner * axis.length + row) * axis.inner + line % axis.inner);
        const T next = sum + items[at];
        expected[at] = exclusive ? sum : next;
        sum = next;
      }
    }
    runtime::buffer in(d, n * sizeof(T)), out(d, n * sizeof(T)), work(d, runtime::sum_axis_workspace_bytes(axis, type));
    const runtime::buffer& to = in_place ? in : out;
    ASSERT_EQ(d.copy(in.data(), items.data(), n * sizeof(T)), status::success);
    const workspace w{work.data(), work.bytes()};
    ASSERT_EQ(exclusive ? runtime::exclusive_sum_axis(w, in.data(), to.data(), axis, type, stream)
                        : runtime::inclusive_sum_axis(w, in.data(), to.data(), axis, type, stream),
              status::success);
    ASSERT_EQ(d.copy(got.data(), to.data(), n * sizeof(T)), status::success);
    ASSERT_EQ(d.synchronize(), status::success);
    EXPECT_TRUE(same_items(got, expected)) << upsweep::name_of(type);
  };
  std::size_t cases = 0;
  for (const scalar_type type : runtime::axis_sum_types()) {
    for (const bool exclusive : {false, true}) {
      const bool in_place = cases++ % 3 == 0;
      ASSERT_TRUE((scalar_types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>::visit(
          type, [&](auto zero) { check(zero, type, exclusive, in_place); })));
    }
  }
  EXPECT_EQ(cases, 12u);
}

inline void sums_along_every_axis(runtime::device& d, runtime::stream stream) {
  for (const bool backward : {false, true}) {
    for (const array_axis& axis : {array_axis{1, 10'001, 1}, {33, 70, 1}, {1, 900, 33}, {2, 3, 500}}) {
      sums_along(backward ? axis.backward() : axis, d, stream);
    }
  }
  const array_axis columns{1, 10'000, 2};
  const std::size_t bytes = runtime::sum_axis_workspace_bytes(columns, scalar_type::i64);
  const runtime::buffer data(d, 160'000), work(d, bytes);
  const auto answer = [&](const array_axis& axis, scalar_type type, std::size_t work_bytes, const void* in) {
    return runtime::inclusive_sum_axis({work.data(), work_bytes}, in, data.data(), axis, type, stream);
  };
  EXPECT_EQ(answer(columns, scalar_type::i16, bytes, data.data()), status::not_supported);
  EXPECT_EQ(answer(columns, scalar_type::i64, bytes - 1, data.data()), status::invalid_value);
  EXPECT_EQ(answer(columns, scalar_type::i64, bytes, nullptr), status::invalid_value);
  EXPECT_EQ(answer(columns, scalar_type::i64, bytes, data.as<char>() + 1), status::invalid_value);
  EXPECT_EQ(answer(along({5, 5}, 2), scalar_type::i64, bytes, data.data()), status::invalid_value);
  EXPECT_EQ(answer({1, 0, 2}, scalar_type::i64, 0, nullptr), status::success);
  EXPECT_EQ(runtime::sum_axis_workspace_bytes(along({5, 5}, 2), scalar_type::f32), 0u);
  EXPECT_EQ(runtime::sum_axis_workspace_bytes(columns, scalar_type::i16), 0u);
}

/// What minimum and maximum give where an item is a NaN: nothing unusual before it, and after it NaNs and numbers
/// that came before.
inline void nans_spoil_only_what_is_behind_them(runtime::device& d, runtime::stream stream) {
  runtime_scan scan(d, stream);
  constexpr std::size_t n = 10000, at = 5000;
  std::vector<float> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<float>(i);
  items[at] = std::numeric_limits<float>::quiet_NaN();
  scan_case c;
  c.op = scan_operator::maximum;
  c.type = scalar_type::f32;
  const std::vector<float> got = scan.result_of<float>(c, items, nullptr);
  for (std::size_t i = 0; i < at; ++i) ASSERT_EQ(got[i], items[i]);
  for (std::size_t i = at; i < n; ++i) {
    const bool one_of_those_so_far = got[i] >= 0 && got[i] <= static_cast<float>(i) && got[i] == std::floor(got[i]);
    ASSERT_TRUE(std::isnan(got[i]) || one_of_those_so_far) << i << ": " << got[i];
  }
}

/// Strategies, blocks, tiles, operators and types in every combination: each is scanned, or is refused in words.
inline void answers_every_combination_as_why_not_supported_says(runtime::device& d, runtime::stream stream) {
  std::vector<std::pair<int, int>> tiles = {{224, 7}, {0, 0}, {-1, 16}};
  for (const scan_variant& v : runtime::scan_variants()) {
    const std::pair tile(v.block_threads, v.items_per_thread);
    if (std::ranges::find(tiles, tile) == tiles.end()) tiles.push_back(tile);
  }
  const runtime::buffer in(d, 800), out(d, 800);
  ASSERT_EQ(d.fill(out.data(), 0x5a, out.bytes()), status::success);
  std::size_t supported = 0;
  const auto check = [&](const scan_variant& v, scan_operator op, scalar_type type) {
    const std::string why = runtime::why_not_supported(v, op, type, d.where());
    const auto calls = {runtime::exclusive_scan, runtime::inclusive_scan_init};
    for (const auto& scan : calls) {
      const auto answer = [&](std::int64_t n) {
        return scan({}, in.data(), out.data(), n, type, op, nullptr, v, stream);
      };
      ASSERT_EQ(answer(0), why.empty() ? status::success : status::not_supported) << why;
      if (!why.empty()) {
        ASSERT_EQ(answer(100), status::not_supported) << why;
        ASSERT_NE(why.find("; expected "), std::string::npos) << why;
        ASSERT_EQ(why.find('\n'), std::string::npos) << why;
      }
    }
    supported += why.empty();
  };
  for (std::size_t s = 0; s < scan_strategy_names.size(); ++s) {
    for (std::size_t b = 0; b < block_algorithm_names.size(); ++b) {
      for (const auto& [threads, items] : tiles) {
        const scan_variant v{static_cast<scan_strategy>(s), static_cast<block_algorithm>(b), threads, items};
        for (std::size_t op = 0; op < runtime::scan_operator_names.size(); ++op) {
          for (int type = 0; type <= static_cast<int>(scalar_type::bf16); ++type) {
            check(v, static_cast<scan_operator>(op), static_cast<scalar_type>(type));
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
  const std::size_t of_default = 5 + 3 * 5 + 3 * 3;  // sum; minimum, maximum and product; and, or and xor
  EXPECT_GT(supported, of_default);
  std::vector<unsigned char> now(out.bytes());
  ASSERT_EQ(d.copy(now.data(), out.data(), now.size()), status::success);
  ASSERT_EQ(d.synchronize(), status::success);
  EXPECT_TRUE(same_items(now, std::vector<unsigned char>(now.size(), 0x5a)));
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
    const status first = runtime::exclusive_sum(w, from, to, count, type, v, s);
    EXPECT_EQ(runtime::inclusive_sum(w, from, to, count, type, v, s), first);
    return first;
  };

  const scan_variant odd_tile{scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 224, 7};
  EXPECT_FALSE(runtime::is_compiled(odd_tile));
  EXPECT_EQ(runtime::scan_workspace_bytes(n, scalar_type::u32, odd_tile), 0u);
  EXPECT_EQ(both(odd_tile, scalar_type::u32, work.as_workspace(), in.data(), out.data(), n), status::not_supported);
  for (const scan_variant& v : runtime::scan_variants()) {
    SCOPED_TRACE(name_of(v));
    EXPECT_EQ(both(v, scalar_type::u8, work.as_workspace(), in.data(), out.data(), n), status::not_supported);
    EXPECT_EQ(runtime::scan_workspace_bytes(n, scalar_type::u8, v), 0u);
    if (!runs_on(d, v)) {
      EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), in.data(), out.data(), n), status::not_supported);
      continue;
    }
    EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), in.data(), out.data(), -1), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), nullptr, out.data(), n), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, work.as_workspace(), in.data(), nullptr, n), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, {}, nullptr, nullptr, 0), status::success);
    const std::size_t bytes = runtime::scan_workspace_bytes(n, scalar_type::u32, v);
    if (bytes == 0) continue;
    EXPECT_EQ(both(v, scalar_type::u32, {work.data(), bytes - 1}, in.data(), out.data(), n), status::invalid_value);
    EXPECT_EQ(both(v, scalar_type::u32, {nullptr, bytes}, in.data(), out.data(), n), status::invalid_value);
  }
  std::vector<unsigned char> now(n * 4);
  ASSERT_EQ(d.copy(now.data(), out.data(), now.size()), status::success);
  ASSERT_EQ(d.synchronize(), status::success);
  EXPECT_TRUE(same_items(now, std::vector<unsigned char>(n * 4, 0x5a)));
}

/// Every tile has published the sum up to its end.
template <class T>
void expect_published(runtime::device& d, const scan_variant& v, scalar_type type) {
  SCOPED_TRACE(name_of(v) + ", " + std::string(upsweep::name_of(type)));
  const std::int64_t tile = runtime::tile_items_of(v, type), n = 10 * std::max<std::int64_t>(tile, 1) + 5;
  const std::vector<T> ones(static_cast<std::size_t>(n), T{1});
  const runtime::buffer in(d, ones.size() * sizeof(T)), work(d, runtime::scan_workspace_bytes(n, type, v));
  ASSERT_EQ(d.copy(in.data(), ones.data(), in.bytes()), status::success);
  ASSERT_EQ(d.fill(work.data(), 0, work.bytes()), status::success);
  // One byte off, so that nothing in it is aligned.
  std::vector<std::byte> memory(work.bytes() + 1);
  const std::span<std::byte> copy = std::span(memory).subspan(1);
  using tiles = std::vector<std::string>;
  const auto published = [&](std::int64_t first, std::int64_t count, std::size_t bytes) {
    EXPECT_EQ(d.copy(copy.data(), work.data(), work.bytes()), status::success);
    EXPECT_EQ(d.synchronize(), status::success);
    tiles texts;
    for (const runtime::published_tile& t : runtime::published_tiles(v, type, n, copy.first(bytes), first, count)) {
      texts.push_back(t.status + " " + t.value);
    }
    return texts;
  };
  const bool has_states = v.strategy == scan_strategy::decoupled_lookback || v.strategy == scan_strategy::chained_scan;
  EXPECT_EQ(published(0, 1000, copy.size()), has_states ? tiles(11, "invalid ") : tiles{});

  const T init = 7;
  ASSERT_EQ(runtime::inclusive_scan_init(work.as_workspace(), in.data(), in.data(), n, type,
                                         runtime::scan_operator::sum, &init, v, d.get_stream()),
            status::success);
  tiles expected;
  for (std::int64_t i = 1; has_states && i <= 10; ++i) expected.push_back("inclusive " + std::to_string(i * tile + 7));
  if (has_states) expected.push_back("inclusive " + std::to_string(n + 7));
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
  EXPECT_EQ(published(1, 1, copy.size()), tiles{"50529027 "});
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
