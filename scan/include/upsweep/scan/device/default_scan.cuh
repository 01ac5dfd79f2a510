// The default scan: for each number of items of each size, the strategy that was fastest on an
// H200 (docs/how_it_works.md, "Which scan is the default").
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/cluster.cuh"
#include "upsweep/scan/device/decoupled_lookback_pipelined.cuh"
#include "upsweep/scan/device/direct_lookback.cuh"
#include "upsweep/scan/device/direct_reduce_then_scan.cuh"
#include "upsweep/scan/device/single_block.cuh"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

struct default_scan {
  static constexpr scan_variant variant{};
  static_assert(variant.strategy == scan_strategy::default_scan);

  /// The ring, of large arrays.
  template <class T, std::size_t Bytes = sizeof(T)>
  using pipelined = decoupled_lookback_pipelined<Bytes == 1                                ? 512
                                                 : Bytes <= 4 || (Bytes > 8 && Bytes < 16) ? 256
                                                                                           : 384,
                                                 Bytes == 1   ? 16
                                                 : Bytes <= 8 ? 32
                                                              : 48>;

  /// Calls `f(policy)` with the strategy for n items whose sums are of T. Returns what it returns.
  template <class T, class F>
  static constexpr auto pick(std::int64_t n, bool has_clusters, F f) {
    constexpr std::int64_t bytes = sizeof(T);
    constexpr int vector = items_in<T>(16), long_run = items_in<T>(128);
    // In one round.
    const auto by_cluster_of = [&](int threads, int items, std::int64_t most) {
      return has_clusters && n <= (std::min<std::int64_t>)(most / bytes, max_cluster_blocks * threads * items);
    };
    constexpr int large = bytes == 8 ? 512 : 1024, of_large = 1024 / large * vector;
    if (n <= 8 * kib / bytes) return f(single_block<warp_scans<512>, vector>{});
    if (n <= 16 * kib / bytes) return f(single_block<warp_scans<1024>, vector>{});
    if (by_cluster_of(256, vector, 64 * kib)) return f(cluster<warp_scans<256>, vector>{});
    if (by_cluster_of(512, vector, 128 * kib)) return f(cluster<warp_scans<512>, vector>{});
    if constexpr (bytes >= 4) {
      if (by_cluster_of(large, of_large, 256 * kib)) return f(cluster<warp_scans<large>, of_large>{});
    }
    if (n <= most_by_two_launches<T>) return f(direct_reduce_then_scan<warp_scans<256>, items_in<T>(64)>{});
    if (n <= most_by_tiles<T>) return f(direct_lookback<warp_scans<256>, long_run, all_tiles>{});
    return f(pipelined<T>{});
  }

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    // A GPU without clusters needs more, and smaller tiles than those for n may have gone before.
    const auto at = [](std::int64_t items) {
      return pick<T>(items, false,
                     [=]<class Policy>(Policy) { return Policy::template workspace_bytes<T, In, Out>(items); });
    };
    std::size_t bytes = at(n);
    for (const std::int64_t most : {most_by_two_launches<T>, most_by_tiles<T>}) {
      if (n > most) bytes = (std::max)(bytes, at(most));
    }
    return bytes;
  }

  /// For n > 0, on a device with clusters.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    return pick<T>(n, true, [&]<class Policy>(Policy) { return Policy::template cost<T>(n); });
  }

  /// Scans n > 0 items of `in` to `out` after `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    return pick<T>(bound_of(n), ex.has_clusters(), [&]<class Policy>(Policy) {
      return Policy::template run<Kind, T>(ex, w, in, out, n, op, init, total);
    });
  }

 private:
  static constexpr std::int64_t kib = 1024;
  template <class T>
  static constexpr std::int64_t most_by_two_launches = sizeof(T) < 4 ? 2 * kib* kib : 8 * kib* kib / sizeof(T);
  template <class T>
  static constexpr std::int64_t most_by_tiles = [] {
    const int mib = is_blocked_in_warps<T, T> || sizeof(T) < 4 ? 8 : sizeof(T) == 4 ? 16 : 32;
    return mib * kib * kib / static_cast<std::int64_t>(sizeof(T));
  }();

  /// How many T a thread takes that has `bytes` of them: at most 16, or one in 4 bytes.
  template <class T>
  static constexpr int items_in(std::size_t bytes) {
    return static_cast<int>(std::clamp<std::size_t>(bytes / sizeof(T), 1, (std::max<std::size_t>)(bytes / 4, 16)));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
