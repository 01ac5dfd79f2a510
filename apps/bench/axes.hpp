// What the options of upsweep-bench span: sizes, types, variants, shares, each a comma list. Every function fails with
// exit_code::usage in one line that begins with `origin` (the flag, or file and JSON pointer) and names what came.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::apps {

/// The parts between commas; an empty part is a failure.
std::vector<std::string> list_axis(const std::string& origin, std::string_view text);

/// "2^10..2^28", "1000,2^12", "100..1000": whole numbers from 1 to 2^40; a range doubles its first until its last.
std::vector<std::int64_t> size_axis(const std::string& origin, std::string_view text);

/// "u32,f64", of those in `known`.
std::vector<scalar_type> type_axis(const std::string& origin, std::string_view text,
                                   std::span<const scalar_type> known);

/// Words of those in `known`.
std::vector<std::string> word_axis(const std::string& origin, std::string_view text,
                                   std::span<const std::string_view> known);

/// "default", "all", "decoupled_lookback/warp_scans/256x16", or the beginning of a name as far as a slash, for all that
/// begin so. Each once, in the order in which they are named; those of one name in the order of `known`.
std::vector<scan_variant> variant_axis(const std::string& origin, std::string_view text,
                                       std::span<const scan_variant> known);

/// "1,10,50": per cent from 0 to 100, as shares from 0 to 1.
std::vector<double> percent_axis(const std::string& origin, std::string_view text);

/// "decoupled_lookback/warp_scans/256x16"; only the strategy where it has no blocks.
std::string variant_name(const scan_variant& v);

}  // namespace upsweep::apps
