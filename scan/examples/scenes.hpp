// What the examples work on, and whether they did it right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace example {

/// How many particles each emitter wants to spawn.
inline std::vector<std::uint32_t> some_emitters() {
  std::vector<std::uint32_t> wanted(10'000);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<std::uint32_t>(i * 7919 % 13 % 5);
  return wanted;
}

/// Every emitter has its particles, side by side.
inline bool is_spawned(const std::vector<std::uint32_t>& wanted, const std::vector<int>& emitter_of,
                       std::uint32_t spawned) {
  std::size_t at = 0;
  std::vector<bool> done(wanted.size());
  while (at < spawned && spawned <= emitter_of.size()) {
    const auto emitter = static_cast<std::size_t>(emitter_of[at]);
    if (emitter >= wanted.size() || done[emitter]) return false;
    done[emitter] = true;
    for (std::uint32_t i = 0; i < wanted[emitter]; ++i, ++at) {
      if (at >= spawned || static_cast<std::size_t>(emitter_of[at]) != emitter) return false;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (done[i] != (wanted[i] > 0)) return false;
  }
  return at == spawned;
}

/// The slope at which a viewer sees each of the 32 points of a ray, nearest first, ray after ray.
inline std::vector<float> some_slopes() {
  std::vector<float> slope(32 * 101);
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = static_cast<float>(i * 7919 % 1009);
  return slope;
}

inline bool is_seen(const std::vector<float>& slope, const std::vector<char>& seen) {
  float highest = 0;
  for (std::size_t i = 0; i < slope.size(); ++i) {
    const bool nearest = i % 32 == 0;
    if ((seen[i] != 0) != (nearest || slope[i] > highest)) return false;
    highest = nearest || slope[i] > highest ? slope[i] : highest;
  }
  return true;
}

}  // namespace example
