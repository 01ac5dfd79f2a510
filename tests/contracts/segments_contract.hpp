// What scans by key and segmented scans promise. Written once; add_segments_contract() adds the tests for one type of
// items, keys and offsets and a policy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace upsweep::test {

/// The items of a test, by the lengths of their segments, and their operator.
template <class T>
struct segment_sums {
  using item = T;
  using op_type = plus;
  static T init() { return static_cast<T>(5); }
  static plus op(std::uint32_t*) { return {}; }
  static T item_of(std::int64_t at, std::int64_t) {
    // Small integers, of which sums are exact in any order.
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(at * 2654435761u % 9) - 4;
    return static_cast<T>(at * 2654435761u + 1);
  }
};
/// Number k of a segment is the span of k + 2 alone, init that of 1: spans adjoin in their segment, and in no other.
template <class Word>
struct segment_spans {
  using item = span_of<Word>;
  using op_type = join<Word>;
  static item init() { return {1, 1}; }
  static join<Word> op(std::uint32_t* misused) { return {misused}; }
  static item item_of(std::int64_t, std::int64_t of_segment) {
    return {static_cast<Word>(of_segment + 2), static_cast<Word>(of_segment + 2)};
  }
};

/// 64 bytes that do not commute.
struct segment_maps {
  using item = four_maps;
  using op_type = compose_four;
  static item init() { return item_of(7, 7); }
  static op_type op(std::uint32_t*) { return {}; }
  static item item_of(std::int64_t at, std::int64_t of_segment) {
    item maps;
    for (int i = 0; i < 4; ++i) {
      maps.map[i] = {static_cast<std::uint64_t>(2 * at + i) * 0x9e3779b97f4a7c15u | 1,
                     static_cast<std::uint64_t>(of_segment + i)};
    }
    return maps;
  }
};

/// A key of 6 bytes of which one does not count.
struct odd_key {
  std::uint16_t bits;
  std::uint8_t more, ignored[3];
};
struct same_odd_key {
  UPSWEEP_HOST_DEVICE bool operator()(const odd_key& a, const odd_key& b) const {
    return a.bits == b.bits && a.more == b.more;
  }
};

template <class Key>
Key key_of(std::int64_t run, std::int64_t at) {
  if constexpr (std::is_same_v<Key, odd_key>) {
    const auto noise = static_cast<std::uint8_t>(at);
    return {static_cast<std::uint16_t>(run % 3), static_cast<std::uint8_t>(run % 2), {noise, noise, noise}};
  } else {
    return static_cast<Key>(run % 3 << (8 * sizeof(Key) - 2));  // told apart by the highest bits
  }
}

/// Offsets: their type, or void for scans by key alone.
template <class Stream, class Items, class Key, class Equal, class Offsets, class Policy>
class segments_contract {
 public:
  using T = typename Items::item;
  using Op = typename Items::op_type;
  using device_type = test_device<Stream>;
  using lengths = std::vector<std::int64_t>;

  static void add(const std::string& name) {
    const auto claim = [&](const char* text, void (segments_contract::*check)()) { add(name, text, check); };
    claim("gives_what_a_loop_gives_for_every_segmentation", &segments_contract::every_segmentation);
    claim("scans_in_place_at_any_address_whatever_the_workspace_holds", &segments_contract::any_memory);
    if (by_offsets) {
      claim("leaves_items_outside_of_all_segments_alone", &segments_contract::gaps);
      claim("stays_in_its_memory_whatever_the_offsets_are", &segments_contract::bad_offsets);
    }
    if (sizeof(Key) == sizeof(T)) claim("scans_by_key_over_the_keys", &segments_contract::over_keys);
    claim("does_nothing_without_items_or_segments", &segments_contract::nothing_to_do);
    claim("refuses_bad_arguments", &segments_contract::bad_arguments);
  }
  /// What the sizes of keys and items bear upon.
  static void add_sizes(const std::string& name) {
    add(name, "gives_what_a_loop_gives_for_every_segmentation", &segments_contract::every_segmentation);
    add(name, "scans_in_place_at_any_address_whatever_the_workspace_holds", &segments_contract::any_memory);
  }

 private:
  static void add(const std::string& name, const char* claim, void (segments_contract::*check)()) {
    add_test<Stream>("segments_contract/" + name, claim, [check](device_type& device) {
      segments_contract contract(device);
      (contract.*check)();
    });
  }

  static constexpr std::int64_t tile = Policy::template tile_items<T, Key>;
  static constexpr bool by_offsets = !std::is_void_v<Offsets>;
  using Offset = std::conditional_t<by_offsets, Offsets, std::int64_t>;

  struct call_options {
    bool in_place = false;
    std::size_t offset = 0;                    // of arrays and workspace, from an aligned address
    std::int64_t front = 0, behind = 0;        // items outside of all segments
    std::optional<unsigned char> filled_with;  // the workspace
  };

  explicit segments_contract(device_type& device) : device_(device), misused_(device, std::vector<std::uint32_t>{0}) {}

  Op op() const { return Items::op(misused_.data()); }

  static std::vector<T> items_of(const lengths& segments, const call_options& how = {}) {
    std::vector<T> items(static_cast<std::size_t>(how.front));  // zero: nothing that a span adjoins
    for (const std::int64_t length : segments) {
      for (std::int64_t i = 0; i < length; ++i) {
        items.push_back(Items::item_of(static_cast<std::int64_t>(items.size()), i));
      }
    }
    items.resize(items.size() + static_cast<std::size_t>(how.behind));
    return items;
  }

  static std::vector<Key> keys_of(const lengths& segments) {
    std::vector<Key> keys;
    std::int64_t run = 0;
    for (const std::int64_t length : segments) {
      for (std::int64_t i = 0; i < length; ++i) keys.push_back(key_of<Key>(run, i));
      run += length > 0;
    }
    return keys;
  }

  /// `out` with its segments scanned.
  std::vector<T> oracle(scan_kind kind, const lengths& segments, std::vector<T> out, const std::vector<T>& items,
                        std::int64_t front) const {
    std::uint32_t unused = 0;
    const Op op = Items::op(&unused);
    auto at = static_cast<std::size_t>(front);
    for (const std::int64_t length : segments) {
      std::optional<T> sum;
      if (kind == scan_kind::exclusive) sum = Items::init();
      for (std::int64_t i = 0; i < length; ++i, ++at) {
        if (kind == scan_kind::exclusive) out[at] = *sum;
        sum = sum ? op(*sum, items[at]) : items[at];
        if (kind == scan_kind::inclusive) out[at] = *sum;
      }
    }
    return out;
  }

  std::size_t by_key_bytes(scan_kind kind, std::int64_t n) const {
    const T* const in = nullptr;
    const Key* const keys = nullptr;
    T* const out = nullptr;
    return kind == scan_kind::exclusive
               ? exclusive_scan_by_key_workspace_bytes<Policy>(keys, in, out, n, op(), Items::init())
               : inclusive_scan_by_key_workspace_bytes<Policy>(keys, in, out, n, op());
  }
  status by_key(scan_kind kind, workspace w, const Key* keys, const T* in, T* out, std::int64_t n) const {
    return static_cast<status>(
        kind == scan_kind::exclusive
            ? exclusive_scan_by_key<Policy>(w, keys, in, out, n, op(), Items::init(), Equal{}, device_.stream())
            : inclusive_scan_by_key<Policy>(w, keys, in, out, n, op(), Equal{}, device_.stream()));
  }

  std::size_t segmented_bytes(scan_kind kind, std::int64_t n) const {
    const T* const in = nullptr;
    T* const out = nullptr;
    const Offset* const offsets = nullptr;
    return kind == scan_kind::exclusive
               ? exclusive_scan_segmented_workspace_bytes<Policy>(in, offsets, out, n, 0, op(), Items::init())
               : inclusive_scan_segmented_workspace_bytes<Policy>(in, offsets, out, n, 0, op());
  }
  status segmented(scan_kind kind, workspace w, const T* in, T* out, std::int64_t n, const Offset* offsets,
                   std::int64_t segments) const {
    if constexpr (by_offsets) {
      return static_cast<status>(
          kind == scan_kind::exclusive
              ? exclusive_scan_segmented<Policy>(w, in, offsets, out, n, segments, op(), Items::init(),
                                                 device_.stream())
              : inclusive_scan_segmented<Policy>(w, in, offsets, out, n, segments, op(), device_.stream()));
    }
    return status::not_supported;
  }

  /// One call by key (of the runs that are not empty) or by offsets, with a workspace of exactly the size asked for.
  void check(bool with_keys, scan_kind kind, const lengths& segments, const call_options& how) {
    const std::vector<T> items = items_of(segments, how);
    const auto n = static_cast<std::int64_t>(items.size());
    SCOPED_TRACE(std::string(with_keys ? "by key" : "segmented") + (kind == scan_kind::exclusive ? ", ex" : ", in") +
                 "clusive, n = " + std::to_string(n) + ", " + std::to_string(segments.size()) +
                 " segments, the first of " + std::to_string(segments.empty() ? 0 : segments[0]));
    std::vector<Offset> offset{static_cast<Offset>(how.front)};
    for (const std::int64_t length : segments) {
      offset.push_back(static_cast<Offset>(static_cast<std::int64_t>(offset.back()) + length));
    }
    guarded_array<T, Stream> in(device_, items, how.offset * sizeof(T));
    std::optional<guarded_array<T, Stream>> separate;
    if (!how.in_place) separate.emplace(device_, items.size(), how.offset * sizeof(T));
    guarded_array<T, Stream>& out = how.in_place ? in : *separate;
    const std::vector<T> expected = oracle(kind, segments, out.items(), items, how.front);
    guarded_array<Key, Stream> keys(device_, keys_of(segments), how.offset * sizeof(Key));
    guarded_array<Offset, Stream> offsets(device_, offset, how.offset * sizeof(Offset));
    guarded_array<unsigned char, Stream> work(device_, with_keys ? by_key_bytes(kind, n) : segmented_bytes(kind, n),
                                              how.offset);
    if (how.filled_with) work.set_bytes(std::vector<unsigned char>(work.size(), *how.filled_with));
    work.forget();
    const workspace w{work.data(), work.size()};
    ASSERT_EQ(with_keys ? by_key(kind, w, keys.data(), in.data(), out.data(), n)
                        : segmented(kind, w, in.data(), out.data(), n, offsets.data(),
                                    static_cast<std::int64_t>(segments.size())),
              status::success)
        << device_.message();
    EXPECT_TRUE(same_items(out.items(), expected));
    if (!how.in_place) in.expect_unchanged();
    keys.expect_unchanged();
    offsets.expect_unchanged();
    work.expect_guards();
    EXPECT_EQ(misused_.items()[0], 0u) << "the operator ran on an item outside of its segment, or out of order";
  }
  void check_all(const lengths& segments, const call_options& how = {}) {
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      if (how.front + how.behind == 0) check(true, kind, segments, how);
      if (by_offsets) check(false, kind, segments, how);
    }
  }

  /// Random lengths up to `longest`, every fifth segment empty.
  static lengths random_lengths(std::int64_t n, std::int64_t longest) {
    random_source random(static_cast<std::uint64_t>(n * 31 + longest));
    lengths all;
    while (n > 0) {
      if (random.below(5) == 0) all.push_back(0);
      all.push_back(std::min(n, 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(longest)))));
      n -= all.back();
    }
    return all;
  }
  static lengths equal_lengths(std::int64_t n, std::int64_t length) {
    lengths all(static_cast<std::size_t>(n / length), length);
    if (n % length > 0) all.push_back(n % length);
    return all;
  }

  void every_segmentation() {
    std::vector<std::int64_t> sizes = {1, 2, 31, 33, tile - 1, tile, tile + 1, 3 * tile + 5};
    // More than a window of look-back, or more than a ring has stages.
    sizes.push_back((!race_check || tile <= 300 ? 34 : 13) * tile + 1);
    for (const std::int64_t n : sizes) {
      if (n < 1) continue;
      check_all({n});
      if (!by_offsets && n > 4 * tile) {  // whose blocks wait long for one another on the sim
        check_all(random_lengths(n, 3 * tile));
        continue;
      }
      check_all(equal_lengths(n, 1));
      check_all(random_lengths(n, 5));
      if (n < tile) continue;
      check_all(random_lengths(n, 40));
      check_all(random_lengths(n, 3 * tile));
      for (const std::int64_t length : {tile - 1, tile, tile + 1}) {
        if (length > 0) check_all(equal_lengths(n, length));
      }
    }
    // Hundreds of empty segments at one item, some at the next one, and hundreds behind the last.
    if (by_offsets) {
      lengths empty(20, 0);
      empty.push_back(tile + 2);
      empty.insert(empty.end(), 500, 0);
      empty.push_back(1);
      empty.insert(empty.end(), 70, 0);
      empty.push_back(2);
      empty.push_back(2 * tile);
      empty.insert(empty.end(), 300, 0);
      check_all(empty);
    }
    // A segment that begins, and ends, at each place of a tile or at some of them.
    for (std::int64_t at = tile; at <= 2 * tile; at += tile <= 64 ? 1 : tile / 16 + 1) check_all({at, 3 * tile - at});
  }

  void any_memory() {
    constexpr struct {
      bool in_place;
      std::size_t offset;
      unsigned char fill;
    } ways[] = {{false, 1, 0x00}, {true, 1, 0x01}, {true, 3, 0xff}, {true, 16, 0xff}};  // the last as bulk copies ask
    for (const std::int64_t n : {tile, 3 * tile + 5}) {
      for (const auto& way : ways) {
        call_options how;
        how.in_place = way.in_place;
        how.offset = way.offset;
        how.filled_with = way.fill;
        check_all(random_lengths(n, 2 * tile), how);
        check_all(random_lengths(n, 7), how);
      }
    }
  }

  void over_keys() {
    constexpr std::int64_t n = 5 * tile + 3;
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      for (const lengths& segments : {lengths{n}, equal_lengths(n, tile), random_lengths(n, 5)}) {
        const std::vector<T> items = items_of(segments);
        guarded_array<T, Stream> in(device_, items);
        guarded_array<Key, Stream> keys(device_, keys_of(segments));
        guarded_array<unsigned char, Stream> work(device_, by_key_bytes(kind, n));
        ASSERT_EQ(
            by_key(kind, {work.data(), work.size()}, keys.data(), in.data(), reinterpret_cast<T*>(keys.data()), n),
            status::success)
            << device_.message();
        const std::vector<Key> bytes = keys.items();
        std::vector<T> out(items.size());
        std::memcpy(static_cast<void*>(out.data()), bytes.data(), std::min(sizeof(T), sizeof(Key)) * bytes.size());
        EXPECT_TRUE(same_items(out, oracle(kind, segments, out, items, 0)));
        work.expect_guards();
      }
    }
  }

  void gaps() {
    for (const std::int64_t front : {std::int64_t{1}, std::int64_t{37}, 2 * tile + 3}) {
      for (const std::int64_t behind : {std::int64_t{1}, 2 * tile}) {
        call_options how;
        how.front = front;
        how.behind = behind;
        for (const bool in_place : {false, true}) {
          how.in_place = in_place;
          check_all({0, 0, tile + 3, 0, 0}, how);
          check_all(random_lengths(3 * tile, 9), how);
          check_all(lengths(3000, 0), how);
        }
      }
    }
    lengths mostly_empty(5000, 0);
    for (std::size_t s = 3; s < mostly_empty.size(); s += 1 + s / 2) mostly_empty[s] = static_cast<std::int64_t>(s % 7);
    check_all(mostly_empty);
    check_all({64 * workspace_layout::alignment, 0, 0});  // no word of heads after those of the items
    // Heads of one warp that lie in three rows of offsets.
    lengths few_items(90, 0);
    few_items[2] = 5;
    few_items[80] = 4;
    few_items[81] = tile + 3;
    check_all(few_items);
  }

  void bad_offsets() {
    constexpr std::int64_t n = 3 * tile + 5, low = INT64_MIN, high = INT64_MAX;
    // An inclusive scan of neighbours, so that the operator gets what adjoins.
    const std::vector<T> items = items_of({n});
    for (const std::vector<std::int64_t>& of : std::vector<std::vector<std::int64_t>>{{-5, tile, n + 9},
                                                                                      {n + 1, 3},
                                                                                      {2 * tile, tile, 7, n},
                                                                                      {3, n + 900, 5, 40, n},
                                                                                      {-3, -2, -1},
                                                                                      {n, 0},
                                                                                      {low, high, low, 9, high}}) {
      SCOPED_TRACE(of[0]);
      std::vector<Offset> offset;
      for (const std::int64_t o : of) offset.push_back(static_cast<Offset>(o));
      guarded_array<T, Stream> in(device_, items), out(device_, items.size());
      const guarded_array<Offset, Stream> offsets(device_, offset);
      guarded_array<unsigned char, Stream> work(device_, segmented_bytes(scan_kind::inclusive, n));
      work.forget();
      ASSERT_EQ(segmented(scan_kind::inclusive, {work.data(), work.size()}, in.data(), out.data(), n, offsets.data(),
                          static_cast<std::int64_t>(of.size()) - 1),
                status::success)
          << device_.message();
      in.expect_unchanged();
      out.expect_guards();
      work.expect_guards();
    }
  }

  void nothing_to_do() {
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      guarded_array<T, Stream> out(device_, 3);
      guarded_array<unsigned char, Stream> work(device_, 4096);
      const workspace w{work.data(), work.size()};
      EXPECT_EQ(by_key_bytes(kind, 0), 0u);
      EXPECT_EQ(segmented_bytes(kind, 0), 0u);
      EXPECT_EQ(by_key(kind, {}, nullptr, nullptr, nullptr, 0), status::success);
      if (by_offsets) {
        EXPECT_EQ(segmented(kind, {}, nullptr, nullptr, 0, nullptr, 3), status::success);
        EXPECT_EQ(segmented(kind, w, out.data(), out.data(), 3, nullptr, 0), status::success);
      }
      out.expect_unchanged();
      work.expect_unchanged();
    }
  }

  void bad_arguments() {
    constexpr std::int64_t n = tile + 1;
    const guarded_array<Key, Stream> keys(device_, static_cast<std::size_t>(n));
    const guarded_array<Offset, Stream> offsets(device_, std::vector<Offset>{0, static_cast<Offset>(n)});
    guarded_array<T, Stream> in(device_, static_cast<std::size_t>(n)), out(device_, static_cast<std::size_t>(n));
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      for (const bool with_keys : {true, false}) {
        if (!with_keys && !by_offsets) continue;
        const std::size_t bytes = with_keys ? by_key_bytes(kind, n) : segmented_bytes(kind, n);
        EXPECT_EQ(with_keys ? by_key_bytes(kind, -1) : segmented_bytes(kind, -1), 0u);
        EXPECT_LE(with_keys ? by_key_bytes(kind, n - 1) : segmented_bytes(kind, n - 1), bytes);
        guarded_array<unsigned char, Stream> work(device_, bytes);
        const workspace w{work.data(), bytes};
        const auto refuses = [&](workspace w, const Key* k, const T* i, T* o, std::int64_t count, const Offset* of) {
          EXPECT_EQ(with_keys ? by_key(kind, w, k, i, o, count) : segmented(kind, w, i, o, count, of, 1),
                    status::invalid_value);
        };
        refuses({work.data(), bytes - 1}, keys.data(), in.data(), out.data(), n, offsets.data());
        refuses({nullptr, bytes}, keys.data(), in.data(), out.data(), n, offsets.data());
        refuses(w, keys.data(), in.data(), out.data(), -1, offsets.data());
        refuses(w, keys.data(), nullptr, out.data(), n, offsets.data());
        refuses(w, keys.data(), in.data(), nullptr, n, offsets.data());
        refuses(w, nullptr, in.data(), out.data(), n, nullptr);
        refuses(w, keys.data(), out.data() + 1, out.data(), n - 1, offsets.data());
        refuses(w, reinterpret_cast<const Key*>(out.data() + n - 1), in.data(), out.data(), n,
                reinterpret_cast<const Offset*>(out.data() + n - 1));
        work.expect_unchanged();
      }
      if (by_offsets) {
        EXPECT_EQ(segmented(kind, {}, in.data(), out.data(), n, offsets.data(), -1), status::invalid_value);
      }
    }
    in.expect_unchanged();
    out.expect_unchanged();
  }

  device_type& device_;
  guarded_array<std::uint32_t, Stream> misused_;
};

template <class Stream, class Items, class Key, class Equal, class Offsets, class Policy>
bool add_segments_contract(const std::string& name) {
  segments_contract<Stream, Items, Key, Equal, Offsets, Policy>::add(name);
  return true;
}

/// Keys and items of few bytes, of the same number and of others; for some of them the race checker has no time.
/// Offsets: as above, but void where keys and items are alike.
template <class Stream, class Policy, class Offsets>
bool add_narrow_segments_contracts(const std::string& policy_name) {
  using u8 = std::uint8_t;
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  segments_contract<Stream, segment_sums<u8>, u8, equal_to, void, Policy>::add_sizes("u8_u8_" + policy_name);
  segments_contract<Stream, segment_sums<u8>, u32, equal_to, Offsets, Policy>::add_sizes("u8_u32_" + policy_name);
  if constexpr (!race_check) {
    segments_contract<Stream, segment_sums<u32>, u8, equal_to, Offsets, Policy>::add("u32_u8_" + policy_name);
    segments_contract<Stream, segment_sums<u16>, u16, equal_to, void, Policy>::add_sizes("u16_u16_" + policy_name);
  }
  return true;
}

/// Sums of floating-point numbers.
template <class Stream, class Policy, class Offsets>
bool add_floating_segments_contracts(const std::string& policy_name) {
  using i32 = std::int32_t;
  using u64 = std::uint64_t;
  segments_contract<Stream, segment_sums<float>, i32, equal_to, Offsets, Policy>::add_sizes("f32_i32_" + policy_name);
  segments_contract<Stream, segment_sums<double>, u64, equal_to, Offsets, Policy>::add_sizes("f64_u64_" + policy_name);
  return true;
}

/// Sums that lie apart from their status, heads that straddle words.
template <class Stream>
bool add_wide_segments_contract() {
  return add_segments_contract<Stream, segment_spans<std::uint64_t>, odd_key, same_odd_key, std::int64_t,
                               segmented_lookback<warp_scans<96>, 3>>("span16_odd_key_96x3");
}

/// Items of which fewer fit a tile.
template <class Stream, class Policy = default_segments_policy>
bool add_large_item_segments_contracts() {
  segments_contract<Stream, segment_maps, std::uint16_t, equal_to, std::int64_t, Policy>::add_sizes("maps64_u16");
#if defined(__SIZEOF_INT128__) && !defined(UPSWEEP_RACE_CHECK)
  __extension__ using wide = __int128;
  segments_contract<Stream, segment_sums<wide>, std::uint64_t, equal_to, std::uint32_t, Policy>::add_sizes("i128_u64");
#endif
  return true;
}

}  // namespace upsweep::test
