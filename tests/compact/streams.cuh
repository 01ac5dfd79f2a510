// Compactions of many streams and host threads at once, by calls and in captured graphs, in workspaces that hold
// anything. A part of forms_large_test.cu.
#pragma once

#include <thrust/device_ptr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "scan/lane_of_work.cuh"
#include "support/captured_graph.cuh"
#include "support/iterators.hpp"
#include "upsweep/compact/drop_in.cuh"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"

namespace upsweep::test {
namespace {

/// The items of a round: number i has its place above its low 10 bits, and below them what decides. Rounds differ in
/// that, in how long it stays the same, and in how many is_not_seven rejects, by turns: 1 in 32, 1 in 4 and all but 1
/// in 32.
struct stream_items {
  static constexpr int low_bits = 10;  // so there are up to 2^22 items
  std::uint32_t round;

  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const {
    constexpr std::int64_t run[] = {1, 3, 50, 5000};
    const auto of = static_cast<std::uint64_t>(i / run[round / 3 % 4]) << 32 | round;
    std::uint64_t z = of * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    auto low = static_cast<std::uint32_t>(z >> 33) % (1u << low_bits);
    if (round % 3 == 1 && z >> 62 == 0) low = 7;
    if (round % 3 == 2 && (low & 31) != 9) low = low / 32 * 32 + 7;
    return static_cast<std::uint32_t>(i) << low_bits | low;
  }
  UPSWEEP_HOST_DEVICE static std::int64_t place(std::uint32_t item) { return item >> low_bits; }
};
struct same_low_bits {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return ((a ^ b) & 1023) == 0; }
};
struct low_bits_by_five {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::uint32_t x) const { return x % 1024 % 5; }
};

// Whether item i belongs in part p of what comes out.
struct in_part_of_partition {
  UPSWEEP_HOST_DEVICE bool operator()(const stream_items& items, std::int64_t i, int p) const {
    return is_not_seven{}(items(i)) == (p == 0);
  }
};
struct in_part_of_unique {
  UPSWEEP_HOST_DEVICE bool operator()(const stream_items& items, std::int64_t i, int) const {
    return i == 0 || !same_low_bits{}(items(i - 1), items(i));
  }
};
struct in_part_of_split {
  UPSWEEP_HOST_DEVICE bool operator()(const stream_items& items, std::int64_t i, int p) const {
    return low_bits_by_five{}(items(i)) == static_cast<std::uint32_t>(p);
  }
};

/// Counts what is wrong with part p, which has ends[p + 1] - ends[p] items and shall have those of the round's n that
/// belong in it, in order: each says where it was, so that it is compared with that item, and nothing that belongs may
/// lie between one and the next. `at_ends`: parts lie one after another in `out`.
struct check_part_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class Belongs>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint32_t* out, bool at_ends,
                                 const std::int64_t* ends, int p, std::int64_t n, stream_items items, Belongs belongs,
                                 unsigned long long* wrong) const {
    const std::int64_t begin = ends[p], count = ends[p + 1] - begin;
    unsigned long long mine = ends[0] != 0 || begin < 0 || count < 0 || begin + count > n;
    if (mine == 0) {
      const std::uint32_t* const got = out + (at_ends ? begin : 0);
      const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
      for (std::int64_t k = first - 1; k < count; k += block.num_blocks() * block_threads) {
        const std::int64_t from = k < 0 ? -1 : items.place(got[k]), to = k + 1 < count ? items.place(got[k + 1]) : n;
        bool is_wrong = from >= to || to > n || (k >= 0 && (got[k] != items(from) || !belongs(items, from, p)));
        for (std::int64_t i = from + 1; i < to && !is_wrong; ++i) is_wrong = belongs(items, i, p);
        mine += is_wrong;
      }
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

/// The same of part 0 where its items have any order: no item is there that does not belong, and numbers made of the
/// places that shall be there add up to those of the places that are.
struct check_any_order_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class Belongs>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint32_t* out, const std::int64_t* ends,
                                 std::int64_t n, stream_items items, Belongs belongs, unsigned long long* wrong) const {
    const std::int64_t count = ends[1];
    unsigned long long mine = count < 0 || count > n;
    if (mine == 0) {
      const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
      for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
        if (belongs(items, i, 0)) mine -= number_of(i);
        if (i >= count) continue;
        const std::int64_t from = items.place(out[i]);
        mine += from < n && out[i] == items(from) && belongs(items, from, 0) ? number_of(from) : 1;
      }
    }
    if (mine != 0) block.atomic_add(wrong, mine);
  }

 private:
  static UPSWEEP_DEVICE unsigned long long number_of(std::int64_t place) {
    const unsigned long long z = static_cast<unsigned long long>(place + 1) * 0x9e3779b97f4a7c15u;
    return (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
  }
};

struct stream_memory {
  std::uint32_t *in, *out, *rejected;
  std::int64_t* ends;  // of the parts, of which the first one is 0 and the third one n before a call
};

template <bool InPlace, class Policy = default_compact_policy>
struct selects {
  static constexpr bool at_ends = false;
  static constexpr int parts = 1;
  static std::uint32_t* out(const stream_memory& m) { return InPlace ? m.in : m.out; }
  static std::size_t workspace_bytes(const stream_memory& m, std::int64_t n) {
    return select_if_workspace_bytes<Policy>(m.in, out(m), m.ends + 1, n, is_not_seven{});
  }
  static cudaError_t call(workspace w, const stream_memory& m, std::int64_t n, cudaStream_t s) {
    return select_if<Policy>(w, static_cast<const std::uint32_t*>(m.in), out(m), m.ends + 1, n, is_not_seven{}, s);
  }
  static const std::uint32_t* part(const stream_memory& m, int) { return out(m); }
  static constexpr in_part_of_partition belongs{};
};
struct fills_holes : selects<true, hole_filling<>> {
  static constexpr bool any_order = true;
};
struct selects_by_iterator : selects<false> {
  static std::size_t workspace_bytes(const stream_memory& m, std::int64_t n) {
    const array_iterator<std::uint32_t> in{m.in};
    return select_if_workspace_bytes(in, m.out, m.ends + 1, n, is_not_seven{});
  }
  static cudaError_t call(workspace w, const stream_memory& m, std::int64_t n, cudaStream_t s) {
    const array_iterator<std::uint32_t> in{m.in};
    return select_if(w, in, m.out, m.ends + 1, n, is_not_seven{}, s);
  }
};
/// By an iterator, so that kept items go by way of the storage.
struct drop_in_selects_in_place : selects<true> {
  static std::size_t workspace_bytes(const stream_memory& m, std::int64_t n) {
    std::size_t bytes = 0;
    EXPECT_EQ(call_in(nullptr, bytes, m, n, nullptr), cudaSuccess);
    return bytes;
  }
  static cudaError_t call(workspace w, const stream_memory& m, std::int64_t n, cudaStream_t s) {
    return call_in(w.data, w.bytes, m, n, s);
  }

 private:
  static cudaError_t call_in(void* storage, std::size_t& bytes, const stream_memory& m, std::int64_t n,
                             cudaStream_t s) {
    return drop_in::DeviceSelect::If(storage, bytes, thrust::device_pointer_cast(m.in), m.ends + 1, n, is_not_seven{},
                                     s);
  }
};
struct parts_apart {
  static constexpr bool at_ends = false;
  static constexpr int parts = 2;
  static std::size_t workspace_bytes(const stream_memory& m, std::int64_t n) {
    const vote_if<std::uint32_t, is_not_seven> vote{m.in, {}};
    return partition_workspace_bytes(m.in, m.out, m.rejected, m.ends + 1, n, vote);
  }
  static cudaError_t call(workspace w, const stream_memory& m, std::int64_t n, cudaStream_t s) {
    const vote_if<std::uint32_t, is_not_seven> vote{m.in, {}};
    return partition(w, static_cast<const std::uint32_t*>(m.in), m.out, m.rejected, m.ends + 1, n, vote,
                     rejected_order::after, s);
  }
  static const std::uint32_t* part(const stream_memory& m, int p) { return p == 0 ? m.out : m.rejected; }
  static constexpr in_part_of_partition belongs{};
};
struct keeps_heads {
  static constexpr bool at_ends = false;
  static constexpr int parts = 1;
  static std::size_t workspace_bytes(const stream_memory& m, std::int64_t n) {
    return unique_workspace_bytes(m.in, m.out, m.ends + 1, n, same_low_bits{});
  }
  static cudaError_t call(workspace w, const stream_memory& m, std::int64_t n, cudaStream_t s) {
    return unique(w, static_cast<const std::uint32_t*>(m.in), m.out, m.ends + 1, n, same_low_bits{}, s);
  }
  static const std::uint32_t* part(const stream_memory& m, int) { return m.out; }
  static constexpr in_part_of_unique belongs{};
};
struct splits {
  static constexpr bool at_ends = true;
  static constexpr int parts = 5;
  static std::size_t workspace_bytes(const stream_memory& m, std::int64_t n) {
    return split_workspace_bytes(m.in, m.out, m.ends, n, parts, low_bits_by_five{});
  }
  static cudaError_t call(workspace w, const stream_memory& m, std::int64_t n, cudaStream_t s) {
    return split(w, static_cast<const std::uint32_t*>(m.in), m.out, m.ends, n, parts, low_bits_by_five{}, s);
  }
  static const std::uint32_t* part(const stream_memory& m, int) { return m.out; }
  static constexpr in_part_of_split belongs{};
};

template <class Form>
class compacting_lane : public lane_of_work {
 public:
  /// `offset`: of the items, from an aligned address.
  compacting_lane(std::int64_t n, std::size_t offset)
      : n_(n),
        in_(items() + offset),
        out_(items()),
        rejected_(items()),
        ends_(ends),
        memory_{in_.data() + offset, out_.data(), rejected_.data(), ends_.data()} {
    EXPECT_TRUE(in_.ok() && out_.ok() && rejected_.ok() && ends_.ok());
    allocate_workspace(Form::workspace_bytes(memory_, n));
  }

  /// From now on calls are those of a graph.
  void capture() {
    graph_.emplace(stream(), [this] { return call(); });
  }

  /// Enqueues a round: its items, what the workspace holds, the compaction, and what is wrong with it.
  void enqueue(std::uint32_t round) {
    const stream_items items{round};
    const std::int64_t before[ends] = {0, -1, n_, -1, -1, -1};
    ASSERT_EQ(cudaMemcpyAsync(ends_.data(), before, sizeof before, cudaMemcpyHostToDevice, stream()), cudaSuccess);
    ASSERT_EQ(cuda_executor(stream()).launch(512, write_kernel{}, memory_.in, n_, items), status::success);
    fill_workspace(round % 5, round);
    ASSERT_EQ(graph_ ? graph_->launch(stream()) : call(), cudaSuccess);
    const auto check = [&](auto kernel, auto... arguments) {
      ASSERT_EQ(cuda_executor(stream()).launch(512, kernel, arguments..., n_, items, Form::belongs, found()),
                status::success);
    };
    const auto* const got_ends = static_cast<const std::int64_t*>(memory_.ends);
    if constexpr (requires { Form::any_order; }) {
      check(check_any_order_kernel{}, Form::part(memory_, 0), got_ends);
    } else {
      for (int p = 0; p < Form::parts; ++p) {
        check(check_part_kernel{}, Form::part(memory_, p), Form::at_ends, got_ends, p);
      }
    }
  }

 private:
  static constexpr std::size_t ends = 6;

  std::size_t items() const { return static_cast<std::size_t>(n_); }
  cudaError_t call() { return Form::call(work(), memory_, n_, stream()); }

  std::int64_t n_;
  device_array<std::uint32_t> in_, out_, rejected_;
  device_array<std::int64_t> ends_;
  stream_memory memory_;
  std::optional<captured_graph> graph_;
};

template <class Form>
class compactions_at_once : public gpu_test {};
using every_form =
    testing::Types<selects<false>, selects<true>, selects<false, vote_scan_compact<default_scan_policy>>, fills_holes,
                   selects_by_iterator, drop_in_selects_in_place, parts_apart, keeps_heads, splits>;
TYPED_TEST_SUITE(compactions_at_once, every_form);

/// By one block, a cluster, two launches and the ring.
TYPED_TEST(compactions_at_once, of_streams_and_host_threads_are_right_by_calls_and_in_graphs) {
  for (const int log2 : {12, 15, 18, 20, 22}) {
    const auto work = [log2](int thread) {
      SCOPED_TRACE(log2);
      std::vector<std::unique_ptr<compacting_lane<TypeParam>>> lanes;
      for (int i = 0; i < 4; ++i) {
        const std::int64_t n = (std::int64_t{1} << log2) - 77 * (i + 4 * thread);
        lanes.push_back(std::make_unique<compacting_lane<TypeParam>>(n, static_cast<std::size_t>(i)));
      }
      for (std::uint32_t round = 0; round < 36; ++round) {
        for (auto& lane : lanes) {
          if (round == 2) lane->capture();
          lane->enqueue(round);
        }
      }
      for (auto& lane : lanes) lane->expect_right();
    };
    std::thread other(work, 1);
    work(0);
    other.join();
  }
}

}  // namespace
}  // namespace upsweep::test
