#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "statistics.hpp"

namespace upsweep::apps {
namespace {

using identity = std::tuple<operation, std::int64_t, scalar_type, std::optional<scalar_type>, std::string,
                            std::optional<double>, timing_mode, std::string>;

/// Older records call the default of sums in segments by one of its kernels.
std::string subject_of(const bench_row& row) {
  const bool is_old = is_of_segments(row.what) && row.subject.name == "segmented_lookback/warp_scans/256x16";
  return is_old ? "default" : row.subject.name;
}

identity identity_of(const bench_row& row) {
  return {row.what, row.n, row.type, row.value_type, row.distribution, row.kept, row.mode, subject_of(row)};
}

/// The rows of two records, matched while they are added.
class matcher {
 public:
  void add(const bench_record& record, timing compared_row::*side, timing compared_row::*reference) {
    for (const bench_row& row : record.rows) {
      if (row.subject.samples == 0) continue;
      const auto [place, is_new] = places_.try_emplace(identity_of(row), rows_.size());
      if (is_new) rows_.emplace_back().row = row;
      compared_row& both = rows_[place->second];
      put_together(both.*side, row.subject);
      if (row.reference_timing && row.reference == both.row.reference) {
        put_together(both.*reference, *row.reference_timing);
      }
      both.verified = both.verified && row.verified;
      if (row.noise) both.noise = std::max(both.noise.value_or(0), std::abs(*row.noise - 1));
    }
  }

  std::vector<compared_row> take() { return std::move(rows_); }

 private:
  static void put_together(timing& all, const timing& side) {
    if (all.samples == 0) {
      all = side;
    } else if (side.samples > 0) {
      const double share = static_cast<double>(side.samples) / static_cast<double>(all.samples + side.samples);
      all.ms = {std::lerp(all.ms.median, side.ms.median, share), std::min(all.ms.low, side.ms.low),
                std::max(all.ms.high, side.ms.high)};
      all.samples += side.samples;
    }
  }

  std::map<identity, std::size_t> places_;
  std::vector<compared_row> rows_;
};

verdict verdict_of(const interval& ratio, double margin) {
  if (ratio.low > 1 + margin) return verdict::slower;
  return ratio.high < 1 - margin ? verdict::faster : verdict::same;
}

}  // namespace

std::vector<compared_row> compare_records(const bench_record& old_record, const bench_record& new_record,
                                          double threshold) {
  matcher both;
  both.add(new_record, &compared_row::new_side, &compared_row::new_reference);
  both.add(old_record, &compared_row::old_side, &compared_row::old_reference);
  std::vector<compared_row> rows = both.take();
  for (compared_row& row : rows) {
    if (row.old_side.samples == 0 || row.new_side.samples == 0) {
      row.outcome = row.old_side.samples == 0 ? verdict::only_new : verdict::only_old;
      continue;
    }
    row.ratio = unpaired_ratio(row.new_side.ms, row.old_side.ms);
    const std::string& kind = row.row.reference;
    const bool same_reference = reference_version(old_record, kind) == reference_version(new_record, kind);
    if (same_reference && row.old_reference.samples > 0 && row.new_reference.samples > 0) {
      const double drift = row.new_reference.ms.median / row.old_reference.ms.median;
      row.noise = std::max(row.noise.value_or(0), std::abs(drift - 1));
    }
    if (row.noise && row.old_side.ms.median < short_ms) row.noise = std::max(*row.noise, short_noise);
    row.outcome = verdict_of(*row.ratio, std::max(threshold, row.noise.value_or(unknown_noise)));
  }
  return rows;
}

}  // namespace upsweep::apps
