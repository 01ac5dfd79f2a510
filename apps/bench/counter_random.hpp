// Random words by number: any thread can make any of them.
#pragma once

#include <cstdint>

namespace upsweep::apps {

/// The output function of splitmix64 (Steele, Lea & Flood 2014): a bijection in which every bit depends on every bit.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// One of many sequences of random words of the same seed.
class random_words {
 public:
  constexpr explicit random_words(std::uint64_t seed, std::uint64_t sequence = 0)
      : start_(mixed(seed * step + mixed(sequence + 1))) {}

  constexpr std::uint64_t operator[](std::int64_t i) const {
    return mixed(start_ + static_cast<std::uint64_t>(i) * step);
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
  std::uint64_t start_;
};

}  // namespace upsweep::apps
