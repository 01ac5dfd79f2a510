// Flags that say which elements are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/internals.hpp"
#include "support/random_items.hpp"

namespace upsweep::test {

/// Flags of which about `percent` are set, to any non-zero value.
inline std::vector<std::uint8_t> random_flags(std::int64_t n, unsigned percent) {
  random_source random(percent);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
  for (auto& f : flags) f = random.below(100) < percent ? static_cast<std::uint8_t>(1 + random.below(255)) : 0;
  return flags;
}

/// n flags of one of these patterns: random with `percent` set, the same in runs, every other one, one, all but one,
/// the first half, the last half.
enum class flag_pattern { random, clustered, alternating, one, all_but_one, first_half, last_half };

inline std::vector<std::uint8_t> flags_of(flag_pattern pattern, std::int64_t n, unsigned percent = 50) {
  random_source random(static_cast<std::uint64_t>(n) + percent);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
  const auto any = [&] { return static_cast<std::uint8_t>(1 + random.below(255)); };
  bool run = false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (random.below(200) == 0 || i == 0) run = random.below(100) < percent;
    const bool set = pattern == flag_pattern::random        ? random.below(100) < percent
                     : pattern == flag_pattern::clustered   ? run
                     : pattern == flag_pattern::alternating ? i % 2 == 1
                     : pattern == flag_pattern::one         ? i == n * 2 / 3
                     : pattern == flag_pattern::all_but_one ? i != n / 3
                     : pattern == flag_pattern::first_half  ? i < n / 2
                                                            : i >= n / 2;
    if (set) flags[static_cast<std::size_t>(i)] = any();
  }
  return flags;
}

/// Patterns that no random flags come near.
inline constexpr flag_pattern odd_flag_patterns[] = {flag_pattern::clustered,  flag_pattern::alternating,
                                                     flag_pattern::one,        flag_pattern::all_but_one,
                                                     flag_pattern::first_half, flag_pattern::last_half};

}  // namespace upsweep::test
