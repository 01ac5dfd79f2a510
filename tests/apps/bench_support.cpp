#include "bench_support.hpp"

namespace upsweep::test {

apps::bench_row plain_row(const std::string& subject, double ms) {
  apps::bench_row row;
  row.what = apps::operation::scan;
  row.n = 1 << 20;
  row.type = scalar_type::u32;
  row.distribution = "random";
  row.bytes = 8 << 20;
  row.subject = {subject, {ms, ms, ms}, 4};
  row.verified = true;
  return row;
}

apps::bench_record record_of(std::vector<apps::bench_row> rows) {
  apps::bench_record record;
  record.command = "scan";
  record.argv = {"upsweep-bench", "scan", "--n", "2^20"};
  record.time = "2026-01-02T03:04:05Z";
  record.device = {"NVIDIA H200", "cuda", "9.0", 132, 62914560, 150754820096, 1980};
  record.versions = {{"upsweep", "1.0.0"}, {"cub", "3.0.1"}};
  record.settings = {{"seed", 1}, {"seconds", 2.5}};
  record.copy_gb_per_s = 1000;
  record.copy_bytes = std::uint64_t{1} << 30;
  record.rows = std::move(rows);
  return record;
}

apps::bench_record full_record() {
  apps::bench_row scan = plain_row("decoupled_lookback/warp_scans/256x16", 0.016);
  scan.subject.ms = {0.016, 0.015, 0.018};
  scan.subject.clock_mhz = 1965;
  scan.reference = "cub";
  scan.reference_timing = {{"cub 64-bit", {0.020, 0.019, 0.021}, 4, 1950}};
  scan.speedup = {{1.25, 1.24, 1.265}};
  scan.noise = 0.997;
  scan.cost = {{1, 2, 8}};

  apps::bench_row compact = plain_row("vote_scan", 0.5);
  compact.what = apps::operation::compact;
  compact.n = 1000000;
  compact.type = scalar_type::f32;
  compact.kept = 0.1;
  compact.mode = apps::timing_mode::graph;

  apps::bench_row sort = plain_row("onesweep, \"8\" bits", 1500);
  sort.what = apps::operation::sort;
  sort.type = scalar_type::u64;
  sort.value_type = scalar_type::u32;
  sort.distribution = "entropy_3";
  sort.mode = apps::timing_mode::warm;
  sort.reference = "thrust";
  sort.reference_timing = {{"sort_by_key", {}, 0}};
  sort.discarded = 3;
  sort.stable = false;
  sort.verified = false;

  return record_of({scan, compact, sort});
}

}  // namespace upsweep::test
