// What every scan promises, whatever its strategy, block algorithm and tile. Written once; add_scan_contract() adds the
// tests for one item type and operator and a list of policies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/oracle.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {

enum class scan_call { exclusive, inclusive, inclusive_init };
inline constexpr scan_call scan_calls[] = {scan_call::exclusive, scan_call::inclusive, scan_call::inclusive_init};

inline const char* name_of(scan_call call) {
  constexpr const char* names[] = {"exclusive_scan", "inclusive_scan", "inclusive_scan_init"};
  return names[static_cast<int>(call)];
}

/// One policy's public calls, so that the tests need not be compiled for each policy.
template <class Stream, class T, class Op>
struct scan_under_test {
  scan_variant variant;
  std::int64_t tile_items;  // where no tiles are scanned: some number of items
  std::optional<std::int64_t> max_items;
  status (*run)(scan_call, workspace, const T* in, T* out, std::int64_t n, Op, T init, Stream);
  std::size_t (*workspace_bytes)(scan_call, std::int64_t n, Op, T init);

  std::string name() const {
    std::string text(upsweep::name_of(variant.strategy));
    if (!has_tiles(variant.strategy)) return text;
    return text + "_" + std::string(upsweep::name_of(variant.block)) + "_" + std::to_string(variant.block_threads) +
           "x" + std::to_string(variant.items_per_thread);
  }
};

template <class Policy, class Stream, class T, class Op>
scan_under_test<Stream, T, Op> make_scan_under_test() {
  scan_under_test<Stream, T, Op> scan{};
  scan.variant = Policy::variant;
  scan.tile_items = 32;
  if constexpr (has_tiles(Policy::variant.strategy)) scan.tile_items = Policy::template tile_items<T>;
  if constexpr (requires { Policy::max_items; }) scan.max_items = Policy::max_items;
  scan.run = [](scan_call call, workspace w, const T* in, T* out, std::int64_t n, Op op, T init, Stream stream) {
    switch (call) {
      case scan_call::exclusive:
        return static_cast<status>(exclusive_scan<Policy>(w, in, out, n, op, init, stream));
      case scan_call::inclusive:
        return static_cast<status>(inclusive_scan<Policy>(w, in, out, n, op, stream));
      default:
        return static_cast<status>(inclusive_scan_init<Policy>(w, in, out, n, op, init, stream));
    }
  };
  scan.workspace_bytes = [](scan_call call, std::int64_t n, Op op, T init) {
    const T* in = nullptr;
    T* out = nullptr;
    if (call == scan_call::inclusive) return inclusive_scan_workspace_bytes<Policy>(in, out, n, op);
    return exclusive_scan_workspace_bytes<Policy>(in, out, n, op, init);
  };
  return scan;
}

/// The items of a test, and their operator.
template <class T>
struct sum_of {
  using item = T;
  using op_type = plus;
  static std::vector<T> items(std::size_t n) { return random_items<T>(n, n); }
  static T init() { return static_cast<T>(5); }
  template <class Flag>
  static plus op(Flag) {
    return {};
  }
};
struct affine_maps {
  using item = affine;
  using op_type = compose;
  static std::vector<affine> items(std::size_t n) { return random_items<affine>(n, n); }
  static affine init() { return {3, 7}; }
  template <class Flag>
  static compose op(Flag) {
    return {};
  }
};
/// Item i is the span of i + 2 alone, init that of 1. Word decides whether a tile's status and value fit one access.
template <class Word>
struct joined_spans {
  using item = span_of<Word>;
  using op_type = join<Word>;
  static std::vector<item> items(std::size_t n) {
    std::vector<item> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i].first = all[i].last = static_cast<Word>(i + 2);
    return all;
  }
  static item init() { return {1, 1}; }
  static join<Word> op(std::uint32_t* misused) { return {misused}; }
};

/// The item types that every policy is tested with; the others make do with less.
template <class Stream, class Items>
inline constexpr bool every_policy = std::is_same_v<Items, joined_spans<std::uint32_t>> ||
                                     (std::is_same_v<Stream, sim_stream> &&
                                      std::is_same_v<Items, joined_spans<std::uint64_t>>);

template <class Stream, class Items>
class scan_contract {
 public:
  using T = typename Items::item;
  using Op = typename Items::op_type;
  using scan_type = scan_under_test<Stream, T, Op>;
  using device_type = test_device<Stream>;

  static void add(const std::string& type_name, const scan_type& scan) {
    const std::string suite = "scan_contract/" + type_name + "/" + scan.name();
    const auto claim = [&](const char* text, void (scan_contract::*check)()) {
      add_test<Stream>(suite, text, [scan, check](device_type& device) {
        if (scan.variant.strategy == scan_strategy::cluster && !device.has_clusters()) {
          GTEST_SKIP() << "clusters need sm_90";
        }
        scan_contract contract(device, scan);
        (contract.*check)();
      });
    };
    claim("gives_what_a_loop_gives_for_every_size", &scan_contract::every_size);
    claim("scans_in_place", &scan_contract::in_place);
    claim("takes_arrays_and_workspace_at_any_address", &scan_contract::any_address);
    claim("does_not_depend_on_what_the_workspace_holds", &scan_contract::any_workspace_content);
    if (scan.workspace_bytes(scan_call::inclusive, 1, Items::op(nullptr), Items::init()) > 0) {
      claim("refuses_a_workspace_one_byte_too_small", &scan_contract::small_workspace);
    }
    claim("refuses_a_negative_n_and_null_arrays", &scan_contract::bad_arguments);
    claim("touches_nothing_when_n_is_0", &scan_contract::nothing_to_do);
    if (scan.max_items) claim("refuses_more_items_than_it_takes", &scan_contract::too_many_items);
  }

  /// With more blocks in flight than a look-back window has tiles, left and entered at random, so that tiles look back
  /// over several windows without an inclusive sum.
  static void add_crowded(const std::string& type_name, const scan_type& scan) {
    static_assert(std::is_same_v<Stream, sim_stream>);
    for (std::uint64_t round = 0; round < 2; ++round) {
      sim_options options;
      options.order = sim_order::random;
      options.seed = round;
      options.resident_blocks = 150;
      options.print = false;
      const std::string way = "sim_crowded_" + std::to_string(round);
      add_test_on<Stream>({way, options}, "scan_contract/" + type_name + "/" + scan.name(),
                          "looks_back_over_windows_of_partial_sums", [scan](device_type& device) {
                            scan_contract contract(device, scan);
                            const auto n = static_cast<std::size_t>(400 * scan.tile_items + 3);
                            for (const scan_call call : scan_calls) contract.check(call, n);
                          });
    }
  }

 private:
  struct call_options {
    bool in_place = false;
    std::size_t in_offset = 0, out_offset = 0, workspace_offset = 0;
    std::vector<unsigned char> workspace_fill = {};
  };

  scan_contract(device_type& device, const scan_type& scan)
      : device_(device), scan_(scan), misused_(device, std::vector<std::uint32_t>{0}) {}

  Op op() const { return Items::op(misused_.data()); }
  std::size_t workspace_bytes(scan_call call, std::int64_t n) const {
    return scan_.workspace_bytes(call, n, op(), Items::init());
  }
  status run(scan_call call, workspace w, const T* in, T* out, std::int64_t n) const {
    return scan_.run(call, w, in, out, n, op(), Items::init(), device_.stream());
  }
  static std::vector<T> oracle(scan_call call, const std::vector<T>& items) {
    std::uint32_t unused = 0;
    if (call == scan_call::exclusive) return exclusive_oracle<T>(items, Items::op(&unused), Items::init());
    if (call == scan_call::inclusive) return inclusive_oracle<T>(items, Items::op(&unused));
    return inclusive_oracle<T>(items, Items::op(&unused), std::optional<T>(Items::init()));
  }

  /// One call with a workspace of exactly the size asked for, and all that can be checked about it.
  void check(scan_call call, std::size_t n, const call_options& how = {}) {
    SCOPED_TRACE(std::string(name_of(call)) + ", n = " + std::to_string(n));
    const auto count = static_cast<std::int64_t>(n);
    const std::vector<T> items = Items::items(n);
    guarded_array<T, Stream> in(device_, items, how.in_offset);
    std::optional<guarded_array<T, Stream>> separate;
    if (!how.in_place) separate.emplace(device_, n, how.out_offset);
    guarded_array<T, Stream>& out = how.in_place ? in : *separate;
    guarded_array<unsigned char, Stream> work(device_, workspace_bytes(call, count), how.workspace_offset);
    if (!how.workspace_fill.empty()) {
      std::vector<unsigned char> content(work.size());
      for (std::size_t i = 0; i < content.size(); ++i) content[i] = how.workspace_fill[i % how.workspace_fill.size()];
      work.set_bytes(content);
      work.forget();
    }

    ASSERT_EQ(run(call, {work.data(), work.size()}, in.data(), out.data(), count), status::success)
        << device_.message();
    EXPECT_TRUE(same_items(out.items(), oracle(call, items)));
    if (!how.in_place) in.expect_unchanged();
    work.expect_guards();
    EXPECT_EQ(misused_.items()[0], 0u) << "the operator ran on a lane without data, or on values that do not adjoin";
  }

  /// For a schedule that follows the seed leaves `count`, which follow the seed too: over many seeds all meet many
  /// schedules.
  void draw(std::vector<std::size_t>& all, std::size_t count) const {
    if (device_.follows_the_seed()) keep_some(all, count);
  }

  void every_size() {
    const auto tile = static_cast<std::size_t>(scan_.tile_items);
    std::vector<std::size_t> sizes = {0,  1,  2,   31,  32,   33,   63,       64,   65,
                                      96, 97, 127, 129, 1000, 4097, tile - 1, tile, tile + 1};
    sizes.insert(sizes.end(), {2 * tile, 3 * tile + 5});
    if (!is_large()) {
      // Look-back windows of 32 tiles.
      if (!race_check) sizes.push_back(66 * tile);
      sizes.insert(sizes.end(), {32 * tile - 1, 32 * tile, 32 * tile + 1, 33 * tile - 1, 33 * tile, 33 * tile + 1,
                                 34 * tile - 1, 65 * tile - 1, 65 * tile + 1});
    }
    if (tile <= (race_check ? 32 : every_policy<Stream, Items> ? 300 : 100)) {
      for (std::size_t n = 3; n <= 2 * tile + 1; ++n) sizes.push_back(n);
    }
    // Two and three levels of sums.
    if (tile <= 128) sizes.insert(sizes.end(), {tile * tile - 1, tile * tile, tile * tile + 1});
    if (tile == 32) sizes.push_back(tile * tile * tile + 1);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::erase_if(sizes, [this](std::size_t n) { return n > most(); });
    draw(sizes, 12);
    for (const std::size_t n : sizes) {
      for (const scan_call call : scan_calls) check(call, n);
      if (testing::Test::HasFailure()) return;
    }
  }

  /// A tile so large that what depends on how many tiles there are is left to the others, for time's sake.
  bool is_large() const { return scan_.tile_items >= (race_check ? 300 : 1024); }

  /// Items of the longest scan, for time's sake: the quadratic one is slow, and so is everything under the race
  /// checker.
  std::size_t most() const {
    if (scan_.max_items) return race_check ? 150 : 1150;
    return race_check ? (has_tiles(scan_.variant.strategy) ? 50000 : 1150) : std::numeric_limits<std::size_t>::max();
  }

  void in_place() {
    const auto tile = static_cast<std::size_t>(scan_.tile_items);
    for (const std::size_t n : {std::size_t{1}, tile - 1, 3 * tile + 1, 35 * tile + 7}) {
      if (n > most() || (is_large() && n > 4 * tile)) continue;
      for (const scan_call call : scan_calls) check(call, n, {.in_place = true});
    }
  }

  void any_address() {
    const auto tile = static_cast<std::size_t>(scan_.tile_items);
    constexpr std::size_t one = sizeof(T);
    std::vector<std::size_t> offsets;
    for (std::size_t offset = 0; offset <= 16; ++offset) {
      if (!race_check || tile <= 32 || offset <= 3 || offset >= 14) offsets.push_back(offset);
    }
    draw(offsets, 3);
    for (const std::size_t offset : offsets) {
      const call_options apart{
          .in_offset = offset * one, .out_offset = (offset * 7 + 3) % 17 * one, .workspace_offset = offset};
      const call_options together{.in_place = true, .in_offset = offset * one, .workspace_offset = 255 - offset};
      const std::size_t whole = is_large() ? tile : 2 * tile;
      for (const scan_call call : scan_calls) {
        check(call, whole, apart);
        check(call, 2 * whole - 1, apart);
        check(call, whole, together);
        if (testing::Test::HasFailure()) return;
      }
    }
  }

  void any_workspace_content() {
    const auto tile = static_cast<std::size_t>(scan_.tile_items);
    std::vector<unsigned char> noise(997);
    random_source random(7);
    // Small bytes look like the statuses of tiles.
    for (unsigned char& byte : noise) byte = static_cast<unsigned char>(random.below(4));
    for (const auto& fill : {std::vector<unsigned char>{0}, std::vector<unsigned char>{0xff}, {2, 0, 0, 0}, noise}) {
      for (const scan_call call : scan_calls) check(call, 5 * tile + 1, {.workspace_fill = fill});
    }
  }

  void expect_refused(scan_call call, workspace w, bool null_in, bool null_out, std::int64_t n, std::size_t items) {
    guarded_array<T, Stream> in(device_, Items::items(items)), out(device_, items);
    EXPECT_EQ(run(call, w, null_in ? nullptr : in.data(), null_out ? nullptr : out.data(), n), status::invalid_value);
    out.expect_unchanged();
    in.expect_unchanged();
  }

  void small_workspace() {
    const auto n = 3 * static_cast<std::size_t>(scan_.tile_items) + 1;
    for (const scan_call call : scan_calls) {
      for (const std::size_t items : {std::size_t{1}, n}) {
        const std::size_t bytes = workspace_bytes(call, static_cast<std::int64_t>(items));
        ASSERT_GT(bytes, 0u);
        guarded_array<unsigned char, Stream> work(device_, bytes);
        for (const std::size_t too_small : {bytes - 1, std::size_t{0}}) {
          expect_refused(call, {work.data(), too_small}, false, false, static_cast<std::int64_t>(items), items);
        }
        expect_refused(call, {nullptr, bytes}, false, false, static_cast<std::int64_t>(items), items);
        work.expect_unchanged();
      }
    }
  }

  void bad_arguments() {
    for (const scan_call call : scan_calls) {
      guarded_array<unsigned char, Stream> work(device_, workspace_bytes(call, 100));
      const workspace w{work.data(), work.size()};
      expect_refused(call, w, false, false, -1, 100);
      expect_refused(call, w, false, false, std::numeric_limits<std::int64_t>::min(), 100);
      expect_refused(call, w, true, false, 100, 100);
      expect_refused(call, w, false, true, 100, 100);
      work.expect_unchanged();
      EXPECT_EQ(workspace_bytes(call, -1), 0u);
    }
  }

  void too_many_items() {
    for (const scan_call call : scan_calls) {
      guarded_array<unsigned char, Stream> work(device_, 16);
      guarded_array<T, Stream> out(device_, 3);
      EXPECT_EQ(run(call, {work.data(), std::size_t{1} << 40}, out.data(), out.data(), *scan_.max_items + 1),
                status::not_supported);
      out.expect_unchanged();
      work.expect_unchanged();
    }
  }

  void nothing_to_do() {
    for (const scan_call call : scan_calls) {
      guarded_array<T, Stream> out(device_, 3);
      guarded_array<unsigned char, Stream> work(device_, 4096);
      EXPECT_EQ(workspace_bytes(call, 0), 0u);
      EXPECT_EQ(run(call, {work.data(), work.size()}, out.data(), out.data(), 0), status::success);
      EXPECT_EQ(run(call, {}, nullptr, nullptr, 0), status::success);
      out.expect_unchanged();
      work.expect_unchanged();
    }
  }

  device_type& device_;
  const scan_type scan_;
  guarded_array<std::uint32_t, Stream> misused_;
};

/// The policies of the contract. Every strategy with a block for each tile, over tiles of few items, so that there are
/// many, and a large one: the default, for which the race checker has no time.
inline constexpr int large_items = race_check ? 4 : 16;
template <class Small, class Odd, class Large>
using tile_policies = std::tuple<scan_then_propagate<Small, 1>, scan_then_propagate<Odd, 3>,  //
                                 reduce_then_scan<Small, 1>, reduce_then_scan<Odd, 3>,        //
                                 chained_scan<Small, 1>, chained_scan<Odd, 3>,                //
                                 decoupled_lookback<Small, 1>, decoupled_lookback<Odd, 3>,    //
                                 single_block<Small, 1>, single_block<Odd, 3>,                //
                                 cluster<Small, 1>, cluster<Odd, 3, 4>,                       //
                                 scan_then_propagate<Large, large_items>, reduce_then_scan<Large, large_items>,
                                 chained_scan<Large, large_items>, decoupled_lookback<Large, large_items>,
                                 single_block<Large, large_items>, cluster<Large, large_items, 2>>;

/// Strategies that take no block algorithm; rings of many stages and of few, with one scanning warp and several, and
/// the default but for its size.
using policies_without_blocks = std::tuple<naive_quadratic<32>, hillis_steele<32>, blelloch_sweeps<32>,  //
                                           decoupled_lookback_pipelined<32, 1>, decoupled_lookback_pipelined<96, 6>,
                                           decoupled_lookback_pipelined<256, large_items>>;

template <class Stream, class Items, class... Policies>
bool add_scan_contract(const std::string& type_name, std::tuple<Policies...>) {
  using T = typename Items::item;
  using Op = typename Items::op_type;
  (scan_contract<Stream, Items>::add(type_name, make_scan_under_test<Policies, Stream, T, Op>()), ...);
  return true;
}

/// Look-back under a crowd of blocks, for one small tile.
template <class Items>
bool add_crowded_scan_contract(const std::string& type_name) {
  using T = typename Items::item;
  using Op = typename Items::op_type;
  using policy = decoupled_lookback<warp_scans<32>, 1>;
  scan_contract<sim_stream, Items>::add_crowded(type_name, make_scan_under_test<policy, sim_stream, T, Op>());
  return true;
}

/// Each strategy once, but for serial and the default.
template <class Odd, class Large>
using some_policies =
    std::tuple<naive_quadratic<32>, hillis_steele<32>, blelloch_sweeps<32>,        //
               scan_then_propagate<Odd, 3>, reduce_then_scan<Large, large_items>,  //
               chained_scan<Odd, 3>, decoupled_lookback<Large, large_items>,       //
               decoupled_lookback_pipelined<96, 6>, single_block<Large, large_items>, cluster<Odd, 3>>;

template <class Stream, class Items, class... Small, class... Odd, class... Large>
void add_every_block(const std::string& type_name, std::tuple<Small...>, std::tuple<Odd...>, std::tuple<Large...>) {
  (add_scan_contract<Stream, Items>(type_name, tile_policies<Small, Odd, Large>{}), ...);
}

/// Tiles of few and many threads and items.
using extreme_policies = std::tuple<reduce_then_scan<warp_scans<64>, 32>, decoupled_lookback<warp_scans<64>, 32>,
                                    scan_then_propagate<warp_scans<1024>, 2>, decoupled_lookback<warp_scans<1024>, 2>,
                                    single_block<warp_scans<64>, 32>, single_block<warp_scans<1024>, 4>,
                                    cluster<warp_scans<64>, 32>, cluster<warp_scans<1024>, 4, 8>>;

/// The contract over all strategies. Two item types have all policies, status and value in one word, and apart (on the
/// GPU the first of them); the others each strategy once, with blocks of their own, and all of them do with
/// UPSWEEP_FULL_PRODUCT. The contract of blocks is block_contract.hpp, and the table's tests run every block under
/// every strategy with every type (runtime_contract.hpp).
template <class Stream, class Items, class Odd = warp_scans<96>, class Large = warp_scans<256>>
bool add_scan_contracts(const std::string& type_name) {
  constexpr bool on_sim = std::is_same_v<Stream, sim_stream>;
  if constexpr (on_sim) {
    add_scan_contract<Stream, Items>(type_name, std::tuple<serial>{});
    add_crowded_scan_contract<Items>(type_name);
  }
#ifdef UPSWEEP_FULL_PRODUCT
  add_scan_contract<Stream, Items>(type_name, policies_without_blocks{});
  add_every_block<Stream, Items>(type_name, block_algorithms<32>{}, block_algorithms<96>{}, block_algorithms<256>{});
#else
  if constexpr (every_policy<Stream, Items>) {
    add_scan_contract<Stream, Items>(type_name, policies_without_blocks{});
    add_scan_contract<Stream, Items>(type_name, tile_policies<warp_scans<32>, Odd, Large>{});
    if constexpr (!race_check) add_scan_contract<Stream, Items>(type_name, extreme_policies{});
  } else {
    add_scan_contract<Stream, Items>(type_name, some_policies<Odd, Large>{});
  }
#endif
  return true;
}

}  // namespace upsweep::test
