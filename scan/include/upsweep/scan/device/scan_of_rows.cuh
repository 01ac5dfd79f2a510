// The default scan of a few columns as one array of rows: default_scan by half of its kernels, since a call brings them
// for rows of each size. Chosen on an H200 (docs/lab/axis_scan.md, 8).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/cluster.cuh"
#include "upsweep/scan/device/default_scan.cuh"
#include "upsweep/scan/device/direct_reduce_then_scan.cuh"
#include "upsweep/scan/device/single_block.cuh"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

struct scan_of_rows {
  template <class Row, class In, class Out>
  static std::size_t workspace_bytes(std::int64_t n) {
    const std::int64_t by_two = (std::min)(n, most_by_two_launches<Row>);
    return (std::max)(two_launches<Row>::template workspace_bytes<Row, In, Out>(by_two),
                      pipelined<Row>::template workspace_bytes<Row, In, Out>(n));
  }

  template <scan_kind Kind, class Row, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, const carry<Row>& init) {
    constexpr std::int64_t bytes = sizeof(Row);
    constexpr int items_of_block = 16 / bytes, items_of_cluster = 32 / bytes;
    constexpr std::int64_t most_by_cluster =
        (std::min)(256 * 1024 / bytes, std::int64_t{max_cluster_blocks} * 512 * items_of_cluster);
    const auto by = [&]<class Policy>(Policy) { return Policy::template run<Kind, Row>(ex, w, in, out, n, op, init); };
    if (n <= 16 * 1024 / bytes) return by(single_block<warp_scans<1024>, items_of_block>{});
    if (ex.has_clusters() && n <= most_by_cluster) return by(cluster<warp_scans<512>, items_of_cluster>{});
    if (n <= most_by_two_launches<Row>) return by(two_launches<Row>{});
    if (bytes == 8 && n <= 2 * most_by_two_launches<Row>) return by(typename pipelined<Row>::plain{});
    return by(pipelined<Row>{});
  }

 private:
  template <class Row>
  using two_launches = direct_reduce_then_scan<warp_scans<256>, 64 / static_cast<int>(sizeof(Row))>;
  template <class Row>
  using pipelined = default_scan::pipelined<Row>;
  template <class Row>
  static constexpr std::int64_t most_by_two_launches = 8 * 1024 * 1024 / sizeof(Row);
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
