// What became faster or slower between two records.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace upsweep::apps {

enum class verdict { same, slower, faster, only_old, only_new };
inline constexpr std::string_view verdict_names[] = {"same", "slower", "faster", "only in old", "only in new"};

/// One subject on one input, in both records or in one. Of a subject that was measured against several references, the
/// samples are put together.
struct compared_row {
  bench_row row;  ///< of the new record; of the old one where there is no other
  std::vector<double> old_ms, new_ms;
  bool verified = true;  ///< wherever it was measured
  /// How far the ratio may be from 1 by noise: the larger A against A of both, as a distance from 1.
  double noise = 0;
  std::optional<interval> ratio;  ///< new time over old time
  verdict outcome = verdict::same;
};

/// Rows of both records by what they measured, in the order of the new record, then those of the old one alone. A row
/// is slower (faster) when the whole interval of its ratio is above 1 + margin (below 1 - margin), where margin is the
/// larger of `threshold` and the row's noise. A row without samples is one that is not there.
std::vector<compared_row> compare_records(const bench_record& old_record, const bench_record& new_record,
                                          double threshold);

}  // namespace upsweep::apps
