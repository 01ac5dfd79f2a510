// One call of each kind, with policies that are compiled quickly: for what only shows when code is generated. The
// headers of all calls are read.
#include "functors.hpp"
#include "upsweep/compact/drop_in.cuh"
#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/group_by.cuh"
#include "upsweep/compact/histogram.cuh"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"
#include "upsweep/sort/drop_in.cuh"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/policy.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/sort_runs.cuh"

bool small_calls(upsweep::workspace w, const int* in, int* out, const unsigned char* flags, std::int64_t* count,
                 const calls::particle* particles_in, calls::particle* particles_out, cudaStream_t stream) {
  using namespace calls;
  using upsweep::warp_scans;
  using scan = upsweep::chained_scan<warp_scans<64>, 1>;
  using compaction = upsweep::vote_scan_compact<scan>;
  using sort = upsweep::single_block_sort<64, 4, 1>;
  constexpr std::int64_t n = 100;
  return upsweep::exclusive_scan<scan>(w, in, out, n, sum{}, 0, stream) == cudaSuccess &&
         upsweep::inclusive_sum_by_key<upsweep::segmented_lookback<warp_scans<64>, 1>>(w, in, in, out, n, same{},
                                                                                       stream) == cudaSuccess &&
         upsweep::select_if<compaction>(w, in, out, count, n, is_odd{}, stream) == cudaSuccess &&
         upsweep::select_flagged<compaction>(w, in, flags, out, count, n, stream) == cudaSuccess &&
         upsweep::unique<compaction>(w, in, out, count, n, same{}, stream) == cudaSuccess &&
         upsweep::partition_if<compaction>(w, in, out, out + n, count, n, is_odd{}, upsweep::rejected_order::after,
                                           stream) == cudaSuccess &&
         upsweep::split<upsweep::histogram_split<scan>>(w, in, out, count, n, 4, halved{}, stream) == cudaSuccess &&
         upsweep::expand<upsweep::balanced_expand<scan, 64, 1>>(w, in, out, count, n, sum{}, stream) == cudaSuccess &&
         upsweep::histogram(in, count, n, 4, halved{}, stream) == cudaSuccess &&
         upsweep::merge_keys<upsweep::merge_path<64, 2>>(w, in, in, out, n, n, not_less{}, stream) == cudaSuccess &&
         upsweep::lower_bound<upsweep::tiled_bounds<64, 2>>(in, in, count, n, n, not_less{}, stream) == cudaSuccess &&
         upsweep::sort_keys<sort>(w, particles_in, particles_out, n, upsweep::decomposed_by<particle>(fields{}), {},
                                  stream) == cudaSuccess;
}
