// How keys that do not fit the device are cut: into runs, each sorted at once, and into buckets of all runs.
//
// Of each sorted run every `stride`th item is a sample. All samples in their order, those that are equal by run and
// place, cut the whole into buckets: before the sample of rank r come all r samples before it, and of each run fewer
// than `stride` items more. So no bucket is larger than a chunk, whatever the keys are, and the items of each run that
// belong to one adjoin.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/host_chunks.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

struct from_host_plan {
  std::int64_t n = 0;
  std::int64_t room = 0;            ///< the most items of a run and of a bucket; 0: the device memory is too small
  std::int64_t chunk = 0;           ///< items of each run but the last
  std::int64_t runs = 0;            ///< 1: all fit, and there is one trip
  std::int64_t stride = 0;          ///< items a sample
  std::int64_t bucket_samples = 0;  ///< samples a bucket
  std::int64_t ordered = 0;         ///< the most items that are ordered at once

  std::int64_t run_items(std::int64_t run) const { return (std::min)(chunk, n - run * chunk); }
  std::int64_t run_samples(std::int64_t run) const { return ceil_div(run_items(run), stride); }
  std::int64_t samples() const { return (runs - 1) * run_samples(0) + run_samples(runs - 1); }
  std::int64_t buckets() const { return ceil_div(samples(), bucket_samples); }

  /// The plan where so many items are sorted at once, and so many ordered.
  static from_host_plan with_room(std::int64_t n, std::int64_t room, std::int64_t ordered) {
    from_host_plan p;
    if (room < 1) return p;
    p.n = n;
    p.room = room;
    p.runs = ceil_div(n, room);
    p.chunk = ceil_div(n, p.runs);
    p.runs = ceil_div(n, p.chunk);
    p.ordered = ordered;
    const std::int64_t samples_a_run = ordered / p.runs;
    // A cut orders one item of each run and the sample itself.
    if (samples_a_run < 1 || p.runs + 1 > ordered) return {};
    // All buckets together waste an eighth, where the samples are not too many.
    p.stride = (std::max)({std::int64_t{1}, p.chunk / (8 * p.runs), ceil_div(p.chunk, samples_a_run)});
    p.bucket_samples = (room - (p.runs - 1) * (p.stride - 1)) / p.stride;
    if (p.bucket_samples < 1) return {};
    const std::int64_t buckets = ceil_div(p.samples(), p.bucket_samples);
    p.bucket_samples = ceil_div(p.samples(), buckets);
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
