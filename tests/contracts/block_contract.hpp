// What every block algorithm promises (upsweep/scan/block/block_contract.hpp), and the overloads of block_scan over it.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "contracts/scan_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/race_check.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/block/block_algorithms.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/simt/grid.hpp"

namespace upsweep::test {

/// Block b scans the first valid[b] of one value a thread. The scan is done twice: a barrier between the calls is all
/// that the shared memory needs.
template <class T, class Algorithm>
struct block_algorithm_kernel {
  static constexpr int block_threads = Algorithm::threads;
  using temp_storage = typename Algorithm::template temp_storage<T>;

  template <class Ctx, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const T* in, const int* valid,
                                 block_scan_result<T>* results, Op op) const {
    const int count = valid[block.block_index()];
    const T value = block.thread_rank() < count ? in[block.thread_rank()] : T{};
    Algorithm::scan(block, s, value, op, count);
    block.barrier();
    results[block.block_index() * block_threads + block.thread_rank()] = Algorithm::scan(block, s, value, op, count);
  }
};

/// Every overload of block_scan, in the order of overload_results.
template <class T>
struct overload_results {
  T inclusive, inclusive_with_aggregate, aggregate, exclusive, exclusive_with_aggregate, exclusive_aggregate;
};

template <class T, class Algorithm>
struct block_overloads_kernel {
  static constexpr int block_threads = Algorithm::threads;
  using scan = block_scan<T, Algorithm>;
  using temp_storage = typename scan::temp_storage;

  template <class Ctx, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const T* in, T init, overload_results<T>* results,
                                 Op op) const {
    const T value = in[block.thread_rank()];
    overload_results<T> r;
    r.inclusive = scan::inclusive_scan(block, s, value, op);
    block.barrier();
    r.inclusive_with_aggregate = scan::inclusive_scan(block, s, value, op, r.aggregate);
    block.barrier();
    r.exclusive = scan::exclusive_scan(block, s, value, init, op);
    block.barrier();
    r.exclusive_with_aggregate = scan::exclusive_scan(block, s, value, init, op, r.exclusive_aggregate);
    results[block.thread_rank()] = r;
  }
};

/// Block b scans the first valid[b] of Items items a thread, with init, which is absent when valid[b] is odd.
template <class T, class Algorithm, scan_kind Kind, int Items>
struct block_items_kernel {
  static constexpr int block_threads = Algorithm::threads;
  using scan = block_scan<T, Algorithm>;
  using temp_storage = typename scan::temp_storage;

  template <class Ctx, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const T* in, const int* valid, T init, T* out,
                                 Op op) const {
    const int count = valid[block.block_index()];
    const int first = block.thread_rank() * Items;
    T item[Items];
    for (int i = 0; i < Items; ++i) item[i] = first + i < count ? in[first + i] : T{};
    const carry<T> before{init, count % 2 == 0};
    if (count == block_threads * Items) {
      scan::template scan_items<Kind, true>(block, s, item, count, op, [&](const T&) { return before; });
    } else {
      scan::template scan_items<Kind, false>(block, s, item, count, op, [&](const T&) { return before; });
    }
    for (int i = 0; i < Items; ++i)
      out[(block.block_index() * block_threads + block.thread_rank()) * Items + i] = item[i];
  }
};

#if defined(UPSWEEP_FULL_PRODUCT)
inline constexpr bool full_product = true;
#else
inline constexpr bool full_product = false;
#endif

/// Whether the tests run block_scan over blocks of so many threads. It touches no shared memory and adds nothing that
/// depends on their number, so that one size is enough; the strategies' contract runs it with others.
constexpr bool covers_block_scan(int threads) {
  return full_product || threads == 96;
}

/// The counts from 1 to `limit`; when they are more than `all`, those at both ends, next to powers of two, and some
/// between.
inline std::vector<int> counts_up_to(int limit, int all) {
  const int ends = race_check ? 3 : 20, step = limit / (race_check ? 8 : 24) + 1;
  std::vector<int> counts;
  for (int v = 1; v <= limit; ++v) {
    const auto word = static_cast<unsigned>(v);
    const bool near_power = std::has_single_bit(word - 1) || std::has_single_bit(word) || std::has_single_bit(word + 1);
    if (limit <= all || v <= ends || v > limit - ends || near_power || v % step == 0) counts.push_back(v);
  }
  return counts;
}

template <class Stream, class Items, class Algorithm>
class block_contract {
 public:
  using T = typename Items::item;
  using device_type = test_device<Stream>;
  static constexpr int threads = Algorithm::threads;
  static constexpr auto width = static_cast<std::size_t>(threads);

  static void add(const std::string& type_name) {
    const std::string suite =
        "block_contract/" + type_name + "/" + std::string(name_of(Algorithm::name)) + "_" + std::to_string(threads);
    add_test<Stream>(suite, "gives_what_a_loop_gives_for_every_valid_count", every_valid_count);
    if constexpr (covers_block_scan(threads)) {
      add_test<Stream>(suite, "has_overloads_that_agree", overloads);
      add_test<Stream>(suite, "scans_several_items_a_thread_behind_a_carry", several_items);
    }
  }

 private:
  static void every_valid_count(device_type& device) {
    const std::vector<int> valid = counts_up_to(threads, race_check ? 100 : 300);
    const std::vector<T> items = Items::items(width);
    guarded_array<T, Stream> in(device, items);
    guarded_array<int, Stream> counts(device, valid);
    guarded_array<block_scan_result<T>, Stream> out(device, valid.size() * width);
    guarded_array<std::uint32_t, Stream> misused(device, std::vector<std::uint32_t>{0});
    ASSERT_EQ(device.executor().launch(static_cast<std::int64_t>(valid.size()), block_algorithm_kernel<T, Algorithm>{},
                                       static_cast<const T*>(in.data()), static_cast<const int*>(counts.data()),
                                       out.data(), Items::op(misused.data())),
              status::success)
        << device.message();

    const std::vector<block_scan_result<T>> results = out.items();
    std::uint32_t unused = 0;
    const std::vector<T> expected = inclusive_oracle<T>(items, Items::op(&unused));
    for (std::size_t b = 0; b < valid.size(); ++b) {
      const auto count = static_cast<std::size_t>(valid[b]);
      SCOPED_TRACE("valid = " + std::to_string(count));
      for (std::size_t t = 0; t < width; ++t) {
        const block_scan_result<T>& r = results[b * width + t];
        ASSERT_EQ(r.aggregate, expected[count - 1]) << "thread " << t;
        if (t >= count) continue;
        ASSERT_EQ(r.inclusive, expected[t]) << "thread " << t;
        if (t > 0) {
          ASSERT_EQ(r.exclusive, expected[t - 1]) << "thread " << t;
        }
      }
    }
    EXPECT_EQ(misused.items()[0], 0u) << "the operator ran on a value that does not count, or not on neighbours";
  }

  static void overloads(device_type& device) {
    const std::vector<T> items = Items::items(width);
    guarded_array<T, Stream> in(device, items);
    guarded_array<overload_results<T>, Stream> out(device, width);
    guarded_array<std::uint32_t, Stream> misused(device, std::vector<std::uint32_t>{0});
    ASSERT_EQ(device.executor().launch(1, block_overloads_kernel<T, Algorithm>{}, static_cast<const T*>(in.data()),
                                       Items::init(), out.data(), Items::op(misused.data())),
              status::success)
        << device.message();
    const auto results = out.items();
    std::uint32_t unused = 0;
    const auto inclusive = inclusive_oracle<T>(items, Items::op(&unused));
    const auto exclusive = exclusive_oracle<T>(items, Items::op(&unused), Items::init());
    for (std::size_t t = 0; t < width; ++t) {
      SCOPED_TRACE("thread " + std::to_string(t));
      ASSERT_EQ(results[t].inclusive, inclusive[t]);
      ASSERT_EQ(results[t].inclusive_with_aggregate, inclusive[t]);
      ASSERT_EQ(results[t].aggregate, inclusive.back());
      ASSERT_EQ(results[t].exclusive, exclusive[t]);
      ASSERT_EQ(results[t].exclusive_with_aggregate, exclusive[t]);
      ASSERT_EQ(results[t].exclusive_aggregate, inclusive.back());
    }
    EXPECT_EQ(misused.items()[0], 0u);
  }

  static void several_items(device_type& device) {
    scan_items<scan_kind::exclusive>(device);
    scan_items<scan_kind::inclusive>(device);
  }
  template <scan_kind Kind>
  static void scan_items(device_type& device) {
    constexpr int per_thread = 3;
    constexpr std::size_t tile = width * per_thread;
    const std::vector<int> valid = counts_up_to(static_cast<int>(tile), 100);
    const std::vector<T> items = Items::items(tile);
    guarded_array<T, Stream> in(device, items);
    guarded_array<int, Stream> counts(device, valid);
    guarded_array<T, Stream> out(device, valid.size() * tile);
    guarded_array<std::uint32_t, Stream> misused(device, std::vector<std::uint32_t>{0});
    ASSERT_EQ(device.executor().launch(static_cast<std::int64_t>(valid.size()),
                                       block_items_kernel<T, Algorithm, Kind, per_thread>{},
                                       static_cast<const T*>(in.data()), static_cast<const int*>(counts.data()),
                                       Items::init(), out.data(), Items::op(misused.data())),
              status::success)
        << device.message();

    const std::vector<T> results = out.items();
    std::uint32_t unused = 0;
    const auto op = Items::op(&unused);
    const auto alone = inclusive_oracle<T>(items, op);
    const auto behind_init = inclusive_oracle<T>(items, op, std::optional<T>(Items::init()));
    for (std::size_t b = 0; b < valid.size(); ++b) {
      const auto& prefix = valid[b] % 2 == 0 ? behind_init : alone;
      for (std::size_t i = 0; i < static_cast<std::size_t>(valid[b]); ++i) {
        T expected = prefix[i];
        if (Kind == scan_kind::exclusive) {
          expected = i > 0 ? prefix[i - 1] : valid[b] % 2 == 0 ? Items::init() : items[0];
        }
        ASSERT_EQ(results[b * tile + i], expected) << "item " << i << " of " << valid[b];
      }
    }
    EXPECT_EQ(misused.items()[0], 0u) << "the operator ran on a value that does not count, or not on neighbours";
  }
};

template <class Stream, class Items, class... Algorithms>
void add_block_contract(const std::string& type_name, std::tuple<Algorithms...>) {
  (block_contract<Stream, Items, Algorithms>::add(type_name), ...);
}

template <int... Threads>
struct block_sizes {};
using all_block_sizes = block_sizes<32, 96, 256, 1024>;

/// The contract over all block algorithms, with blocks of each size.
template <class Stream, class Items, int... Threads>
bool add_block_contracts(const std::string& type_name, block_sizes<Threads...>) {
  (add_block_contract<Stream, Items>(type_name, block_algorithms<Threads>{}), ...);
  return true;
}

}  // namespace upsweep::test
