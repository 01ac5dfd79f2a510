// Sorts of many streams and host threads at once, in captured graphs, and in workspaces that hold anything.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "contracts/sort_keys_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "scan/lane_of_work.cuh"
#include "support/captured_graph.cuh"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

using word = std::uint32_t;

UPSWEEP_DEVICE word bits_of_hash(std::uint64_t z) {
  z *= 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<word>(z >> 32);
}

/// A value that tells a place, and the place, or none when it is damaged.
UPSWEEP_DEVICE void tell_place(word& value, std::int64_t place) {
  value = static_cast<word>(place);
}
UPSWEEP_DEVICE void tell_place(wide_words& value, std::int64_t place) {
  for (std::uint64_t& w : value.word) w = static_cast<std::uint64_t>(place);
}
UPSWEEP_DEVICE std::int64_t place_of(word value) {
  return value;
}
UPSWEEP_DEVICE std::int64_t place_of(const wide_words& value) {
  for (const std::uint64_t w : value.word) {
    if (w != value.word[0]) return -1;
  }
  return static_cast<std::int64_t>(value.word[0]);
}

/// New keys, as `original` too, and their places as values.
struct refill_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Value>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, word* keys, word* original, Value* values, std::int64_t n,
                                 word bits, std::uint64_t salt) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      keys[i] = original[i] = bits_of_hash(static_cast<std::uint64_t>(i) + (salt << 32)) & bits;
      tell_place(values[i], i);
    }
  }
};

/// Adds to found[0] how many keys, or pairs, do not come after the one before, or are not of the input; to found[1] by
/// how much a hash of all keys sums up to more than that of the originals.
struct check_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Value>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const word* original, const word* keys, const Value* places,
                                 std::int64_t n, unsigned long long* found) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    std::uint64_t wrong = 0, sum = 0;
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      bool right = i == 0 || keys[i - 1] <= keys[i];
      if (places != nullptr) {
        const std::int64_t place = place_of(places[i]);
        right = right && place >= 0 && place < n && original[place] == keys[i];
        if (i > 0 && keys[i - 1] == keys[i]) right = right && place_of(places[i - 1]) < place;
      }
      if (!right) ++wrong;
      sum += std::uint64_t{bits_of_hash(keys[i])} - std::uint64_t{bits_of_hash(original[i])};
    }
    if (wrong > 0) block.atomic_add(found, wrong);
    block.atomic_add(found + 1, sum);
  }
};

/// What the default sort takes for so many keys.
template <std::int64_t N, bool Pairs>
struct by_default {
  using value = word;
  static constexpr std::int64_t most = N;
  static constexpr bool pairs = Pairs;
  static constexpr word bits = 0x71ff7f3fu;
  static std::size_t workspace_bytes() {
    return Pairs ? runtime::sort_pairs_workspace_bytes(N, scalar_type::u32, {})
                 : runtime::sort_keys_workspace_bytes(N, scalar_type::u32, {});
  }
  static status sort(workspace w, word* in, word* out, word* values_in, word* values_out, std::int64_t n,
                     cudaStream_t s) {
    const runtime::stream on{runtime::backend::cuda, s};
    if (!Pairs) return runtime::sort_keys(w, in, out, n, scalar_type::u32, sort_order::ascending, {}, {}, on);
    return runtime::sort_pairs(w, in, out, values_in, values_out, n, scalar_type::u32, sort_order::ascending, {}, {},
                               on);
  }
};

/// Wide values go by the places of their keys.
template <class Value>
struct of_values {
  using value = Value;
  static constexpr std::int64_t most = 300'000;
  static constexpr bool pairs = true;
  static constexpr word bits = 0x71ff7f3fu;
  static std::size_t workspace_bytes() {
    return sort_pairs_workspace_bytes(static_cast<const word*>(nullptr), static_cast<word*>(nullptr),
                                      static_cast<const value*>(nullptr), static_cast<value*>(nullptr), most);
  }
  static status sort(workspace w, word* in, word* out, value* values_in, value* values_out, std::int64_t n,
                     cudaStream_t s) {
    return static_cast<status>(sort_pairs(w, static_cast<const word*>(in), out, static_cast<const value*>(values_in),
                                          values_out, n, sort_order::ascending, {}, s));
  }
};

/// Of 24 bits, an odd number of passes goes over to the other buffer.
template <class Value>
struct between_two_buffers {
  using value = Value;
  static constexpr std::int64_t most = 300'000;
  static constexpr bool pairs = true;
  static constexpr word bits = 0xff7f3fu;
  static std::size_t workspace_bytes() {
    return sort_pairs_workspace_bytes(double_buffer<word>{}, double_buffer<value>{}, most);
  }
  static status sort(workspace w, word* in, word* out, value* values_in, value* values_out, std::int64_t n,
                     cudaStream_t s) {
    double_buffer<word> k{in, out};
    double_buffer<value> v{values_in, values_out};
    const auto answer = static_cast<status>(sort_pairs(w, k, v, n, sort_order::ascending, bit_range{0, 24}, s));
    EXPECT_TRUE(k.current == out && v.current == values_out);
    return answer;
  }
};

template <class Sort>
class sorting_lane : public lane_of_work {
 public:
  /// Of `less` fewer keys than the workspace is for.
  explicit sorting_lane(std::int64_t less)
      : lane_of_work(2),
        n_(Sort::most - less),
        original_(items),
        in_(items),
        out_(items),
        values_in_(items),
        values_out_(items) {
    allocate_workspace(Sort::workspace_bytes());
  }

  /// From now on, fewer keys.
  void shrink(std::int64_t by) { n_ -= by; }
  /// Enqueues new keys, and an output that is none of theirs.
  status refill(std::uint64_t salt) {
    EXPECT_EQ(cudaMemsetAsync(out_.data(), 0xa5, out_.bytes(), stream()), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(values_out_.data(), 0xa5, values_out_.bytes(), stream()), cudaSuccess);
    return cuda_executor(stream()).launch(blocks, refill_kernel{}, in_.data(), original_.data(), values_in_.data(), n_,
                                          Sort::bits, salt);
  }
  /// Enqueues the sort.
  status sort() {
    return Sort::sort(work(), in_.data(), out_.data(), values_in_.data(), values_out_.data(), n_, stream());
  }
  /// Enqueues the comparison.
  status check() {
    return cuda_executor(stream()).launch(
        blocks, check_kernel{}, static_cast<const word*>(original_.data()), static_cast<const word*>(out_.data()),
        static_cast<const value*>(Sort::pairs ? values_out_.data() : nullptr), n_, found());
  }

 private:
  using value = typename Sort::value;
  static constexpr auto items = static_cast<std::size_t>(Sort::most);
  static constexpr int blocks = 1024;

  std::int64_t n_;
  device_array<word> original_, in_, out_;
  device_array<value> values_in_, values_out_;
};

template <class Sort>
class sorts_at_once : public gpu_test {};

// By one block, a cluster, and tiles of every size.
using every_sort =
    testing::Types<by_default<4096, false>, by_default<4096, true>, by_default<60'000, false>, by_default<30'000, true>,
                   by_default<200'000, false>, by_default<200'000, true>, by_default<1'000'000, false>,
                   by_default<1'000'000, true>, by_default<5'000'000, false>, by_default<5'000'000, true>,
                   of_values<wide_words>, between_two_buffers<word>, between_two_buffers<wide_words>>;
TYPED_TEST_SUITE(sorts_at_once, every_sort);

TYPED_TEST(sorts_at_once, of_four_streams_are_right) {
  std::vector<std::unique_ptr<sorting_lane<TypeParam>>> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(std::make_unique<sorting_lane<TypeParam>>(i * 137));
  for (std::uint64_t round = 0; round < 20; ++round) {
    for (auto& lane : lanes) {
      ASSERT_EQ(lane->refill(round), status::success);
      ASSERT_EQ(lane->sort(), status::success);
      ASSERT_EQ(lane->check(), status::success);
    }
  }
  for (auto& lane : lanes) lane->expect_right();
}

TYPED_TEST(sorts_at_once, of_two_host_threads_are_right) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([t] {
      sorting_lane<TypeParam> lane(t);
      for (std::uint64_t round = 0; round < 20; ++round) {
        EXPECT_EQ(lane.refill(round * 2 + static_cast<std::uint64_t>(t)), status::success);
        EXPECT_EQ(lane.sort(), status::success);
        EXPECT_EQ(lane.check(), status::success);
      }
      lane.expect_right();
    });
  }
  for (std::thread& t : threads) t.join();
}

TYPED_TEST(sorts_at_once, of_a_captured_graph_are_right_every_time_it_is_replayed) {
  sorting_lane<TypeParam> lane(3);
  const captured_graph graph(lane.stream(), [&] { return lane.sort(); });
  for (std::uint64_t round = 0; round < 50; ++round) {
    ASSERT_EQ(lane.refill(round), status::success);
    ASSERT_EQ(graph.launch(lane.stream()), cudaSuccess);
    ASSERT_EQ(lane.check(), status::success);
  }
  lane.expect_right();
}

TYPED_TEST(sorts_at_once, of_one_workspace_are_right_whatever_it_holds) {
  sorting_lane<TypeParam> lane(0);
  for (std::uint64_t round = 0; round < 60; ++round) {
    lane.shrink(23);  // what is left of the sort before lies elsewhere
    lane.fill_workspace(round % 4, round);
    ASSERT_EQ(lane.refill(round), status::success);
    ASSERT_EQ(lane.sort(), status::success);
    ASSERT_EQ(lane.check(), status::success);
  }
  lane.expect_right();
}

}  // namespace
}  // namespace upsweep::test
