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
/// medians count in proportion to their samples, and the interval is one that holds all of theirs.
struct compared_row {
  bench_row row;  ///< of the new record; of the old one where there is no other
  timing old_side, new_side;
  bool verified = true;  ///< wherever it was measured
  timing old_reference, new_reference;
  /// How far the ratio may be from 1 by noise: the larger A against A of both, what the reference changed by, when it
  /// is of the same version in both, and `short_noise` for short ones; as a distance from 1. Of a subject that was
  /// measured alone nothing is known.
  std::optional<double> noise;
  std::optional<interval> ratio;  ///< new time over old time
  verdict outcome = verdict::same;
};

inline constexpr double unknown_noise = 0.05;

/// Two processes time the same short kernels differently, each with little noise of its own, ours and the reference's
/// not by the same amount: up to 4.5 % on the H200 (apps/bench/README.md). Of medians below `short_ms` no less is
/// noise.
inline constexpr double short_ms = 0.2, short_noise = 0.05;

/// Rows of both records by what they measured, in the order of the new record, then those of the old one alone. A row
/// is slower (faster) when the whole interval of its ratio is above 1 + margin (below 1 - margin), where margin is the
/// larger of `threshold` and the row's noise, of a short one `short_noise` at least, of a subject measured alone
/// `unknown_noise`. A row without samples is one
/// that is not there.
std::vector<compared_row> compare_records(const bench_record& old_record, const bench_record& new_record,
                                          double threshold);

}  // namespace upsweep::apps
