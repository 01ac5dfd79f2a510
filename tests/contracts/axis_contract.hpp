// What scans along an axis promise. Written once; add_axis_contract() adds the tests for one kind of items and a
// policy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/race_check.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/axis_scan.cuh"

namespace upsweep::test {

/// The items of a test, by their line and their row in the order of the scan, and their operator.
template <class T>
struct axis_sums {
  using item = T;
  using op_type = plus;
  static T init() { return static_cast<T>(5); }
  static plus op(std::uint32_t*) { return {}; }
  static T item_of(std::int64_t line, std::int64_t row, scan_kind) {
    const auto noise = static_cast<std::uint64_t>(line * 1000003 + row) * 2654435761u >> 7;
    // Small integers, of which sums are exact in any order.
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(noise % 9) - 4;
    return static_cast<T>(noise);
  }
};
/// Spans adjoin on their line. Where there is an init, it is the same for all lines; else the spans of no two lines do.
template <class Word>
struct axis_spans {
  using item = span_of<Word>;
  using op_type = join<Word>;
  static item init() { return {1, 1}; }
  static join<Word> op(std::uint32_t* misused) { return {misused}; }
  static item item_of(std::int64_t line, std::int64_t row, scan_kind kind) {
    const auto number = static_cast<Word>((kind == scan_kind::inclusive ? line * 100'000 : 0) + row + 2);
    return {number, number};
  }
};
/// 64 bytes that do not commute.
struct axis_maps {
  using item = four_maps;
  using op_type = compose_four;
  static item init() { return item_of(7, 7, scan_kind::exclusive); }
  static op_type op(std::uint32_t*) { return {}; }
  static item item_of(std::int64_t line, std::int64_t row, scan_kind) {
    item maps;
    for (int i = 0; i < 4; ++i) {
      maps.map[i] = {static_cast<std::uint64_t>(4 * line + i) * 0x9e3779b97f4a7c15u | 1,
                     static_cast<std::uint64_t>(row + i)};
    }
    return maps;
  }
};

/// 4 bytes that do not commute.
struct axis_small_maps {
  using item = affine_map<std::uint16_t>;
  using op_type = compose_affine;
  static item init() { return {3, 5}; }
  static op_type op(std::uint32_t*) { return {}; }
  static item item_of(std::int64_t line, std::int64_t row, scan_kind) {
    return {static_cast<std::uint16_t>(line * 40503 | 1), static_cast<std::uint16_t>(row + 1)};
  }
};

template <class Stream, class Items, class Policy>
class axis_contract {
 public:
  using T = typename Items::item;
  using device_type = test_device<Stream>;

  static void add(const std::string& name) {
    const auto claim = [&](const char* text, void (axis_contract::*check)()) {
      add_test<Stream>("axis_contract/" + name, text, [check](device_type& device) {
        axis_contract contract(device);
        (contract.*check)();
      });
    };
    claim("gives_what_a_loop_gives_for_every_width", &axis_contract::every_width);
    claim("gives_what_a_loop_gives_for_every_length", &axis_contract::every_length);
    claim("scans_in_place_at_any_address_whatever_the_workspace_holds", &axis_contract::any_memory);
    claim("does_nothing_without_items", &axis_contract::nothing_to_do);
    claim("refuses_bad_arguments", &axis_contract::bad_arguments);
  }

 private:
  struct call_options {
    bool in_place = false;
    std::size_t offset = 0;                    // of arrays and workspace, from an aligned address
    std::optional<unsigned char> filled_with;  // the workspace
  };

  explicit axis_contract(device_type& device) : device_(device), misused_(device, std::vector<std::uint32_t>{0}) {}

  auto op() const { return Items::op(misused_.data()); }
  /// The columns of which a slice that is cut has strips.
  static std::int64_t strip() { return Policy::template tiling<T>({1, 1 << 20, 1 << 20}).strip; }
  static std::int64_t chunk_rows(std::int64_t inner) {
    return Policy::template tiling<T>({1, 1 << 20, inner}).chunk_rows;
  }

  std::size_t bytes(scan_kind kind, const array_axis& axis) const {
    const T* const in = nullptr;
    T* const out = nullptr;
    return kind == scan_kind::exclusive
               ? exclusive_scan_axis_workspace_bytes<Policy>(in, out, axis, op(), Items::init())
               : inclusive_scan_axis_workspace_bytes<Policy>(in, out, axis, op());
  }
  status scan(scan_kind kind, workspace w, const T* in, T* out, const array_axis& axis) const {
    return static_cast<status>(
        kind == scan_kind::exclusive
            ? exclusive_scan_axis<Policy>(w, in, out, axis, op(), Items::init(), device_.stream())
            : inclusive_scan_axis<Policy>(w, in, out, axis, op(), device_.stream()));
  }

  /// Calls f(line, row, place) for each item, in the order of the scan along each line.
  template <class F>
  static void for_each_item(const array_axis& axis, F f) {
    for (std::int64_t o = 0; o < axis.outer; ++o) {
      for (std::int64_t c = 0; c < axis.inner; ++c) {
        for (std::int64_t r = 0; r < axis.length; ++r) {
          const std::int64_t memory_row = axis.is_backward ? axis.length - 1 - r : r;
          f(o * axis.inner + c, r, static_cast<std::size_t>((o * axis.length + memory_row) * axis.inner + c));
        }
      }
    }
  }
  static std::vector<T> items_of(scan_kind kind, const array_axis& axis) {
    std::vector<T> items(static_cast<std::size_t>(axis.items()));
    for_each_item(axis, [&](std::int64_t line, std::int64_t row, std::size_t place) {
      items[place] = Items::item_of(line, row, kind);
    });
    return items;
  }
  static std::vector<T> oracle(scan_kind kind, const array_axis& axis, const std::vector<T>& items) {
    std::uint32_t unused = 0;
    const auto op = Items::op(&unused);
    std::vector<T> out(items.size());
    std::optional<T> sum;
    for_each_item(axis, [&](std::int64_t, std::int64_t row, std::size_t place) {
      if (row == 0) sum = kind == scan_kind::exclusive ? std::optional<T>(Items::init()) : std::nullopt;
      if (kind == scan_kind::exclusive) out[place] = *sum;
      sum = sum ? op(*sum, items[place]) : items[place];
      if (kind == scan_kind::inclusive) out[place] = *sum;
    });
    return out;
  }

  /// One call, with a workspace of exactly the size asked for.
  void check(scan_kind kind, const array_axis& axis, const call_options& how = {}) {
    SCOPED_TRACE(std::string(kind == scan_kind::exclusive ? "exclusive, " : "inclusive, ") +
                 std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " + std::to_string(axis.inner) +
                 (axis.is_backward ? " backward" : ""));
    const std::vector<T> items = items_of(kind, axis);
    guarded_array<T, Stream> in(device_, items, how.offset * sizeof(T));
    std::optional<guarded_array<T, Stream>> separate;
    if (!how.in_place) separate.emplace(device_, items.size(), how.offset * sizeof(T));
    guarded_array<T, Stream>& out = how.in_place ? in : *separate;
    guarded_array<unsigned char, Stream> work(device_, bytes(kind, axis), how.offset);
    if (how.filled_with) work.set_bytes(std::vector<unsigned char>(work.size(), *how.filled_with));
    work.forget();
    ASSERT_EQ(scan(kind, {work.data(), work.size()}, in.data(), out.data(), axis), status::success)
        << device_.message();
    ASSERT_TRUE(same_items(out.items(), oracle(kind, axis, items)));
    if (!how.in_place) in.expect_unchanged();
    work.expect_guards();
    ASSERT_EQ(misused_.items()[0], 0u) << "the operator ran on items of two lines, or out of order";
  }
  /// One of the four scans, the next one at each call.
  void check_one(const array_axis& axis, const call_options& how = {}) {
    const int turn = turn_++ % 4;
    check(turn % 2 == 0 ? scan_kind::inclusive : scan_kind::exclusive, turn / 2 == 0 ? axis : axis.backward(), how);
  }
  void check_all(const array_axis& axis, const call_options& how = {}) {
    for (int i = 0; i < 4; ++i) check_one(axis, how);
  }

  void every_width() {
    std::set<std::int64_t> widths;
    for (std::int64_t inner = 1; inner <= 40; ++inner) widths.insert(inner);
    for (const std::int64_t near : {strip(), 2 * strip(), 3 * strip()}) {
      for (std::int64_t inner = near - 1; inner <= near + 1; ++inner) widths.insert(inner);
    }
    widths.erase(0);
    for (const std::int64_t inner : widths) {
      if (race_check && inner > 4 && inner % 4 != 3) continue;
      const std::int64_t rows = chunk_rows(inner);
      check_one({1, 2 * rows + 1, inner});
      check_one({1, rows + 1, inner});
      check_one({3, rows - 1, inner});
      check_one({3, 2, inner});
      check_one({7, 1, inner});
      ++turn_;  // so that each of them meets each scan
    }
    check_all({2, 3, 40 * strip() + 3});  // more columns than threads, and than a tile
  }

  void every_length() {
    for (const std::int64_t inner : {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, strip(), 2 * strip() + 1}) {
      const std::int64_t rows = chunk_rows(inner);
      std::set<std::int64_t> lengths;
      for (std::int64_t near : {std::int64_t{2}, rows / 2, rows, 2 * rows, 3 * rows}) {
        for (std::int64_t length = near - 1; length <= near + 1; ++length) lengths.insert(length);
      }
      for (std::int64_t length = 3; length < (race_check ? 9 : 40); length += 3) lengths.insert(length);
      lengths.erase(0);
      for (const std::int64_t length : lengths) {
        check_one({1, length, inner});
        check_one({3, length, inner});
        ++turn_;
      }
      // More chunks than a window of look-back; many slices.
      if (!race_check || rows < 100) check_all({1, 20 * rows + 3, inner});
      check_all({race_check ? 11 : 101, rows / 3 + 1, inner});
    }
  }

  void any_memory() {
    constexpr struct {
      bool in_place;
      std::size_t offset;
      unsigned char fill;
    } ways[] = {{false, 1, 0x00}, {true, 1, 0x01}, {true, 3, 0xff}, {true, 16, 0xff}};
    for (const std::int64_t inner : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, strip() + 1, strip() + 2}) {
      for (const auto& way : ways) {
        check_all({1, 3 * chunk_rows(inner) + 2, inner}, {way.in_place, way.offset, way.fill});
        check_all({2, 3 * chunk_rows(inner) + 2, inner}, {way.in_place, way.offset, way.fill});
        check_all({5, 4, inner}, {way.in_place, way.offset, way.fill});
      }
    }
  }

  void nothing_to_do() {
    guarded_array<T, Stream> out(device_, 3);
    guarded_array<unsigned char, Stream> work(device_, 4096);
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      for (const array_axis& axis :
           {array_axis{0, 1 << 20, 3}, array_axis{3, 0, 1 << 20}, array_axis{1 << 20, 3, 0}, array_axis{}}) {
        EXPECT_EQ(bytes(kind, axis), 0u);
        EXPECT_EQ(scan(kind, {}, nullptr, nullptr, axis), status::success);
        EXPECT_EQ(scan(kind, {work.data(), work.size()}, out.data(), out.data(), axis), status::success);
      }
    }
    out.expect_unchanged();
    work.expect_unchanged();
  }

  void bad_arguments() {
    const std::int64_t rows = 2 * chunk_rows(3);
    const array_axis axis{1, rows, 3};
    const auto n = static_cast<std::size_t>(axis.items());
    guarded_array<T, Stream> in(device_, n), out(device_, n + 1);
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      const std::size_t need = bytes(kind, axis);
      EXPECT_GT(need, 0u);
      guarded_array<unsigned char, Stream> work(device_, need);
      const workspace w{work.data(), need};
      const auto refuses = [&](workspace with, const T* i, T* o, const array_axis& a) {
        EXPECT_EQ(scan(kind, with, i, o, a), status::invalid_value);
      };
      refuses({work.data(), need - 1}, in.data(), out.data(), axis);
      refuses({nullptr, need}, in.data(), out.data(), axis);
      refuses(w, nullptr, out.data(), axis);
      refuses(w, in.data(), nullptr, axis);
      refuses(w, out.data() + 1, out.data(), axis);
      const std::int64_t huge = std::int64_t{1} << 40;
      for (const array_axis& none :
           {array_axis{-1, rows, 3}, array_axis{1, -1, 3}, array_axis{1, rows, -1}, array_axis{huge, huge, 1},
            along({rows, 3}, 2), along({rows, -3}, 0), along({rows, 3}, {6, 1}, 0)}) {
        EXPECT_EQ(bytes(kind, none), 0u);
        refuses(w, in.data(), out.data(), none);
      }
      work.expect_unchanged();
    }
    in.expect_unchanged();
    out.expect_unchanged();
  }

  device_type& device_;
  guarded_array<std::uint32_t, Stream> misused_;
  int turn_ = 0;
};

template <class Stream, class Items, class Policy>
bool add_axis_contract(const std::string& name) {
  axis_contract<Stream, Items, Policy>::add(name);
  return true;
}

}  // namespace upsweep::test
