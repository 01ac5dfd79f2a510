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
  void add(const bench_record& record, std::vector<double> compared_row::*side,
           std::vector<double> compared_row::*reference) {
    for (const bench_row& row : record.rows) {
      if (row.subject.samples_ms.empty()) continue;
      const auto [place, is_new] = places_.try_emplace(identity_of(row), rows_.size());
      if (is_new) rows_.emplace_back().row = row;
      compared_row& both = rows_[place->second];
      append(both.*side, row.subject);
      if (row.reference_timing && row.reference == both.row.reference) append(both.*reference, *row.reference_timing);
      both.verified = both.verified && row.verified;
      if (row.noise) both.noise = std::max(both.noise.value_or(0), std::abs(*row.noise - 1));
    }
  }

  std::vector<compared_row> take() { return std::move(rows_); }

 private:
  static void append(std::vector<double>& samples, const timing& side) {
    samples.insert(samples.end(), side.samples_ms.begin(), side.samples_ms.end());
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
  both.add(new_record, &compared_row::new_ms, &compared_row::new_reference_ms);
  both.add(old_record, &compared_row::old_ms, &compared_row::old_reference_ms);
  std::vector<compared_row> rows = both.take();
  for (compared_row& row : rows) {
    if (row.old_ms.empty() || row.new_ms.empty()) {
      row.outcome = row.old_ms.empty() ? verdict::only_new : verdict::only_old;
      continue;
    }
    row.ratio = unpaired_ratio(row.new_ms, row.old_ms);
    if (!row.old_reference_ms.empty() && !row.new_reference_ms.empty()) {
      const double drift = median(row.new_reference_ms) / median(row.old_reference_ms);
      row.noise = std::max(row.noise.value_or(0), std::abs(drift - 1));
    }
    if (row.noise && median(row.old_ms) < short_ms) row.noise = std::max(*row.noise, short_noise);
    row.outcome = verdict_of(*row.ratio, std::max(threshold, row.noise.value_or(unknown_noise)));
  }
  return rows;
}

}  // namespace upsweep::apps
