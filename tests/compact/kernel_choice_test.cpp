// Which kernels a compaction of one array runs, for every rule of kernel_choice.hpp; none of them runs here.
#include "upsweep/compact/kernel_choice.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <utility>

#include "upsweep/compact/device/pipelined_compact.cuh"
#include "upsweep/compact/votes.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

void PrintTo(array_kernels k, std::ostream* to) {
  *to << "kernels " << static_cast<int>(k);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::test {
namespace {

using enum detail::array_kernels;
using detail::array_call;
using detail::array_kernels;
using detail::array_types;
using detail::kernel_limits;
using detail::staged_votes;
using detail::vote_source;

constexpr std::uintptr_t in = 0x10000000, out = 0x20000000, rejected = 0x30000000, flags = 0x40000000;
constexpr std::int64_t many = 1 << 24;

constexpr array_types by_value(std::size_t bytes, std::size_t alignment = 4) {
  return {bytes, alignment, vote_source::items, bytes};
}
constexpr array_types by_flags(std::size_t bytes, std::size_t flag_bytes = 1, std::size_t alignment = 4) {
  return {bytes, alignment, vote_source::stencil, flag_bytes};
}
constexpr array_types by_index(std::size_t bytes) {
  return {bytes, bytes % 4 == 0 ? std::size_t{4} : 1};
}
constexpr array_types parted(array_types types) {
  types.rejects = true;
  return types;
}
constexpr array_call of(std::int64_t n, std::uintptr_t stencil = in, std::uintptr_t to = out) {
  return {n, in, to, 0, stencil};
}
constexpr array_call in_place(std::int64_t n) {
  return of(n, in, in);
}
constexpr array_call into_two(std::int64_t n, std::uintptr_t to = out) {
  return {n, in, to, rejected, in};
}
constexpr array_call into_one(std::int64_t n, rejected_order order, std::uintptr_t to = out) {
  return {n, in, to, 0, in, order};
}
constexpr array_call listing_indices(std::int64_t n) {
  array_call call = of(n);
  call.wants_indices = true;
  return call;
}

struct row {
  const char* what;
  array_types types;
  array_call call;
  array_kernels expected;
  kernel_limits limits = {};
};

constexpr kernel_limits without_ring{.runs_ring = false}, clusters_of_8{.cluster_blocks = 8},
    without_clusters{.cluster_blocks = 1};

const row rows[] = {
    {"one block has 512 threads, of 16 bytes each", by_value(4), of(2048), one_block},
    {"a cluster has up to 16 blocks, of 256 threads", by_value(4), of(2049), cluster},
    {"a cluster has up to 16 blocks, of 256 threads", by_value(4), of(16 * 1024), cluster},
    {"then of 1024", by_value(4), of(16 * 1024 + 1), wide_cluster},
    {"then of 1024", by_value(4), of(16 * 4096), wide_cluster},
    {"two launches take up to 4 MiB", by_value(4), of(16 * 4096 + 1), two_launches},
    {"two launches take up to 4 MiB", by_value(4), of(1 << 20), two_launches},
    {"two launches take up to 4 MiB", by_value(4), of((1 << 20) + 1), ring},
    {"two launches would write over what is yet to be read", by_value(4), in_place(16 * 4096 + 1), look_back},
    {"the ring begins at 1 MiB", by_value(4), in_place((1 << 18) - 1), look_back},
    {"the ring begins at 1 MiB", by_value(4), in_place(1 << 18), ring},
    {"blocks of wide items have 512 threads", by_value(20), of(16 * 512), wide_cluster},
    {"blocks of wide items have 512 threads", by_value(20), of(16 * 512 + 1), two_launches},

    {"few items go by any vote", by_index(4), of(1 << 20), two_launches},
    {"many go through the ring by a stencil", by_flags(4), of(many, flags), ring},
    {"by any other vote they leave by lists", by_index(4), of(many), tiles},
    {"but for those in place", by_index(4), in_place(many), look_back},
    {"for indices", by_index(4), listing_indices(many), look_back},
    {"and where the others go somewhere too", parted(by_index(4)), into_two(many), look_back},
    {"not by a stencil that is wider", by_flags(4, 8), of(many, flags), look_back},
    {"one as wide", by_flags(4, 4), of(many, flags), ring},
    {"one of 8 bytes, but in a partition", by_flags(8, 8), of(many, flags), ring},
    {"one of 8 bytes, but in a partition", parted(by_flags(8, 8)), {many, in, out, rejected, flags}, look_back},
    {"one of 8 bytes, but in a partition", parted(by_flags(8)), {many, in, out, rejected, flags}, ring},
    {"not by another array of the items' type", by_value(8), of(many, flags), look_back},
    {"not of items below 4 bytes", by_value(2, 2), of(many), look_back},
    {"of 3 bytes, which are not a word, they leave by lists", by_value(3, 1), of(many), tiles},
    {"not of more than 128", by_value(128), of(many), ring},
    {"not of more than 128", by_value(132), of(many), tiles},
    {"items above 64 bytes are too wide for registers", by_value(68), of(100), tiles},
    {"items above 64 bytes are too wide for registers", by_value(68), of(many), ring},
    {"indices are put by registers", by_value(4), listing_indices(1 << 20), two_launches},
    {"the ring has no indices", by_value(4), listing_indices(many), look_back},

    {"an item has to lie at a multiple of 16", by_value(16), {many, in + 4, out, 0, in + 4}, look_back},
    {"any of the first", by_value(12), {many, in + 4, out, 0, in + 4}, ring},
    {"together with its flag", by_flags(4), {many, in + 4, out, 0, flags + 13}, ring},
    {"together with its flag", by_flags(4), {many, in + 4, out, 0, flags + 12}, look_back},
    {"the ring writes the widest words", by_value(8), of(many, in, out + 4), look_back},
    {"of rejected items too", parted(by_value(8)), {many, in, out, rejected + 4, in}, look_back},
    {"where a type may not lie, items go by bytes", by_flags(4), {100, in + 2, out, 0, flags}, look_back},
    {"where a type may not lie, items go by bytes", by_flags(4), {100, in, out + 1, 0, flags}, look_back},
    {"where a type may not lie, items go by bytes", parted(by_flags(4)), {100, in, out, rejected + 2}, look_back},

    {"few are parted up to 2 MiB", parted(by_value(4)), into_two(2048), one_block},
    {"few are parted up to 2 MiB", parted(by_value(4)), into_two(1 << 19), two_launches},
    {"few are parted up to 2 MiB", parted(by_value(4)), into_two((1 << 19) + 1), ring},
    {"into the input and another array", parted(by_value(4)), into_two(many, in), ring},
    {"one output has both ends", parted(by_value(4)), into_one(2048, rejected_order::backwards), one_block},
    {"one output has both ends", parted(by_value(4)), into_one(many, rejected_order::backwards), ring},
    {"in place others are yet to be read", parted(by_value(4)), into_one(2048, rejected_order::backwards, in),
     look_back},
    {"no place is known before all have voted", parted(by_value(4)), into_one(2048, rejected_order::after), look_back},
    {"rejected items go nowhere", parted(by_value(4)), into_one(2048, rejected_order::apart), look_back},

    {"a GPU takes smaller clusters", by_value(4), of(9 * 1024), wide_cluster, clusters_of_8},
    {"a GPU takes smaller clusters", by_value(4), of(9 * 4096), two_launches, clusters_of_8},
    {"a GPU takes none", by_value(4), of(2049), two_launches, without_clusters},
    {"a GPU takes none", by_value(4), in_place(2049), look_back, without_clusters},
    {"a GPU cannot run the ring", by_value(4), of(many), look_back, without_ring},
    {"a GPU cannot run the ring", by_value(128), of(many), tiles, without_ring},
};

TEST(kernel_choice, is_as_the_table_says) {
  for (const row& r : rows) EXPECT_EQ(choose(r.types, r.call, r.limits), r.expected) << r.what << ", n = " << r.call.n;
}

/// Of all sizes, as many KiB as whole items of 16 blocks take.
TEST(kernel_choice, of_a_cluster_goes_by_the_size_of_an_item) {
  for (const auto& [bytes, kib] : {std::pair{1, 64},
                                   {2, 128},
                                   {3, 192},
                                   {4, 256},
                                   {8, 256},
                                   {12, 192},
                                   {16, 256},
                                   {20, 160},
                                   {24, 192},
                                   {28, 224},
                                   {64, 512}}) {
    const std::int64_t most = kib * 1024 / bytes;
    const array_types types = by_index(static_cast<std::size_t>(bytes));
    EXPECT_EQ(choose(types, of(most), {}), wide_cluster) << bytes;
    EXPECT_EQ(choose(types, of(most + 1), {}), two_launches) << bytes;
  }
}

TEST(kernel_choice, goes_on_without_what_the_device_refuses) {
  for (const auto& [n, expected] : {std::pair{2049, two_launches}, {9 * 1024, two_launches}, {1 << 22, look_back}}) {
    for (const bool has_clusters : {false, true}) {
      kernel_limits limits;
      array_kernels kernels = choose(by_value(4), of(n), limits);
      int refused = 0;
      for (; refuse(limits, kernels, by_value(4), of(n), has_clusters); ++refused) {
        kernels = choose(by_value(4), of(n), limits);
      }
      EXPECT_EQ(kernels, expected) << n;
      EXPECT_EQ(refused, expected == two_launches && has_clusters ? 2 : 1) << n;
    }
  }
}

template <class T, class Vote>
constexpr vote_source source = staged_votes<T, Vote>::source;
struct keep_all {
  template <class T>
  bool operator()(const T&) const {
    return true;
  }
};
struct bound_pair {
  std::uint32_t first, second;
};
static_assert(source<std::uint32_t, vote_if<std::uint32_t, keep_all>> == vote_source::items);
static_assert(source<bound_pair, vote_if<bound_pair, keep_all>> == vote_source::items);
static_assert(source<std::uint32_t, vote_if<std::int16_t, keep_all>> == vote_source::stencil);
static_assert(source<std::uint32_t, vote_flagged<std::uint8_t>> == vote_source::stencil);
static_assert(source<std::uint32_t, vote_flagged<std::uint32_t>> == vote_source::stencil);
static_assert(source<std::uint64_t, vote_flagged<std::uint64_t>> == vote_source::stencil);
static_assert(source<std::int64_t, vote_flagged<std::uint64_t>> == vote_source::stencil);
static_assert(source<std::uint32_t, vote_bits<std::uint32_t>> == vote_source::other);
static_assert(source<std::uint32_t, detail::vote_item<const std::uint32_t*, keep_all>> == vote_source::other);

}  // namespace
}  // namespace upsweep::test
