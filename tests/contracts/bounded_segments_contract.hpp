// What scans of segments by begins and ends promise. Written once; add_bounded_segments_contract() adds the tests for
// one type of items and bounds and a policy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/segments_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/segmented_scan_by_bounds.cuh"

namespace upsweep::test {

template <class Stream, class Items, class Offset, class Policy>
class bounded_segments_contract {
 public:
  using T = typename Items::item;
  using device_type = test_device<Stream>;

  static void add(const std::string& name) {
    const auto claim = [&](const char* text, void (bounded_segments_contract::*check)()) {
      add_test<Stream>("bounded_segments_contract/" + name, text, [check](device_type& device) {
        bounded_segments_contract contract(device);
        (contract.*check)();
      });
    };
    claim("gives_what_a_loop_gives_wherever_segments_lie", &bounded_segments_contract::every_segmentation);
    claim("scans_in_place_at_any_address_whatever_the_workspace_holds", &bounded_segments_contract::any_memory);
    claim("takes_what_is_no_segment_as_empty", &bounded_segments_contract::no_segments);
    if (!race_check) {  // for which blocks write the same items
      claim("scans_segments_that_overlap_each_by_itself", &bounded_segments_contract::overlaps);
    }
    claim("reads_counts_in_device_memory", &bounded_segments_contract::device_counts);
    claim("does_nothing_without_items_or_segments", &bounded_segments_contract::nothing_to_do);
    claim("refuses_bad_arguments", &bounded_segments_contract::bad_arguments);
  }

 private:
  static constexpr std::int64_t tile = Policy::template tile_items<T>, spans = Policy::template spans<T>;
  using bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;  // begin and end of each segment

  /// The calls, and an inclusive scan with an init, to other places, as drop_in.cuh asks for it.
  enum class way { exclusive, inclusive, elsewhere };
  struct call_options {
    bool in_place = false;
    std::size_t offset = 0;                    // of arrays and workspace, from an aligned address
    std::optional<unsigned char> filled_with;  // the workspace
  };

  explicit bounded_segments_contract(device_type& device)
      : device_(device), misused_(device, std::vector<std::uint32_t>{0}) {}

  auto op() const { return Items::op(misused_.data()); }
  static bool is_segment(const std::pair<std::int64_t, std::int64_t>& s, std::int64_t n) {
    return 0 <= s.first && s.first < s.second && s.second <= n;
  }

  /// Items of segments; those outside are zero: nothing that a span adjoins.
  static std::vector<T> items_of(const bounds& segments, std::int64_t n) {
    std::vector<T> items(static_cast<std::size_t>(n));
    for (const auto& s : segments) {
      if (!is_segment(s, n)) continue;
      for (std::int64_t i = s.first; i < s.second; ++i)
        items[static_cast<std::size_t>(i)] = Items::item_of(i, i - s.first);
    }
    return items;
  }
  /// Where segments begin elsewhere, in the same order: side by side, or each with a gap of one item after the one
  /// before it.
  static std::vector<std::int64_t> places_elsewhere(const bounds& segments, std::int64_t n, bool side_by_side) {
    std::vector<std::size_t> order(segments.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return segments[a].first < segments[b].first; });
    std::vector<std::int64_t> places(segments.size());
    std::int64_t next = 3;
    for (const std::size_t i : order) {
      places[i] = next;
      if (is_segment(segments[i], n)) next += segments[i].second - segments[i].first + (side_by_side ? 0 : 1);
    }
    return places;
  }
  static std::vector<T> oracle(way how, const bounds& segments, const std::vector<std::int64_t>& places,
                               std::vector<T> out, const std::vector<T>& items) {
    std::uint32_t unused = 0;
    const auto op = Items::op(&unused);
    for (std::size_t number = 0; number < segments.size(); ++number) {
      const auto& s = segments[number];
      if (!is_segment(s, static_cast<std::int64_t>(items.size()))) continue;
      const std::int64_t to_place = (how == way::elsewhere ? places[number] : s.first) - s.first;
      std::optional<T> sum;
      if (how != way::inclusive) sum = Items::init();
      for (std::int64_t i = s.first; i < s.second; ++i) {
        T& to = out[static_cast<std::size_t>(i + to_place)];
        if (how == way::exclusive) to = *sum;
        sum = sum ? op(*sum, items[static_cast<std::size_t>(i)]) : items[static_cast<std::size_t>(i)];
        if (how != way::exclusive) to = *sum;
      }
    }
    return out;
  }

  template <class Segments>
  static std::size_t bytes(std::int64_t n, const Segments& segments) {
    const T* const in = nullptr;
    T* const out = nullptr;
    const Offset* const at = nullptr;
    std::uint32_t unused = 0;
    const std::size_t all = exclusive_scan_segmented_workspace_bytes<Policy>(in, out, at, at, n, segments,
                                                                             Items::op(&unused), Items::init());
    EXPECT_EQ(all, inclusive_scan_segmented_workspace_bytes<Policy>(in, out, at, at, n, segments, Items::op(&unused)));
    return all;
  }
  template <class Count, class Segments>
  status scan(way how, workspace w, const T* in, T* out, const Offset* begins, const Offset* ends, Count n,
              Segments segments, const Offset* elsewhere = nullptr) const {
    if (how == way::exclusive) {
      return static_cast<status>(exclusive_scan_segmented<Policy>(w, in, out, begins, ends, n, segments, op(),
                                                                  Items::init(), device_.stream()));
    }
    if (how == way::inclusive) {
      return static_cast<status>(
          inclusive_scan_segmented<Policy>(w, in, out, begins, ends, n, segments, op(), device_.stream()));
    }
    auto executor = device_.executor();
    return Policy::template run<scan_kind::inclusive, T>(executor, w, in, out, begins, ends, elsewhere, n, segments,
                                                         op(), carry<T>{Items::init(), true});
  }

  /// One call, with a workspace of exactly the size asked for.
  void check(way how, const bounds& segments, std::int64_t n, const call_options& options = {}) {
    SCOPED_TRACE("way " + std::to_string(static_cast<int>(how)) + ", n = " + std::to_string(n) + ", " +
                 std::to_string(segments.size()) + " segments");
    const std::int64_t count = static_cast<std::int64_t>(segments.size());
    const std::vector<std::int64_t> places = places_elsewhere(segments, n, turn_ / 6 % 2 == 0);
    std::vector<Offset> begin, end;
    std::size_t most = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      begin.push_back(static_cast<Offset>(segments[i].first));
      end.push_back(static_cast<Offset>(segments[i].second));
      if (is_segment(segments[i], n)) {
        most = std::max(most, static_cast<std::size_t>(places[i] + segments[i].second - segments[i].first));
      }
    }
    const std::vector<T> items = items_of(segments, n);
    guarded_array<T, Stream> in(device_, items, options.offset * sizeof(T));
    std::optional<guarded_array<T, Stream>> separate;
    if (!options.in_place) separate.emplace(device_, most, options.offset * sizeof(T));
    guarded_array<T, Stream>& out = options.in_place ? in : *separate;
    const std::vector<T> expected = oracle(how, segments, places, out.items(), items);
    guarded_array<Offset, Stream> begins(device_, begin), ends(device_, end),
        elsewhere(device_, std::vector<Offset>(places.begin(), places.end()));
    guarded_array<unsigned char, Stream> work(device_, bytes(n, count), options.offset);
    if (options.filled_with) work.set_bytes(std::vector<unsigned char>(work.size(), *options.filled_with));
    work.forget();
    ASSERT_EQ(scan(how, {work.data(), work.size()}, in.data(), out.data(), begins.data(), ends.data(), n, count,
                   elsewhere.data()),
              status::success)
        << device_.message();
    ASSERT_TRUE(same_items(out.items(), expected));
    if (!options.in_place) in.expect_unchanged();
    begins.expect_unchanged();
    ends.expect_unchanged();
    work.expect_guards();
    ASSERT_EQ(misused_.items()[0], 0u) << "the operator ran on an item outside of its segment, or out of order";
  }
  void check_one(const bounds& segments, std::int64_t n, const call_options& options = {}) {
    const way how = static_cast<way>(turn_++ % 3);
    check(how == way::elsewhere && options.in_place ? way::exclusive : how, segments, n, options);
  }

  /// Segments of random lengths up to `longest`, with gaps of up to `widest` items, every fifth empty; in this order,
  /// or in any. Of n items or somewhat more, which it becomes.
  static bounds random_segments(std::int64_t& n, std::int64_t longest, std::int64_t widest, bool in_order) {
    random_source random(static_cast<std::uint64_t>(n * 31 + longest * 7 + widest));
    const auto below = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
    };
    bounds all;
    std::int64_t at = below(std::min(widest, n - 1));
    while (at < n) {
      if (random.below(5) == 0) all.emplace_back(at, at);
      const std::int64_t length = 1 + below(longest - 1);
      all.emplace_back(at, at + length);
      at += length + below(widest);
    }
    n = at;
    for (std::size_t i = all.size(); !in_order && i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
    return all;
  }

  void every_segmentation() {
    // The last of several tiles a span.
    for (const std::int64_t size : {std::int64_t{1}, tile - 1, tile, tile + 1, 5 * tile, spans * tile - 1, spans * tile,
                                    spans * tile + 1, 3 * spans * tile - 5}) {
      if ((race_check ? 3 * spans * tile - 5 : 40'000) <= size && size != spans * tile + 1) continue;
      for (const std::int64_t longest :
           {std::int64_t{1}, std::int64_t{7}, std::int64_t{70}, tile, 3 * tile, 2 * size}) {
        for (const std::int64_t widest : {std::int64_t{0}, std::int64_t{3}, tile}) {
          std::int64_t n = size;
          const bounds segments = random_segments(n, longest, widest, turn_ % 2 == 0);
          check_one(segments, n);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
      for (int i = 0; i < 3; ++i) check_one({{0, size}}, size);
    }
    bounds mostly_empty(9 * warp_size * warp_size, {5, 5});
    for (std::size_t s = 3; s < mostly_empty.size(); s += 1 + s / 2) {
      mostly_empty[s] = {static_cast<std::int64_t>(10 * s), static_cast<std::int64_t>(10 * s + s % 9)};
    }
    check_one(mostly_empty, 10 * static_cast<std::int64_t>(mostly_empty.size()));
    check_one(bounds(100, {7, 7}), 8);
  }

  void any_memory() {
    constexpr struct {
      bool in_place;
      std::size_t offset;
      unsigned char fill;
    } ways[] = {{false, 1, 0x00}, {true, 1, 0x01}, {true, 3, 0xff}, {true, 16, 0xff}};
    for (const auto& w : ways) {
      for (const std::int64_t longest : {std::int64_t{9}, 2 * tile}) {
        std::int64_t n = (race_check ? 3 : 40) * tile;
        if (tile > 1000) n = 5 * tile;
        const bounds segments = random_segments(n, longest, 4, w.offset != 3);
        for (int i = 0; i < 3; ++i) check_one(segments, n, {w.in_place, w.offset, w.fill});
      }
    }
  }

  void no_segments() {
    const std::int64_t n = 3 * tile, least = std::numeric_limits<Offset>::min(),
                       most = std::numeric_limits<Offset>::max();
    const std::int64_t below = std::is_signed_v<Offset> ? -1 : most;
    const bounds segments{{5, 2},     {below, 10},   {1, n + 1}, {n, n + 1},     {n + 5, n + 9}, {0, n / 3},
                          {least, 0}, {most, least}, {most, 1},  {n / 3 + 2, n}, {n, n},         {below, most}};
    for (int i = 0; i < 3; ++i) check_one(segments, n);
    for (int i = 0; i < 3; ++i) check_one(segments, n, {true, 0, {}});
  }

  void overlaps() {
    std::int64_t n = 4 * tile;
    bounds segments = random_segments(n, tile, 2, true);
    const bounds twice = segments;
    segments.insert(segments.end(), twice.begin(), twice.end());  // which give the same
    for (int i = 0; i < 3; ++i) check_one(segments, n);
    // Any results, but in their places.
    const bounds chaos{{0, n}, {1, n - 1}, {n / 2, n}, {0, n / 2 + 1}};
    guarded_array<T, Stream> out(device_, items_of({}, n));
    guarded_array<Offset, Stream> begins(device_, std::vector<Offset>{0, 1, static_cast<Offset>(n / 2), 0}),
        ends(device_, std::vector<Offset>{static_cast<Offset>(n), static_cast<Offset>(n - 1), static_cast<Offset>(n),
                                          static_cast<Offset>(n / 2 + 1)});
    guarded_array<unsigned char, Stream> work(device_, bytes(n, std::int64_t{4}));
    ASSERT_EQ(
        scan(way::inclusive, {work.data(), work.size()}, out.data(), out.data(), begins.data(), ends.data(), n, 4),
        status::success);
    out.expect_guards();
    work.expect_guards();
  }

  void device_counts() {
    const std::int64_t n = 2 * tile + 5, bound = 6;
    const bounds segments{{0, 5}, {7, tile}, {tile, tile + 1}, {tile + 2, 2 * tile}, {2 * tile, n}, {5, 6}};
    std::vector<Offset> begin, end;
    for (const auto& s : segments) {
      begin.push_back(static_cast<Offset>(s.first));
      end.push_back(static_cast<Offset>(s.second));
    }
    guarded_array<Offset, Stream> begins(device_, begin), ends(device_, end);
    for (const std::int64_t items : {std::int64_t{-1}, std::int64_t{0}, 2 * tile, n + 3}) {
      for (const std::int64_t count : {-7, 0, 3, 6, 9}) {
        bounds those(segments.begin(), segments.begin() + std::clamp<std::int64_t>(count, 0, bound));
        for (auto& s : those) {
          if (s.second > items) s = {0, 0};
        }
        const std::vector<T> from = items_of(segments, n);
        guarded_array<T, Stream> in(device_, from), out(device_, from.size());
        guarded_array<std::int64_t, Stream> counts(device_, std::vector<std::int64_t>{items, count});
        const device_count<std::int64_t> of_items{counts.data(), n}, of_segments{counts.data() + 1, bound};
        guarded_array<unsigned char, Stream> work(device_, bytes(n, of_segments));
        const std::vector<T> expected = oracle(way::exclusive, those, {}, out.items(), from);
        ASSERT_EQ(scan(way::exclusive, {work.data(), work.size()}, in.data(), out.data(), begins.data(), ends.data(),
                       of_items, of_segments),
                  status::success);
        ASSERT_TRUE(same_items(out.items(), expected)) << items << " items, " << count << " segments";
      }
    }
  }

  void nothing_to_do() {
    guarded_array<T, Stream> out(device_, 3);
    guarded_array<unsigned char, Stream> work(device_, 64);
    for (const way how : {way::exclusive, way::inclusive}) {
      EXPECT_EQ(bytes(0, std::int64_t{5}), 0u);
      EXPECT_EQ(bytes(5, std::int64_t{0}), 0u);
      EXPECT_EQ(scan(how, {}, nullptr, nullptr, nullptr, nullptr, 0, 3), status::success);
      EXPECT_EQ(scan(how, {work.data(), work.size()}, out.data(), out.data(), nullptr, nullptr, 3, 0), status::success);
    }
    out.expect_unchanged();
    work.expect_unchanged();
  }

  void bad_arguments() {
    const std::int64_t n = tile + 1;
    const auto count = static_cast<std::size_t>(n);
    const guarded_array<Offset, Stream> bound(device_, std::vector<Offset>{0, static_cast<Offset>(n)});
    guarded_array<T, Stream> in(device_, count), out(device_, count);
    const Offset *const begins = bound.data(), *const ends = begins + 1, *const none = nullptr;
    for (const way how : {way::exclusive, way::inclusive}) {
      const std::size_t need = bytes(n, std::int64_t{1});
      EXPECT_GE(bytes(n, std::int64_t{1000}), need);
      guarded_array<unsigned char, Stream> work(device_, need);
      const workspace w{work.data(), need};
      const auto refuses = [&](workspace with, const T* i, T* o, const Offset* b, const Offset* e, std::int64_t items,
                               std::int64_t segments) {
        EXPECT_EQ(scan(how, with, i, o, b, e, items, segments), status::invalid_value);
      };
      refuses({work.data(), need - 1}, in.data(), out.data(), begins, ends, n, 1);
      refuses({nullptr, need}, in.data(), out.data(), begins, ends, n, 1);
      refuses(w, in.data(), out.data(), begins, ends, -1, 1);
      refuses(w, in.data(), out.data(), begins, ends, n, -1);
      refuses(w, nullptr, out.data(), begins, ends, n, 1);
      refuses(w, in.data(), nullptr, begins, ends, n, 1);
      refuses(w, in.data(), out.data(), none, ends, n, 1);
      refuses(w, in.data(), out.data(), begins, none, n, 1);
      refuses(w, out.data() + 1, out.data(), begins, ends, n - 1, 1);
      refuses(w, in.data(), out.data(), reinterpret_cast<const Offset*>(out.data() + n - 1), ends, n, 1);
      refuses(w, in.data(), out.data(), begins, reinterpret_cast<const Offset*>(out.data()), n, 1);
      EXPECT_EQ(scan(how, w, in.data(), out.data(), begins, ends, device_count<int>{nullptr, n}, 1),
                status::invalid_value);
      EXPECT_EQ(scan(how, w, in.data(), out.data(), begins, ends, n, device_count<int>{nullptr, 1}),
                status::invalid_value);
      work.expect_unchanged();
    }
    in.expect_unchanged();
    out.expect_unchanged();
  }

  device_type& device_;
  guarded_array<std::uint32_t, Stream> misused_;
  int turn_ = 0;
};

template <class Stream, class Items, class Offset, class Policy>
bool add_bounded_segments_contract(const std::string& name) {
  bounded_segments_contract<Stream, Items, Offset, Policy>::add(name);
  return true;
}

}  // namespace upsweep::test
