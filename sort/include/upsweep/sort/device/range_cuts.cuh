// Where a sort of two ranks by ranges cuts, by a sample of the keys; and what the ranks have counted, added up.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/sort/block/merge_path.cuh"
#include "upsweep/sort/device/ranges_across_plan.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// sample[i] = keys[sampled_place(i, stride, n)], one for each stride that has keys.
struct sample_keys_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Key>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* keys, std::int64_t n, std::int64_t stride,
                                 Key* sample) const {
    const std::int64_t i = block.block_index() * block_threads + block.thread_rank();
    if (i * stride < n) sample[i] = keys[sampled_place(i, stride, n)];
  }
};

/// What the samples of both ranks say of each cut: its code, and how many of each rank's are below it.
template <class Code>
struct sampled_cuts {
  Code code[rank_ranges::cuts];
  std::int64_t below[2][rank_ranges::cuts];
};

/// A thread finds a cut. The samples of rank r begin at r * stride, in order.
struct cut_samples_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx, class Key, class Digit, class Code>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* samples, std::int64_t stride,
                                 range_sample sample, range_cut_places places, Digit digit,
                                 sampled_cuts<Code>* cuts) const {
    const int c = block.thread_rank();
    if (c >= rank_ranges::cuts) return;
    const std::int64_t n_a = sample.of_rank[0], n_b = sample.of_rank[1], at = places.at[c];
    const auto a = [&](std::int64_t i) { return static_cast<Code>(digit.code_of(samples[i])); };
    const auto b = [&](std::int64_t i) { return static_cast<Code>(digit.code_of(samples[stride + i])); };
    const auto search = [](std::int64_t low, std::int64_t high, const auto& is_before) {
      return partition_point(low, high, is_before);
    };
    auto less = [](Code x, Code y) { return x < y; };
    const std::int64_t of_a = merge_split(n_a, n_b, at, a, b, less, search), of_b = at - of_a;
    const bool takes_b = of_b < n_b && (of_a >= n_a || b(of_b) < a(of_a));
    const Code cut = takes_b ? b(of_b) : a(of_a);
    cuts->code[c] = cut;
    cuts->below[0][c] = search(0, n_a, [&](std::int64_t i) { return a(i) < cut; });
    cuts->below[1][c] = search(0, n_b, [&](std::int64_t i) { return b(i) < cut; });
  }
};

/// From what both ranks counted, of `stride` words each, first how many items they have of each range: the items of
/// both, and the digits of those ranges together that this rank takes.
struct add_ranges_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint64_t* counted, int digits, int rank,
                                 range_counts* items, std::uint64_t* of_range) const {
    const std::int64_t stride = (rank_ranges::count + 1) + rank_ranges::count * std::int64_t{digits};
    const int i = static_cast<int>(block.block_index()) * block_threads + block.thread_rank();
    if (i < 2 * rank_ranges::count) {
      const int r = i / rank_ranges::count, range = i % rank_ranges::count;
      items->of[r][range] = static_cast<std::int64_t>(counted[r * stride + range]);
    }
    if (i >= rank_ranges::own * digits) return;
    const int range = rank_ranges::taken(rank, i / digits), pass = i % digits / 256, digit = i % 256;
    const std::uint64_t* const counts =
        counted + rank_ranges::count + 1 + (pass * rank_ranges::count + range) * 256 + digit;
    of_range[i] = counts[0] + counts[stride];
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
